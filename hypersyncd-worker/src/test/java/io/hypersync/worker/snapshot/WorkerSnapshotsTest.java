package io.hypersync.worker.snapshot;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPort;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.port.WorkerChunks;
import io.hypersync.worker.replica.Replica;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a worker's snapshots are of, and when they end (hypersync.md 13.1). */
class WorkerSnapshotsTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final long INTERVAL_NS = 1_000;

  private final List<Manifest> taken = new ArrayList<>();
  private final List<Long> removed = new ArrayList<>();
  private int setAside;
  private Replica replica = replica(Manifest.genesis(WORKSPACE, RootVersion.LATEST));
  private final WorkerSnapshots snapshots =
      new WorkerSnapshots(
          new SnapshotManager(
              port(), WorkerSnapshots.every(INTERVAL_NS), WORKSPACE, List.of(), 0, 0));
  private FsState state = FsState.genesis();
  private long index;

  /** An entry that is not durable at the leader may never be: no start may begin with it. */
  @Test
  void aSnapshotIsOfWhatIsDurableAtTheLeader() throws DecodeException {
    entry();
    FsState durable = state;
    entry();
    replica.apply(10, 1);
    run(INTERVAL_NS);
    Manifest manifest = taken.getFirst();
    assertEquals(1, manifest.index());
    assertEquals(durable.root(), manifest.state().root());
    assertEquals(StateWeight.of(durable), manifest.weight());
    assertTrue(manifest.lastTimeNs() > 0);
  }

  /** What the replica begins with is not taken again; what is behind it is. */
  @Test
  void aReplicaThatBeginsWithASnapshotGoesOnBehindIt() throws DecodeException {
    entry();
    replica.apply(10, 1);
    Manifest first = replica.manifest(WORKSPACE);
    replica = replica(first);
    assertEquals(1, replica.received());
    assertEquals(first, replica.manifest(WORKSPACE));
    entry();
    replica.apply(10, 2);
    assertNull(replica.failure());
    assertEquals(2, replica.applied().index());
    assertEquals(state.root(), replica.applied().root());
    assertEquals(StateWeight.of(state), replica.manifest(WORKSPACE).weight());
  }

  /** Memory may change under a node whose hash was computed before. */
  @Test
  void aStateThatGivesAnotherRootThanTheLogIsSuspect() throws DecodeException {
    entry();
    replica.apply(10, 1);
    assertFalse(replica.isStateSuspect());
    Manifest right = replica.manifest(WORKSPACE);
    FsOp other = new FsOp.SetAttributes(FsState.ROOT, FsOp.SetAttributes.UID, 0, 7, 7, 0);
    FsState wrong = States.after(right.state(), other, 1, LogEntry.NO_NODE);
    replica = replica(new Manifest(WORKSPACE, 1, right.lastTimeNs(), right.weight(), wrong));
    entry();
    replica.apply(10, 2);
    assertTrue(replica.isStateSuspect());
    assertEquals(1, replica.applied().index());
  }

  @Test
  void theLastOneIsTakenOfWhatIsNew() throws DecodeException {
    assertNull(snapshots.last(replica));
    entry();
    replica.apply(10, 1);
    assertNotNull(snapshots.last(replica));
    run(INTERVAL_NS);
    assertNull(snapshots.last(replica));
  }

  /** Otherwise each start would begin with it, and be refused. */
  @Test
  void aHistoryThatIsNotTheLeadersLeavesNoSnapshot() throws DecodeException {
    entry();
    replica.apply(10, 1);
    run(INTERVAL_NS);
    entry();
    replica.apply(10, 2);
    snapshots.distrust("another history", 2 * INTERVAL_NS);
    snapshots.distrust("another history", 2 * INTERVAL_NS);
    assertTrue(snapshots.tick(replica, 2 * INTERVAL_NS));
    snapshots.manager().setAside();
    for (int i = 3; i < 9; i++) {
      assertFalse(snapshots.tick(replica, i * INTERVAL_NS));
    }
    assertEquals(1, setAside);
    assertEquals(List.of(), removed);
    assertEquals(1, taken.size());
    assertNull(snapshots.last(replica));
  }

  private void run(long nowNs) {
    assertTrue(snapshots.tick(replica, nowNs)); // decides
    assertTrue(snapshots.tick(replica, nowNs)); // has it taken
    snapshots
        .manager()
        .taken(new Snapshot(taken.getLast().index(), 0, 0, 0, false, "", new byte[0]), nowNs);
  }

  private void entry() throws DecodeException {
    FsOp op =
        new FsOp.SetAttributes(FsState.ROOT, FsOp.SetAttributes.MODE, 0700 + (int) index, 0, 0, 0);
    index++;
    state = States.after(state, op, index, LogEntry.NO_NODE);
    var _ = replica.offer(List.of(Entries.of(index, op).root(state.root()).encoded()));
  }

  private static Replica replica(Manifest start) {
    return new Replica(
        new NoChunks(),
        (_, _, _) -> () -> {},
        start,
        Long.MAX_VALUE,
        DirtyMemory.ofEverything(),
        RestoredStates.NONE);
  }

  private SnapshotPort port() {
    return new SnapshotPort() {
      @Override
      public void take(Manifest manifest, long after, String name) {
        taken.add(manifest);
      }

      @Override
      public void measure(Manifest newest) {
        snapshots.manager().weighed();
      }

      @Override
      public void change(Snapshot snapshot) {
        throw new AssertionError("nobody asked for a change");
      }

      @Override
      public void remove(long gone) {
        removed.add(gone);
      }

      @Override
      public void setAside() {
        setAside++;
      }
    };
  }

  private static final class NoChunks implements WorkerChunks {
    @Override
    public Presence presence(Hash hash) {
      return Presence.MISSING;
    }

    @Override
    public void verify(ChunkRef chunk) {}

    @Override
    public void read(Hash hash) {}

    @Override
    public void storeInline(List<ChunkRef> chunks, byte[] payload) {}

    @Override
    public void ingest(Hash hash, byte[] bytes) {}

    @Override
    public void decode(ReceivedBlock block) {}
  }
}
