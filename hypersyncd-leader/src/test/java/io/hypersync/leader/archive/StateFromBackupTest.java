package io.hypersync.leader.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.database.DatabaseOptions;
import io.hypersync.chunkstore.database.RocksDatabase;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.backup.BackupTask;
import io.hypersync.leader.backup.ChangingTree;
import io.hypersync.leader.backup.StateCopy;
import io.hypersync.leader.oplog.CommittedBatch;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.chronicle.ChronicleOpLog;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.recovery.LogReplay;
import io.hypersync.leader.recovery.ReplayStart;
import io.hypersync.leader.recovery.RootHashing;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.sequencer.IntentStore;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.daemon.Snapshots;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Backups on disk, and leaders that begin with one. */
class StateFromBackupTest {
  private static final WorkspaceId NEW = new WorkspaceId(7, 8);
  private static final BackupLabel LABEL =
      new BackupLabel(ChangingTree.WORKSPACE, "team", Instant.EPOCH);

  @TempDir private Path folder;
  private DiskChunkStore leader;
  private ChangingTree tree;

  @BeforeEach
  void open() {
    leader = DiskChunkStore.open(folder.resolve("leader"), DiskChunkStoreOptions.DEFAULT);
    tree = new ChangingTree(leader);
  }

  @AfterEach
  void close() {
    leader.close();
  }

  private Path directory() {
    return folder.resolve("backup");
  }

  private Snapshot backUp(String name) throws Exception {
    Snapshot snapshot = tree.snapshot(name);
    try (BackupDirectory backup = BackupDirectory.openToWrite(directory(), LABEL)) {
      backup.requireSameHistory(snapshot);
      StateCopy copy =
          new StateCopy(
              snapshot.manifest(),
              ChangingTree.WORKSPACE,
              leader,
              backup.chunks(),
              StateCopy.Trust.INDEX,
              RateLimit.NONE,
              10_000,
              10_000);
      BackupTask task = new BackupTask(snapshot, copy, backup.chunks(), backup.catalog());
      while (task.step()) {}
      return task.result();
    }
  }

  private StateFromBackup.Made restore(Path stateDir, Snapshot state) throws IOException {
    try (BackupDirectory backup = BackupDirectory.open(directory(), "a test")) {
      return new StateFromBackup(backup, state)
          .make(Files.createDirectories(stateDir), NEW, _ -> {});
    }
  }

