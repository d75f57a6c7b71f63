package io.hypersync.cli.command;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.render.BackupReport;
import io.hypersync.fixtures.States;
import io.hypersync.leader.archive.BackupDirectory;
import io.hypersync.leader.archive.BackupLabel;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code backup}, as far as it needs no leader, and {@code init --from}. */
class BackupCommandTest {
  private static final WorkspaceId OLD = new WorkspaceId(1, 2);
  private static final ObjectMapper JSON = new ObjectMapper();

  @TempDir private Path folder;

  private String backup() {
    return folder.resolve("backup").toString();
  }

  /** A backup with states of a file, each with one more byte; the first one is called first. */
  private void makeBackup(int states, boolean withChunks) throws IOException {
    BackupLabel label = new BackupLabel(OLD, "team", Instant.EPOCH);
    try (BackupDirectory backup = BackupDirectory.openToWrite(Path.of(backup()), label)) {
      NodeId file = new NodeId(9, 1);
      FsState state =
          States.after(
              FsState.genesis(),
              new FsOp.CreateFile(FsState.ROOT, Name.of("f"), 0644, 0, 0),
              1,
              file);
      for (int i = 1; i <= states; i++) {
        byte[] content = "x".repeat(i).getBytes(StandardCharsets.UTF_8);
        ChunkRef ref = new ChunkRef(Blake3.hash(content), i);
        if (withChunks) {
          backup.chunks().put(ref.hash(), content);
        }
        FsOp write = new FsOp.Write(file, WriteMode.PWRITE, 0, List.of(ref), false);
        state = States.after(state, write, i + 1, file);
        Manifest manifest = new Manifest(OLD, i + 1, i + 1, StateWeight.of(state), state);
        SnapshotTask task =
            new SnapshotTask(
                manifest,
                i == 1 ? "first" : "",
                0,
                backup.chunks(),
                backup.catalog(),
                RateLimit.NONE,
                SnapshotReader.cache(backup.chunks(), Long.MAX_VALUE, true));
        while (task.step()) {}
      }
    }
  }

  @Test
  void whatABackupHasIsListed() throws Exception {
    makeBackup(2, true);
    Invocation text = Invocation.of("backup", "--list", backup());
    assertEquals(0, text.exitCode(), text.err());
    assertEquals(
        """
        Workspace team (00000000000000010000000000000002), backed up since 1970-01-01T00:00:00Z
        INDEX  TAKEN AT              LAST CHANGE           NAME   NODES  BYTES  COPIED
            2  1970-01-01T00:00:00Z  1970-01-01T00:00:00Z  first      2    1 B     0 B
            3  1970-01-01T00:00:00Z  1970-01-01T00:00:00Z             2    2 B     0 B
        """,
        text.out());
    JsonNode tree = JSON.readTree(Invocation.of("backup", "--list", backup(), "--json").out());
    assertEquals(OLD.toString(), tree.path("workspace").asText());
    assertEquals("first", tree.at("/states/0/name").asText());
    assertEquals(3, tree.at("/states/1/index").asLong());
  }

  @Test
  void aRecordThatIsDamagedIsListedAsThatAndNotLeftOut() throws Exception {
    makeBackup(2, true);
    Path record = folder.resolve("backup/snapshots/00000000000000000003.snapshot");
    byte[] bytes = Files.readAllBytes(record);
    bytes[bytes.length - 1] ^= 1;
    Files.write(record, bytes);
    Invocation list = Invocation.of("backup", "--list", backup());
    assertEquals(0, list.exitCode());
    assertTrue(list.out().contains("The record of the state of entry 3 is damaged."), list.out());
    assertEquals(3, Invocation.of("backup", "--verify", backup()).exitCode());
    Invocation init = Invocation.of("init", folder + "/new", "--from", backup());
    assertEquals(1, init.exitCode());
    assertTrue(init.err().contains("the record of the newest state, of entry 3"), init.err());
    assertFalse(Files.exists(folder.resolve("new")), "nothing was begun");
    Invocation older = Invocation.of("init", folder + "/new", "--from", backup(), "--at", "2");
    assertEquals(0, older.exitCode(), older.err());
  }

  @Test
  void aWholeBackupIsSaidToBeSo() throws Exception {
    makeBackup(2, true);
    Invocation verified = Invocation.of("backup", "--verify", backup());
    assertEquals(0, verified.exitCode(), verified.err());
    assertTrue(
        verified.out().endsWith("2 states: 2 chunks and 0 pages read, 3 B\nall is well\n"),
        verified.out());
  }

