package io.hypersync.leader.backup;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.backup.StateCopy.SourceException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateChunks;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotReader;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What a backup's catalog has is complete, whatever happens; and what is there is not copied. */
class BackupTaskTest {
  private static final int MANY = 1_500;

  private final FailingStore leader = new FailingStore();
  private final FailingStore backup = new FailingStore();
  private final ListedStates catalog = new ListedStates();
  private final ChangingTree tree = new ChangingTree(leader);
  private long spent;

  private BackupTask task(Snapshot snapshot, StateCopy.Trust trust) throws Exception {
    StateCopy copy =
        new StateCopy(
            snapshot.manifest(),
            ChangingTree.WORKSPACE,
            leader,
            backup,
            trust,
            bytes -> spent += bytes,
            10_000,
            10_000);
    return new BackupTask(snapshot, copy, backup, catalog);
  }

  private BackupTask backUp(Snapshot snapshot) throws Exception {
    return finished(task(snapshot, StateCopy.Trust.INDEX));
  }

  private static BackupTask finished(BackupTask task) throws Exception {
    while (task.step()) {}
    return task;
  }

  /** Every page, every hash, and every chunk of the state is in the backup alone. */
  private void requireWhole(Snapshot snapshot, FsState state) throws Exception {
    Manifest read = SnapshotReader.verify(snapshot, backup, ChangingTree.WORKSPACE);
    assertEquals(state.root(), read.state().root());
    Set<Hash> chunks = new HashSet<>();
    for (Node node : read.state().nodes()) {
      StateChunks.forEach(node, chunks::add);
    }
    for (Hash chunk : chunks) {
      assertTrue(backup.getVerified(chunk) != null, "chunk " + chunk);
    }
  }

  @Test
  void aBackupHasEverythingAndIsPublishedWhenItIsDurable() throws Exception {
    tree.files("f", MANY);
    Hash value = tree.attribute("f3", "a value");
    Snapshot snapshot = tree.snapshot("first");
    BackupTask task = task(snapshot, StateCopy.Trust.INDEX);
    while (task.step()) {
      assertEquals(List.of(), catalog.list());
    }
    assertEquals(Set.of(), backup.unsynced);
    assertEquals(1, catalog.list().size());
    Snapshot published = catalog.list().getFirst();
    assertEquals(snapshot.hash(), published.hash());
    assertEquals("first", published.name());
    requireWhole(published, tree.state());
    assertTrue(backup.contains(value));
    CopyProgress progress = task.progress();
    assertEquals(MANY + 1, progress.chunks());
    assertEquals(progress.chunks(), progress.copiedChunks());
    assertEquals(progress.pages(), progress.copiedPages());
    assertEquals(progress.copiedBytes(), published.bytes());
    assertTrue(progress.pages() > 20, progress::toString);
    assertEquals(progress.chunks() + progress.pages(), backup.put.size());
    assertTrue(spent >= progress.copiedBytes(), "the rate is asked for");
  }

  @Test
  void aSecondBackupCopiesOnlyWhatIsNew() throws Exception {
    tree.files("f", MANY);
    FsState before = tree.state();
    Snapshot first = backUp(tree.snapshot("")).result();
    backup.put.clear();
    Hash changed = tree.file("f7", "another content");
    BackupTask second = backUp(tree.snapshot(""));
    CopyProgress progress = second.progress();
    assertEquals(1, progress.copiedChunks(), progress::toString);
    assertTrue(progress.copiedPages() < 20, progress::toString);
    assertTrue(backup.put.contains(changed));
    assertEquals(1 + progress.copiedPages(), backup.put.size());
    requireWhole(first, before);
    requireWhole(second.result(), tree.state());
    backup.put.clear();
    backUp(tree.snapshot(""));
    assertEquals(List.of(), backup.put, "the same state costs nothing");
  }

  @Test
  void interruptedAnywhereItPublishesNothingAndTheNextOneGoesOn() throws Exception {
    tree.files("f", 400);
    Snapshot snapshot = tree.snapshot("");
    int steps = 0;
    for (BackupTask whole = task(snapshot, StateCopy.Trust.INDEX); whole.step(); steps++) {}
    for (int stop = 0; stop <= steps; stop += Math.max(1, (steps - stop) / 40)) {
      FailingStore fresh = new FailingStore();
      ListedStates states = new ListedStates();
      BackupTask cut = into(snapshot, fresh, states);
      for (int i = 0; i < stop; i++) {
        assertTrue(cut.step());
      }
      assertEquals(List.of(), states.list(), "after " + stop + " steps");
      for (Hash unsynced : List.copyOf(fresh.unsynced)) {
        fresh.lost.add(unsynced); // as after a power cut
      }
      BackupTask next = finished(into(snapshot, fresh, states));
      assertEquals(1, states.list().size());
      for (Hash hash : fresh.put) {
        assertTrue(fresh.getVerified(hash) != null, "after " + stop + " steps: " + hash);
      }
      CopyProgress progress = next.progress();
      assertEquals(
          progress.chunks() + progress.pages(),
          new HashSet<>(fresh.put).size(),
          "after " + stop + " steps");
    }
  }