  /** Starts as a leader does, makes a file, and stops; returns with what it began. */
  private static LeaderState lead(Path stateDir, String file) throws Exception {
    try (DiskChunkStore chunks =
            DiskChunkStore.open(stateDir.resolve("chunks"), DiskChunkStoreOptions.DEFAULT);
        RocksDatabase rows =
            RocksDatabase.open(stateDir.resolve("intents"), new DatabaseOptions(0, 1 << 20))) {
      IntentIndex intents = new IntentIndex(new IntentStore(rows, IntentRetention.DEFAULT), 10);
      Snapshots snapshots =
          Snapshots.read(
              stateDir, NEW, (_, _) -> {}, SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
      Manifest newest = snapshots.newest();
      assertNotNull(newest);
      CollectedFile mark = CollectedFile.open(stateDir, snapshots.catalog().indexes());
      LogReplay replay =
          new LogReplay(
              ReplayStart.of(newest).provenBy(snapshots.known()).collectedThrough(mark.through()),
              chunks,
              intents,
              LogReplay.LONG_RUNS,
              RootHashing.AT_ONCE,
              Long.MAX_VALUE,
              _ -> {});
      try (ChronicleOpLog log =
          ChronicleOpLog.open(
              stateDir.resolve("oplog"), OpLogOptions.DEFAULT, chunks::sync, replay, new Deaf())) {
        LeaderState begun = replay.result();
        assertEquals(begun.index(), log.durableIndex());
        long index = begun.index() + 1;
        FsOp op = new FsOp.CreateFile(FsState.ROOT, Name.of(file), 0644, 0, 0);
        NodeId node = new NodeId(99, index);
        FsState after = States.after(begun.state(), op, index, node);
        Entries entry = Entries.of(index, op).creating(node).root(after.root());
        log.append(index, entry.encoded(), false);
        while (log.durableIndex() < index) {
          Thread.sleep(1);
        }
        assertEquals(newest.index() + 1, log.firstIndex());
        return begun;
      }
    }
  }

  private static final class Deaf implements OpLogListener {
    @Override
    public void onDurable(CommittedBatch batch) {}

    @Override
    public void onFailure(OpLogFailedException failure) {
      throw failure;
    }
  }

  @Test
  void aLeaderBeginsWithTheStateAndGoesOnFromItsEntry() throws Exception {
    tree.files("f", 300);
    Snapshot state = backUp("");
    Hash root = tree.state().root();
    Path stateDir = folder.resolve("state");
    StateFromBackup.Made made = restore(stateDir, state);
    assertEquals(state.index(), made.index());
    assertEquals(root, made.root());
    LeaderState first = lead(stateDir, "one");
    assertEquals(state.index(), first.index());
    assertEquals(root, first.root());
    assertEquals(state.index(), first.intents().through());
    LeaderState second = lead(stateDir, "two");
    assertEquals(state.index() + 1, second.index());
    assertEquals(second.state().root(), second.root());
    assertEquals(state.index() + 2, lead(stateDir, "three").index());
  }

  @Test
  void eachStateOfABackupCanBeBegunWith() throws Exception {
    tree.files("f", 10);
    Hash firstRoot = tree.state().root();
    Snapshot first = backUp("first");
    tree.file("f3", "changed");
    Snapshot second = backUp("");
    BackupDirectory.Contents contents = BackupDirectory.contents(directory());
    assertEquals(2, contents.states().size());
    assertEquals(second.hash(), contents.newest() == null ? null : contents.newest().hash());
    assertEquals(firstRoot, restore(folder.resolve("one"), first).root());
    assertEquals(tree.state().root(), restore(folder.resolve("two"), second).root());
  }

  @Test
  void aDamagedBackupIsRefusedWithWhatIsMissing() throws Exception {
    tree.files("f", 200);
    Hash chunk = tree.file("f9", "zzz this one rots zzz");
    Snapshot state = backUp("");
    rot(directory().resolve("chunks/segments"), "zzz this one rots zzz");
    Path stateDir = folder.resolve("state");
    UserError refused = assertThrows(UserError.class, () -> restore(stateDir, state));
    assertTrue(refused.message().contains("chunk " + chunk), refused.message());
    assertTrue(refused.hint().contains("--verify"), refused.hint());
    assertFalse(Files.exists(stateDir.resolve("snapshots")), "nothing that a start could use");
    try (BackupDirectory backup = BackupDirectory.open(directory(), "a test")) {
      BackupCheck check =
          new BackupCheck(backup.chunks(), ChangingTree.WORKSPACE, backup.contents().states());
      while (check.step()) {}
      BackupCheck.Result result = check.result();
      assertEquals(1, result.bad(), result::toString);
      assertEquals(chunk, result.named().getFirst().hash());
      assertEquals(state.index(), result.named().getFirst().state());
      assertEquals(1, result.states());
      assertTrue(result.chunks() >= 200 && result.pages() > 1, result::toString);
    }
  }

  private static void rot(Path segments, String content) throws IOException {
    int changed = 0;
    try (Stream<Path> files = Files.list(segments)) {
      for (Path file : files.toList()) {
        String text = Files.readString(file, StandardCharsets.ISO_8859_1);
        int at = text.indexOf(content);
        if (at >= 0) {
          try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(at);
            bytes.write('y');
          }
          changed++;
        }
      }
    }
    assertEquals(1, changed);
  }

  @Test
  void aBackupOfAnotherWorkspaceOrOfAnotherHistoryIsRefused() throws Exception {
    tree.files("f", 3);
    Snapshot state = backUp("");
    BackupLabel other = new BackupLabel(NEW, "other", Instant.EPOCH);
    UserError refused =
        assertThrows(UserError.class, () -> BackupDirectory.openToWrite(directory(), other));
    assertTrue(refused.message().contains("another workspace: team"), refused.message());
    ChangingTree cut = new ChangingTree(leader);
    cut.files("g", 3);
    assertEquals(state.index(), cut.index());
    Snapshot same = cut.snapshot("");
    try (BackupDirectory backup = BackupDirectory.openToWrite(directory(), LABEL)) {
      backup.requireSameHistory(state);
      UserError history = assertThrows(UserError.class, () -> backup.requireSameHistory(same));
      assertTrue(history.message().contains("another state of entry"), history.message());
    }
  }

