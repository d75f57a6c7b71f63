package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.trace.SmallLog;
import io.hypersync.cli.trace.TrimmedLog;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.hash.Hash;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.snapshot.CollectedFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code trace} and {@code replay}: a stopped leader's log to a file, and from it to the same root.
 */
final class TraceCommandsTest {
  @TempDir Path directory;

  private Path team = Path.of("");
  private Path file = Path.of("");
  private Hash root = Hash.ZERO;

  @BeforeEach
  void aStoppedLeader() throws IOException {
    team = directory.resolve("team");
    file = directory.resolve("team.trace");
    assertEquals(0, Invocation.of("init", team.toString()).exitCode());
    root = SmallLog.write(team.resolve("state"));
  }

  private Invocation trace(String... more) {
    String[] args = new String[more.length + 5];
    System.arraycopy(
        new String[] {"trace", "--dir", team.toString(), "--out", file.toString()}, 0, args, 0, 5);
    System.arraycopy(more, 0, args, 5, more.length);
    return Invocation.of(args);
  }

  @Test
  void aTraceReplaysToTheRootOfTheLeader() throws IOException {
    Invocation trace = trace("--json");
    assertEquals(0, trace.exitCode(), trace.err());
    JsonNode made = new ObjectMapper().readTree(trace.out());
    assertEquals(3, made.path("entries").asLong());
    assertEquals(1, made.path("chunks").asLong(), "the other one travels in its entry");
    assertEquals(root.toString(), made.path("root").asText());

    Invocation replay = Invocation.of("replay", file.toString(), "--json");
    assertEquals(0, replay.exitCode(), replay.err());
    JsonNode report = new ObjectMapper().readTree(replay.out());
    assertTrue(report.path("ok").asBoolean(), replay.out());
    assertEquals(3, report.path("entries").asLong());
    assertEquals(root.toString(), report.path("root").asText());
    assertTrue(report.path("mismatch").isNull());
    assertEquals(
        "3 entries, 1 chunks, 1 checkpoints\nroot " + root + "\nok\n",
        Invocation.of("replay", file.toString()).out());
  }

  @Test
  void theCommandThatItAdvisesCanBeCopiedIntoAShell() {
    file = directory.resolve("it's a trace");
    Invocation trace = trace();
    assertEquals(0, trace.exitCode(), trace.err());
    assertTrue(
        trace.out().contains("./hypersync replay '" + directory + "/it'\\''s a trace'\n"),
        trace.out());
  }

  /** A second trace is byte for byte the same. */
  @Test
  void tracingChangesNothing() throws IOException {
    assertEquals(0, trace().exitCode());
    byte[] first = Files.readAllBytes(file);
    Files.delete(file);
    assertEquals(0, trace().exitCode());
    assertEquals(-1, Files.mismatch(file, Files.write(directory.resolve("first"), first)));
  }

  @Test
  void aDamagedTraceIsRefusedInOneLine() throws IOException {
    trace();
    byte[] bytes = Files.readAllBytes(file);
    bytes[bytes.length / 2] ^= 4;
    Files.write(file, bytes);
    Invocation replay = Invocation.of("replay", file.toString());
    assertEquals(1, replay.exitCode());
    assertTrue(
        replay.err().matches("hypersync: .+team\\.trace: damaged in the record at byte \\d+: .+\n"),
        replay.err());
  }

  @Test
  void aLeaderThatRunsIsNotTraced() {
    try (StateLock _ = StateLock.acquire(team.resolve("state"), "the leader of team")) {
      Invocation trace = trace();
      assertEquals(1, trace.exitCode());
      assertTrue(trace.err().contains("is in use by the leader of team"), trace.err());
      assertFalse(Files.exists(file), "an unfinished trace was left behind");
    }
  }

  @Test
  void whatIsThereIsNotOverwritten() throws IOException {
    Files.writeString(file, "mine");
    Invocation trace = trace();
    assertEquals(1, trace.exitCode());
    assertTrue(trace.err().contains("exists; nothing was changed"), trace.err());
    assertEquals("mine", Files.readString(file));
  }

  @Test
  void aWorkspaceWithoutALogSaysSo() {
    Path other = directory.resolve("other");
    Invocation.of("init", other.toString());
    Invocation trace = Invocation.of("trace", "--dir", other.toString(), "--out", file.toString());
    assertEquals(1, trace.exitCode());
    assertTrue(trace.err().contains("no leader has run there"), trace.err());
  }