  private BackupTask into(Snapshot snapshot, FailingStore store, ListedStates states)
      throws Exception {
    StateCopy copy =
        new StateCopy(
            snapshot.manifest(),
            ChangingTree.WORKSPACE,
            leader,
            store,
            StateCopy.Trust.INDEX,
            _ -> {},
            10_000,
            10_000);
    return new BackupTask(snapshot, copy, store, states);
  }

  @Test
  void whatTheLeaderDoesNotHaveWholeIsNamedAndNothingIsPublished() throws Exception {
    tree.files("f", MANY);
    Hash chunk = tree.file("f9", "this one");
    Hash value = tree.attribute("f10", "a value");
    Snapshot snapshot = tree.snapshot("");
    for (Hash bad : List.of(chunk, value)) {
      leader.rotten.add(bad);
      requireRefused(snapshot, "chunk " + bad + " cannot be read: it is damaged");
      leader.rotten.clear();
      leader.lost.add(bad);
      requireRefused(snapshot, "chunk " + bad + " is missing");
      leader.lost.clear();
    }
    BackupTask whole = backUp(snapshot);
    Hash page =
        backup.put.stream().filter(hash -> isPage(snapshot, hash)).findFirst().orElseThrow();
    catalog.setAside();
    leader.rotten.add(page);
    requireRefused(snapshot, "page " + page + " cannot be read: it is damaged");
    assertTrue(whole.progress().pages() > 0);
  }

  private void requireRefused(Snapshot snapshot, String why) throws Exception {
    BackupTask task = task(snapshot, StateCopy.Trust.INDEX);
    SourceException refused = assertThrows(SourceException.class, () -> finished(task));
    assertEquals(why, refused.getMessage());
    assertEquals(List.of(), catalog.list());
  }

  private static boolean isPage(Snapshot snapshot, Hash hash) {
    String hex = hash.toString();
    StringBuilder manifest = new StringBuilder();
    for (byte each : snapshot.manifest()) {
      manifest.append(String.format("%02x", each));
    }
    return manifest.indexOf(hex) >= 0; // the manifest refers to the topmost page
  }

  @Test
  void aFullDiskEndsItAndWithRoomItGoesOn() throws Exception {
    tree.files("f", MANY);
    Snapshot snapshot = tree.snapshot("");
    backup.room = 500;
    ChunkStoreException full = assertThrows(ChunkStoreException.class, () -> backUp(snapshot));
    assertEquals(Errno.ENOSPC, full.errno());
    assertEquals(List.of(), catalog.list());
    backup.room = Long.MAX_VALUE;
    BackupTask next = backUp(snapshot);
    CopyProgress progress = next.progress();
    assertEquals(
        progress.chunks() + progress.pages() - 500,
        progress.copiedChunks() + progress.copiedPages());
    requireWhole(next.result(), tree.state());
  }

  @Test
  void whatCannotBeSyncedIsNotPublished() throws Exception {
    tree.files("f", 10);
    Snapshot snapshot = tree.snapshot("");
    backup.syncFails = true;
    assertThrows(ChunkStoreException.class, () -> backUp(snapshot));
    assertEquals(List.of(), catalog.list());
  }

  @Test
  void whatHasRottenInTheBackupIsCopiedAgainWhenItIsRead() throws Exception {
    tree.files("f", MANY);
    Hash chunk = tree.file("f9", "this one");
    Snapshot snapshot = tree.snapshot("");
    var _ = backUp(snapshot);
    backup.rotten.add(chunk);
    backup.put.clear();
    assertEquals(0, backUp(snapshot).progress().copiedChunks(), "it is not looked at");
    BackupTask repair = finished(task(snapshot, StateCopy.Trust.CONTENT));
    assertEquals(List.of(chunk), backup.put);
    requireWhole(repair.result(), tree.state());
  }

  @Test
  void aManifestOfAnotherWorkspaceIsRefused() throws Exception {
    tree.files("f", 3);
    Snapshot snapshot = tree.snapshot("");
    byte[] moved = Manifest.inWorkspace(snapshot.manifest(), new WorkspaceId(3, 4));
    Snapshot other = new Snapshot(snapshot.index(), 0, 0, 0, false, "", moved);
    assertThrows(Exception.class, () -> task(other, StateCopy.Trust.INDEX));
    assertEquals(
        tree.state().root(),
        SnapshotReader.verify(other, leader, new WorkspaceId(3, 4)).state().root(),
        "only its workspace differs");
  }

  @Test
  void howLargeAStateIsTheManifestSays() throws Exception {
    tree.files("f", MANY);
    Snapshot many = tree.snapshot("");
    assertEquals(tree.state().nodes().size(), Manifest.size(many.manifest()).nodes());
    assertEquals(tree.state().allocated(), Manifest.size(many.manifest()).allocatedBytes());
    ChangingTree small = new ChangingTree(leader);
    small.files("g", 2);
    assertEquals(3, Manifest.size(small.snapshot("").manifest()).nodes());
  }
}