  @Test
  void whatIsMissingIsNamedAndNoWorkspaceBeginsWithIt() throws Exception {
    makeBackup(1, false);
    String hash = Blake3.hash("x".getBytes(StandardCharsets.UTF_8)).toString();
    Invocation verified = Invocation.of("backup", backup(), "--verify", "--json");
    assertEquals(3, verified.exitCode());
    JsonNode tree = JSON.readTree(verified.out());
    assertEquals(1, tree.path("bad").asLong());
    assertEquals(hash, tree.at("/bad_items/0/hash").asText());
    assertEquals("chunk", tree.at("/bad_items/0/kind").asText());
    String text = Invocation.of("backup", backup(), "--verify").out();
    assertTrue(text.contains("--repair"), text);
    Invocation init = Invocation.of("init", folder + "/new", "--from", backup());
    assertEquals(1, init.exitCode());
    assertTrue(init.err().contains("is not whole: chunk " + hash + " is missing"), init.err());
    Invocation open = Invocation.of("leader", "--dir", folder + "/new");
    assertTrue(open.err().contains("init was interrupted there"), open.err());
    assertEquals(0, Invocation.of("init", folder + "/new").exitCode(), "it can be repeated");
  }

  @Test
  void aWorkspaceThatBeginsWithABackupIsAnotherOne() throws Exception {
    makeBackup(2, true);
    Invocation init =
        Invocation.of("init", folder + "/new", "--from", backup(), "--at", "first", "--json");
    assertEquals(0, init.exitCode(), init.err());
    JsonNode tree = JSON.readTree(init.out());
    assertNotEquals(OLD.toString(), tree.path("workspace").asText());
    assertEquals(OLD.toString(), tree.at("/restored/workspace").asText());
    assertEquals(2, tree.at("/restored/index").asLong());
    assertTrue(
        JSON.readTree(Invocation.of("init", folder + "/e", "--json").out())
            .path("restored")
            .isNull());
    Invocation text = Invocation.of("init", folder + "/third", "--from", backup());
    assertTrue(text.out().contains("It begins with entry 3 of team"), text.out());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "backup",
        "backup --list",
        "backup --list --verify x",
        "backup --list x --at 3",
        "backup --status x",
        "backup --verify x --repair",
        "backup --list .",
        "init x --at 3"
      })
  void whatMakesNoSenseIsRefused(String line) {
    Invocation refused = Invocation.of(line.split(" ", -1));
    assertEquals(UserError.USAGE, refused.exitCode(), refused.err());
  }

  @Test
  void withoutALeaderItSaysSo() {
    Invocation refused = Invocation.of("backup", backup(), "--run-dir", folder.toString());
    assertEquals(1, refused.exitCode());
    assertTrue(refused.err().contains("no leader runs on this machine"), refused.err());
    assertFalse(Files.exists(Path.of(backup())));
  }

  @Test
  void aBackupThatIsOverIsALine() throws Exception {
    JsonNode run = run(1, "null");
    assertSame(run, BackupCommand.succeeded(run));
    assertEquals(
        "Backed up entry 9 into /b\\x1b: 1,000 chunks and 20 pages, of which 12 copied, 1.0 MiB,"
            + " in 1s\n",
        BackupReport.done(run));
    UserError failed =
        assertThrows(UserError.class, () -> BackupCommand.succeeded(run(1, "\"no room\"")));
    assertEquals("the backup was given up: no room", failed.message());
    assertEquals("make room", failed.hint());
  }

  @Test
  void whatTheLeaderDoesIsShown() throws Exception {
    assertEquals(
        "No backup was made since the leader started.\n",
        BackupReport.status(JSON.readTree("{\"current\": null, \"runs\": []}")));
    String text =
        BackupReport.status(
            JSON.readTree(
                "{\"current\": %s, \"runs\": [%s, %s]}"
                    .formatted(run(3, "null"), run(1, "\"no room\""), run(2, "null"))));
    assertTrue(text.startsWith("A backup into /b\\x1b is under way: entry 9: 1,000 chunks"), text);
    assertTrue(text.contains("\nA backup into /b\\x1b was given up: no room\n"), text);
    assertTrue(text.contains("\nBacked up entry 9 into"), text);
  }

  private static JsonNode run(int number, String failure) throws JsonProcessingException {
    return JSON.readTree(
        """
        {"number": %d, "dir": "/b\\u001b", "index": 9, "failure": %s, "hint": "make room",
         "chunks": 1000, "pages": 20, "copied_chunks": 10, "copied_pages": 2,
         "copied_bytes": 1048576, "took_ms": 1000}
        """
            .formatted(number, failure));
  }
}