  @Test
  void withoutATraceTheRootsAreComparedAllTheSame() throws IOException {
    Invocation checked = check("--json");
    assertEquals(0, checked.exitCode(), checked.err());
    JsonNode report = new ObjectMapper().readTree(checked.out());
    assertEquals(3, report.path("entries").asLong());
    assertEquals(root.toString(), report.path("root").asText());
    assertFalse(Files.exists(file));
    assertEquals(2, Invocation.of("trace", "--dir", team.toString()).exitCode());
    assertEquals(2, trace("--check").exitCode());
  }

  /** Content that nothing needs was collected: the log is as right as before. */
  @Test
  void afterACollectionThereIsNoTraceButItsRootsCanBeCompared() throws IOException {
    Path state = team.resolve("state");
    DurableFiles.deleteTree(state.resolve("chunks"));
    Invocation damaged = check();
    assertEquals(1, damaged.exitCode(), "chunks that were not collected must be there");
    CollectedFile.open(state, List.of()).raise(3);
    Invocation checked = check();
    assertEquals(0, checked.exitCode(), checked.err());
    assertTrue(checked.out().contains("All 3 entries lead to the roots"), checked.out());
    Invocation refused = trace();
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("content of entry 3 was collected"), refused.err());
    assertTrue(refused.err().contains("trace --check"), refused.err());
    assertFalse(Files.exists(file));
  }

  @Test
  void aTraceOfATrimmedLogSaysWhatItBeginsWith() throws IOException {
    Path state = team.resolve("state");
    DurableFiles.deleteTree(state);
    TrimmedLog log = TrimmedLog.write(state, WorkspaceDirectory.open(team).id(), TrimmedLog.FIRST);
    Invocation trace = trace();
    assertEquals(0, trace.exitCode(), trace.err());
    assertTrue(
        trace.out().contains("It begins with the snapshot of entry 103: earlier entries"),
        trace.out());
    Invocation replay = Invocation.of("replay", file.toString());
    assertEquals(0, replay.exitCode(), replay.err());
    assertTrue(
        replay.out().startsWith("begins with the state after entry 103\n3 entries, "),
        replay.out());
    assertTrue(replay.out().endsWith("root " + log.root(TrimmedLog.LAST) + "\nok\n"), replay.out());
  }

  /** Then nobody knows which chunks may be missing. */
  @Test
  void aDamagedMarkOfACollectionIsSaidInOneLine() throws IOException {
    Path state = team.resolve("state");
    CollectedFile.open(state, List.of()).raise(3);
    Path mark = state.resolve("collected");
    byte[] bytes = Files.readAllBytes(mark);
    bytes[20] ^= 1;
    bytes[4_096 + 20] ^= 1;
    Files.write(mark, bytes);
    for (Invocation refused : List.of(check(), trace())) {
      assertEquals(1, refused.exitCode());
      assertTrue(
          refused
              .err()
              .matches(
                  "hypersync: cannot [^\\n]+collected is damaged, and there is no snapshot.+\n"),
          refused.err());
    }
    assertFalse(Files.exists(file));
  }

  @Test
  void aWrongRootIsFoundWithoutATraceToo() throws IOException {
    DurableFiles.deleteTree(team.resolve("state"));
    SmallLog.write(team.resolve("state"), 2);
    Invocation checked = check();
    assertEquals(1, checked.exitCode());
    assertTrue(checked.err().contains("log entry 2 cannot be replayed"), checked.err());
  }

  private Invocation check(String... more) {
    String[] args = new String[more.length + 4];
    System.arraycopy(new String[] {"trace", "--dir", team.toString(), "--check"}, 0, args, 0, 4);
    System.arraycopy(more, 0, args, 4, more.length);
    return Invocation.of(args);
  }

  @Test
  void whatIsNoTraceIsSaidToBeNone() throws IOException {
    Files.writeString(file, "hello, I am a text");
    Invocation replay = Invocation.of("replay", file.toString());
    assertEquals(1, replay.exitCode());
    assertEquals(
        "hypersync: " + file + ": not a trace: it does not begin as one does\n", replay.err());
    assertEquals(2, Invocation.of("replay", file + ".gone").exitCode());
  }
}
