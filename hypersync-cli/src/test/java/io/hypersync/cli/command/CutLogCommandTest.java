package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.trace.SmallLog;
import io.hypersync.cli.trace.TrimmedLog;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.leader.standby.Waited;
import io.hypersync.runtime.admin.StateLock;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code cut-log}: what it announces, what it does, and what it keeps (docs/diverged.md). */
final class CutLogCommandTest {
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir Path directory;

  private Path team = Path.of("");

  @BeforeEach
  void aWorkspace() {
    team = directory.resolve("team");
    assertEquals(0, Invocation.of("init", team.toString()).exitCode());
  }

  @Test
  void byItselfItChangesNothing() throws IOException {
    SmallLog.write(team.resolve("state"));
    Invocation dry = cut("1");
    assertEquals(0, dry.exitCode(), dry.err());
    assertTrue(
        dry.out().startsWith("Of the log of workspace team after entry 1 this would be cut:\n"),
        dry.out());
    assertTrue(dry.out().contains("  kept     1 entries, root "), dry.out());
    assertTrue(dry.out().contains("  cut      2 entries, which wrote 9.8 KiB\n"), dry.out());
    assertTrue(dry.out().contains("2 by w1\n"), dry.out());
    assertTrue(dry.out().contains("Nothing was cut. Do it: ./hypersync cut-log"), dry.out());
    assertFalse(Files.exists(team.resolve("state/cut")));
    assertEquals(3, entries());
  }

  @Test
  void whatIsCutIsKeptAsATrace() throws IOException {
    String root = SmallLog.write(team.resolve("state")).toString();
    Invocation done = cut("1", "--yes", "--json");
    assertEquals(0, done.exitCode(), done.err());
    JsonNode tree = JSON.readTree(done.out());
    assertTrue(tree.path("done").asBoolean());
    assertEquals(1, tree.path("entries_kept").asLong());
    assertEquals(2, tree.path("entries_cut").asLong());
    assertEquals(2, tree.path("workers").path("w1").asLong());
    assertEquals(1, entries());
    Path trace = Path.of(tree.path("trace").asText());
    assertEquals(
        PosixFilePermissions.fromString("rw-------"), Files.getPosixFilePermissions(trace));
    JsonNode replayed = JSON.readTree(Invocation.of("replay", trace.toString(), "--json").out());
    assertTrue(replayed.path("ok").asBoolean(), replayed::toString);
    assertEquals(3, replayed.path("entries").asLong());
    assertEquals(root, replayed.path("root").asText());

    Invocation again = cut("1", "--yes");
    assertEquals(UserError.USAGE, again.exitCode());
    assertTrue(
        again.err().contains("nothing is behind entry 1: the log ends at entry 1"), again.err());
  }