  @Test
  void twoAtOnceAreRefused() throws Exception {
    try (BackupDirectory _ = BackupDirectory.openToWrite(directory(), LABEL)) {
      UserError refused =
          assertThrows(UserError.class, () -> BackupDirectory.openToWrite(directory(), LABEL));
      assertTrue(refused.message().contains("is in use by a backup of"), refused.message());
      assertThrows(UserError.class, () -> BackupDirectory.open(directory(), "a test"));
      assertEquals(List.of(), BackupDirectory.contents(directory()).states());
    }
  }

  @Test
  void aDirectoryWithSomethingElseIsLeftAlone() throws Exception {
    Files.createDirectories(directory());
    Files.writeString(directory().resolve("thesis.txt"), "mine");
    UserError refused =
        assertThrows(UserError.class, () -> BackupDirectory.openToWrite(directory(), LABEL));
    assertTrue(refused.message().contains("it has thesis.txt"), refused.message());
    try (Stream<Path> left = Files.list(directory())) {
      assertEquals(1, left.count());
    }
    assertEquals(
        UserError.USAGE,
        assertThrows(UserError.class, () -> BackupDirectory.open(directory(), "a test"))
            .exitCode());
  }

  /** What a crash may leave of the very first backup. */
  @Test
  void aBeginningThatWasCutOffIsGoneOnWith() throws Exception {
    Files.createDirectories(directory());
    Files.writeString(directory().resolve("LOCK"), "");
    Files.writeString(directory().resolve(".hypersync-backup.1f.tmp"), "hypersync ba");
    tree.files("f", 3);
    assertEquals(tree.state().root(), restore(folder.resolve("one"), backUp("")).root());
  }

  @Test
  void aLabelThatIsDamagedOrOfALaterVersionIsSaid() throws Exception {
    tree.files("f", 3);
    var _ = backUp("");
    Path label = directory().resolve("hypersync-backup");
    String text = Files.readString(label);
    assertEquals(
        "hypersync backup 1\nworkspace "
            + ChangingTree.WORKSPACE
            + "\nname team\nbegun 1970-01-01T00:00:00Z\n",
        text);
    Files.writeString(label, text.replace("backup 1", "backup 2"));
    UserError later = assertThrows(UserError.class, () -> BackupDirectory.contents(directory()));
    assertTrue(later.hint().contains("A later version"), later.hint());
    for (String damaged : List.of("", "hypersync", text.replace("workspace", "workshop"))) {
      Files.writeString(label, damaged);
      assertTrue(
          assertThrows(UserError.class, () -> BackupDirectory.contents(directory()))
              .message()
              .contains("is damaged"));
    }
  }

  @Test
  void aStateIsMeantByNameIndexOrTime() throws Exception {
    tree.file("f", "one");
    Snapshot first = backUp("first");
    tree.file("f", "two");
    Snapshot second = backUp("");
    List<Snapshot> both = BackupDirectory.contents(directory()).states();
    long now = 1_000_000_000_000L;
    assertEquals(first.index(), SnapshotChoice.of(both, "first", now, "").index());
    assertEquals(second.index(), SnapshotChoice.of(both, "" + second.index(), now, "").index());
    assertEquals(second.index(), SnapshotChoice.of(both, "10s", now, "").index());
    UserError between =
        assertThrows(
            UserError.class,
            () -> SnapshotChoice.of(both, "" + (second.index() + 1), now, "list them"));
    assertEquals(
        "there is no snapshot of entry "
            + (second.index() + 1)
            + "; the one before it is that of entry "
            + second.index(),
        between.message());
    assertThrows(UserError.class, () -> SnapshotChoice.of(both, "1970-01-01T00:00:00Z", now, ""));
    assertThrows(UserError.class, () -> SnapshotChoice.of(both, "whatever", now, ""));
  }
}
