package io.hypersync.worker.vfs;

import io.hypersync.fixtures.Entries;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.FsStateMachine;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.Outcome;
import io.hypersync.model.state.Stamp;
import io.hypersync.worker.coherence.Invalidations;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.intents.Mutation;
import io.hypersync.worker.intents.WaitingCall;
import io.hypersync.worker.replica.ChunkRepairs;
import io.hypersync.worker.replica.IndexedState;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;

/** A worker's replica with a fake leader that commits every mutation at once. */
final class TestTree implements Mutations {
  /** Fetches a chunk from the leader; fails with EIO unless a test replaces it. */
  LeadersChunks leadersChunks = (_, _, failed) -> failed.accept(Errno.EIO);

  @FunctionalInterface
  interface LeadersChunks {
    void fetch(ChunkRef chunk, Runnable ready, Consumer<Errno> failed);
  }

  final List<FsOp> ops = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;
  private volatile View view =
      new View(new IndexedState(0, state, state.root()), Invalidations.NONE);
  private boolean writable = true;

  /** Nodes for which {@link #hasLostName} is true. */
  final Set<NodeId> lost = new HashSet<>();

  /** Whether packets have arrived that were not read yet. */
  boolean unread;

  /** Callbacks that wait until they are read. */
  final List<Runnable> looks = new ArrayList<>();

  void readOnly() {
    writable = false;
  }

  /** The view from which the vfs answers. */
  View view() {
    return view;
  }

  /** Marks the effects of a next entry as not cacheable. */
  void changing(Invalidations invalidations) {
    view = new View(view.visible(), invalidations);
  }

  Node node(NodeId id) {
    return Objects.requireNonNull(state.node(id));
  }

  /** Creates a file in the root, as another host does. */
  Node file(String name) {
    return made(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 1000, 1000), name);
  }

  /** Makes a directory in the root, as another host does. */
  Node directory(String name) {
    return made(new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 1000, 1000), name);
  }

  @Override
  public boolean isAwaitingLeader() {
    return false;
  }

  @Override
  public void whenWritable(WaitingCall call, Runnable refused) {
    refused.run();
  }

  @Override
  public int chunkMax() {
    return ChunkRef.MAX_LENGTH;
  }

  @Override
  public boolean isWritable() {
    return writable;
  }

  @Override
  public boolean isFresh() {
    return true;
  }

  @Override
  public boolean hasUnread() {
    return unread;
  }

  @Override
  public void whenRead(Runnable ready) {
    looks.add(ready);
  }

  @Override
  public void whenFresh(WaitingCall call) {
    call.ready().run();
  }

  @Override
  public void whenCurrent(WaitingCall call) {
    call.ready().run();
  }

  @Override
  public boolean hasLostName(NodeId node) {
    return lost.contains(node);
  }

  @Override
  public void whenSettled(long when, Runnable ready) {
    ready.run();
  }

  @Override
  public void submit(Mutation mutation) {
    ops.add(mutation.op());
    LogEntry entry = commit(mutation.op());
    if (entry != null) {
      mutation.completion().committed(entry, state);
    } else {
      mutation.completion().failed(errno(mutation.op()));
    }
  }

  @Override
  public void fsync(NodeId node, WaitingCall call) {
    call.ready().run();
  }

  @Override
  public void fetchAgain(List<ChunkRef> wanted, Runnable ready, Consumer<Errno> failed) {
    ChunkRepairs repairs = new ChunkRepairs(1);
    repairs.add(
        wanted,
        ready,
        failed,
        0,
        all ->
            all.forEach(
                chunk ->
                    leadersChunks.fetch(
                        chunk,
                        () -> repairs.stored(chunk.hash()),
                        errno -> repairs.failed(chunk.hash(), errno))));
  }

  /** No call waits here. */
  @Override
  public void interrupted(RequestId unique, int pid) {}

  private Node made(FsOp op, String name) {
    commit(op);
    return Objects.requireNonNull(state.lookup(node(FsState.ROOT), Name.of(name)));
  }

  /**
   * Commits a mutation of this host or another one; returns null if the state machine refuses it.
   */
  @org.jspecify.annotations.Nullable
  LogEntry commit(FsOp op) {
    FsOp resolved = FsStateMachine.resolve(state, op);
    if (FsStateMachine.apply(state, resolved, stamp()) instanceof Outcome.Applied(FsState next)) {
      Stamp stamp = stamp();
      index++;
      state = next;
      view = new View(new IndexedState(index, state, state.root()), Invalidations.NONE);
      return Entries.of(index, resolved).at(stamp.timeNs()).creating(stamp.newNode()).entry();
    }
    return null;
  }

  private Errno errno(FsOp op) {
    Outcome outcome = FsStateMachine.apply(state, FsStateMachine.resolve(state, op), stamp());
    return outcome instanceof Outcome.Failed(Errno errno) ? errno : Errno.EIO;
  }

  private Stamp stamp() {
    return new Stamp(index + 1, new NodeId(5, index + 1));
  }
}