  /** It would follow its leader with a log that lacks what it has said to have. */
  @Test
  void theLogOfAStandbyIsNotCut() throws IOException {
    Path state = team.resolve("state");
    SmallLog.write(state);
    new StandbyFile(WorkspaceDirectory.open(team).id(), 0, 0, true, Waited.NOT).write(state);
    Invocation refused = cut("1", "--yes");
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("is the state of a standby"), refused.err());
    assertEquals(3, entries());
  }

  /** A snapshot stands for what was trimmed; a later one is of what is undone. */
  @Test
  void aTrimmedLogIsCutBehindASnapshotThatStays() throws IOException {
    Path state = team.resolve("state");
    int first = TrimmedLog.FIRST;
    TrimmedLog log =
        TrimmedLog.write(state, WorkspaceDirectory.open(team).id(), first + 1, first + 3);
    Invocation tooEarly = cut(Integer.toString(first), "--yes");
    assertEquals(UserError.USAGE, tooEarly.exitCode());
    assertTrue(
        tooEarly
            .err()
            .contains("the oldest snapshot that has what comes before it is of entry 104"),
        tooEarly.err());
    Invocation done = cut(Integer.toString(first + 2), "--yes", "--json");
    assertEquals(0, done.exitCode(), done.err());
    JsonNode tree = JSON.readTree(done.out());
    assertEquals(3, tree.path("entries_kept").asLong());
    assertEquals(1, tree.path("entries_cut").asLong());
    assertEquals(log.root(first + 2).toString(), tree.path("root").asText());
    assertEquals(List.of(first + 1L), SnapshotDirectory.of(state).indexes());
    JsonNode replayed =
        JSON.readTree(Invocation.of("replay", tree.path("trace").asText(), "--json").out());
    assertTrue(replayed.path("ok").asBoolean(), replayed::toString);
    assertEquals(first + 1, replayed.path("begins_after").asLong());
    assertEquals(2, replayed.path("entries").asLong(), "what was cut is in it");
    Invocation checked = Invocation.of("trace", "--dir", team.toString(), "--check");
    assertEquals(
        "All 1 entries behind the snapshot of entry 104 lead to the roots that the log says; the"
            + " last is "
            + log.root(first + 2)
            + "\n",
        checked.out(),
        checked.err());
  }

  @Test
  void aTrimmedLogWithoutASnapshotIsNotCut() throws IOException {
    TrimmedLog.write(team.resolve("state"), WorkspaceDirectory.open(team).id());
    Invocation refused = cut(Integer.toString(TrimmedLog.FIRST), "--yes");
    assertEquals(UserError.USAGE, refused.exitCode());
    assertTrue(refused.err().contains("no snapshot has what comes before it"), refused.err());
  }

  /** The command's purpose: a log with a wrong root can be used again. */
  @Test
  void aLogThatIsWrongIsCutBeforeTheEntryThatIs() throws IOException {
    SmallLog.write(team.resolve("state"), 2);
    Invocation tooLate = cut("2", "--yes");
    assertEquals(1, tooLate.exitCode());
    assertTrue(tooLate.err().contains("log entry 2 cannot be replayed"), tooLate.err());
    assertTrue(tooLate.err().contains("That entry is wrong, too"), tooLate.err());
    Invocation done = cut("1", "--yes", "--json");
    assertEquals(0, done.exitCode(), done.err());
    assertEquals(1, entries());
    String trace = JSON.readTree(done.out()).path("trace").asText();
    JsonNode replayed = JSON.readTree(Invocation.of("replay", trace, "--json").out());
    assertEquals(2, replayed.path("mismatch").path("log_index").asLong(), replayed::toString);
  }

  @Test
  void anInterruptedCutIsFinishedAndNoOtherIsBegun() throws IOException {
    SmallLog.write(team.resolve("state"));
    Files.writeString(team.resolve("state/cut.unfinished"), "1\n");
    Invocation other = cut("2", "--yes");
    assertEquals(UserError.USAGE, other.exitCode());
    assertTrue(other.err().contains("a cut after entry 1 was interrupted"), other.err());
    assertEquals(0, cut("1", "--yes").exitCode());
    assertEquals(1, entries());
    assertFalse(Files.exists(team.resolve("state/cut.unfinished")));
  }

  @Test
  void indexesThatMakeNoSenseAreRefused() throws IOException {
    SmallLog.write(team.resolve("state"));
    for (String index : List.of("0", "-1", "3", "4", "9223372036854775807", "one")) {
      assertEquals(UserError.USAGE, cut(index, "--yes").exitCode(), index);
    }
    assertEquals(3, entries());
  }

  @Test
  void aLeaderThatRunsIsLeftAlone() throws IOException {
    SmallLog.write(team.resolve("state"));
    try (StateLock _ = StateLock.acquire(team.resolve("state"), "the leader of team")) {
      Invocation refused = cut("1", "--yes");
      assertEquals(1, refused.exitCode());
      assertTrue(refused.err().contains("is in use by the leader of team"), refused.err());
    }
    assertEquals(3, entries());
  }

  @Test
  void anotherFileIsNotOverwritten() throws IOException {
    SmallLog.write(team.resolve("state"));
    Path mine = Files.writeString(directory.resolve("mine"), "mine");
    Invocation refused = cut("1", "--yes", "--out", mine.toString());
    assertEquals(1, refused.exitCode());
    assertEquals("mine", Files.readString(mine));
    assertEquals(3, entries());
    assertEquals(0, cut("1", "--yes", "--out", directory.resolve("new").toString()).exitCode());
    assertTrue(Files.exists(directory.resolve("new")));
  }

  @Test
  void anotherUnfinishedFileIsNotDeleted() throws IOException {
    SmallLog.write(team.resolve("state"));
    Path mine = Files.writeString(directory.resolve("new.unfinished"), "mine");
    Invocation refused = cut("1", "--yes", "--out", directory.resolve("new").toString());
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains(mine + " exists; nothing was changed"), refused.err());
    assertEquals("mine", Files.readString(mine));
    assertEquals(3, entries());
  }

  @Test
  void aLogWhoseChunksAreMissingIsCutWithoutATrace() throws IOException {
    SmallLog.write(team.resolve("state"));
    DurableFiles.deleteTree(team.resolve("state/chunks"));
    Invocation refused = cut("1", "--yes");
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("and was not cut: chunk "), refused.err());
    assertTrue(refused.err().contains("--no-trace"), refused.err());
    assertFalse(Files.exists(team.resolve("state/cut/after-1")));
    assertEquals(UserError.USAGE, cut("1", "--no-trace", "--out", "/x").exitCode());
    Invocation done = cut("1", "--no-trace", "--yes", "--json");
    assertEquals(0, done.exitCode(), done.err());
    JsonNode tree = JSON.readTree(done.out());
    assertTrue(tree.path("trace").isNull(), tree::toString);
    assertEquals(1, entries());
    try (Stream<Path> kept = Files.list(Path.of(tree.path("segments").asText()))) {
      assertEquals(1, kept.count(), "the segment that had all three");
    }
  }

  /** The entries that stay are as right as before; content of theirs is not there any more. */
  @Test
  void aCutBehindACollectionSaysWhatIsLostAndLeavesALogThatIsStartedFrom() throws IOException {
    Path state = team.resolve("state");
    SmallLog.write(state);
    DurableFiles.deleteTree(state.resolve("chunks"));
    CollectedFile.open(state, List.of()).raise(3);
    Files.createDirectories(state.resolve("snapshots"));
    for (long index = 1; index <= 3; index++) { // not one of them can be read
      Files.writeString(state.resolve("snapshots/0000000000000000000" + index + ".snapshot"), "?");
    }
    JsonNode dry = JSON.readTree(cut("2", "--no-trace", "--json").out());
    assertEquals(0, dry.path("bytes_without_content").asLong(), "it is in the entry");
    assertEquals(0, cut("2", "--no-trace", "--yes").exitCode());
    assertEquals(2, entries());
    assertEquals(2, CollectedFile.read(state), "the log has no more");
    try (Stream<Path> left = Files.list(state.resolve("snapshots"))) {
      assertEquals(2, left.count());
    }
  }

  /** An older copy of the log was put in its place on purpose, and the rest is newer. */
  @Test
  void aLogThatIsOlderThanTheRestIsMadeToFit() throws IOException {
    Path state = team.resolve("state");
    SmallLog.write(state);
    assertEquals(UserError.USAGE, cut("3", "--yes").exitCode(), "it fits");
    CollectedFile.open(state, List.of()).raise(9);
    DurableFiles.deleteTree(state.resolve("chunks"));
    JsonNode tree = JSON.readTree(cut("3", "--no-trace", "--yes", "--json").out());
    assertEquals(0, tree.path("entries_cut").asLong(), tree::toString);
    assertEquals(1, tree.path("files_without_content").asLong(), tree::toString);
    assertEquals(10_000, tree.path("bytes_without_content").asLong(), tree::toString);
    Invocation check = Invocation.of("trace", "--dir", team.toString(), "--check");
    assertTrue(check.out().startsWith("All 3 entries lead to the roots"), check.err());
    assertEquals(3, CollectedFile.read(state));
  }

  /** Nobody knows what was collected, and there is no snapshot: the cut begins a new mark. */
  @Test
  void aDamagedMarkOfACollectionIsWrittenAnewBehindTheLastEntry() throws IOException {
    Path state = team.resolve("state");
    SmallLog.write(state);
    CollectedFile.open(state, List.of()).raise(3);
    Files.write(state.resolve("collected"), new byte[100]);
    Invocation check = Invocation.of("trace", "--dir", team.toString(), "--check");
    assertEquals(1, check.exitCode(), check.out());
    Invocation done = cut("3", "--no-trace", "--yes");
    assertEquals(0, done.exitCode(), done.err());
    assertEquals(3, CollectedFile.read(state));
    assertEquals(3, entries());
  }

  @Test
  void whatWasBegunGoesOnWithTheTraceThatItHas() throws IOException {
    SmallLog.write(team.resolve("state"));
    Path trace = Files.writeString(directory.resolve("whole"), "the whole log");
    Files.writeString(
        team.resolve("state/cut.unfinished"),
        "hypersync cut 2\nafter 1\nsegments cut/mine\ntrace " + trace.toUri() + "\n");
    Invocation done = cut("1", "--yes", "--json", "--out", trace.toString());
    assertEquals(0, done.exitCode(), done.err());
    JsonNode tree = JSON.readTree(done.out());
    assertEquals(trace.toString(), tree.path("trace").asText());
    assertEquals(team.resolve("state/cut/mine").toString(), tree.path("segments").asText());
    assertEquals("the whole log", Files.readString(trace));
    try (Stream<Path> kept = Files.list(team.resolve("state/cut"))) {
      assertEquals(List.of(team.resolve("state/cut/mine")), kept.toList());
    }
    assertEquals(1, entries());
  }

  @Test
  void noLeaderStartsOnACutThatIsUnfinished() throws IOException {
    SmallLog.write(team.resolve("state"));
    Files.writeString(team.resolve("state/cut.unfinished"), "1\n");
    Invocation refused = Invocation.ofLeaderThatMustNotStart(team);
    assertEquals(1, refused.exitCode(), refused.err());
    assertTrue(
        refused.err().contains("a cut of the log after entry 1 was interrupted"), refused.err());
    assertTrue(
        refused.err().contains("./hypersync cut-log --dir <workspace folder> --after 1 --yes"),
        refused.err());
    assertEquals(0, cut("1", "--yes").exitCode());
  }

  @Test
  void theStateOfAnotherUserIsLeftAlone() throws IOException {
    assumeTrue(FileProblems.isRoot());
    Path state = team.resolve("state");
    SmallLog.write(state);
    Files.deleteIfExists(state.resolve("LOCK"));
    Files.setAttribute(state, "unix:uid", 12345);
    for (Invocation refused : List.of(cut("1"), cut("1", "--yes"))) {
      assertEquals(1, refused.exitCode());
      assertTrue(refused.err().contains("belongs to another user: "), refused.err());
    }
    assertFalse(Files.exists(state.resolve("LOCK")), "nothing of root's was made in it");
    Files.setAttribute(state, "unix:uid", 0);
    assertEquals(3, entries());
  }

  private Invocation cut(String after, String... more) {
    List<String> args = new ArrayList<>();
    args.addAll(List.of("cut-log", "--dir", team.toString(), "--after", after));
    args.addAll(List.of(more));
    return Invocation.of(args.toArray(new String[0]));
  }

  /** Returns the number of log entries, counted by a trace. */
  private long entries() throws IOException {
    Path out = directory.resolve("look.trace");
    Files.deleteIfExists(out);
    Invocation trace =
        Invocation.of("trace", "--dir", team.toString(), "--out", out.toString(), "--json");
    assertEquals(0, trace.exitCode(), trace.err());
    return JSON.readTree(trace.out()).path("entries").asLong();
  }
}
