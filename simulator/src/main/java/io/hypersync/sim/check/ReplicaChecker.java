package io.hypersync.sim.check;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.worker.replica.IndexedState;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks that a worker's state is S_k of the durable log, that k grows by one at a time, and that
 * every chunk of an applied entry is present (hypersync.md 22.1(2), (4)), unless the leader has
 * said that it may have collected it.
 */
public final class ReplicaChecker {
  private final String worker;
  private LogChecker log;
  private final SimChunkStore chunks;
  private final Set<Hash> lost = new HashSet<>();
  private long applied;
  private long collectedThrough;

  /**
   * Creates the checker of one run of a worker.
   *
   * @param start the entry that the worker's replica begins with; 0 for an empty one
   */
  public ReplicaChecker(String worker, LogChecker log, SimChunkStore chunks, long start) {
    this.worker = worker;
    this.log = log;
    this.chunks = chunks;
    this.applied = start;
  }

  /** Another leader has taken over, and welcomes the worker. */
  public void follow(LogChecker next) {
    log = next;
  }

  /** The leader has told the worker that nobody has a chunk. */
  public void lost(Hash chunk) {
    lost.add(chunk);
  }

  /** Whether the worker was told so, and has not got the chunk since. */
  public boolean isLost(Hash chunk) {
    return lost.contains(chunk);
  }

  /** The worker has got a chunk after all. */
  public void found(Hash chunk) {
    lost.remove(chunk);
  }

  /** The leader says that chunks of entries up to this one may be gone. */
  public void collectedThrough(long index) {
    collectedThrough = index;
  }

  /** The worker has applied an entry. */
  public void applied(LogEntry entry) {
    Violation.unless(
        entry.index() == applied + 1,
        worker,
        " applied entry ",
        entry.index(),
        " after entry ",
        applied);
    applied = entry.index();
    if (applied <= collectedThrough) {
      return;
    }
    for (ChunkRef chunk : entry.op().chunks()) {
      if (lost.contains(chunk.hash())) {
        continue; // nobody has it: only those who read it are concerned
      }
      byte[] bytes = chunks.get(chunk.hash());
      Violation.unless(
          chunk.length() == 0 || chunks.wasIntact(chunk.hash()),
          worker,
          " applied entry ",
          applied,
          " without a look at chunk ",
          chunk);
      Violation.unless(
          chunks.isDamaged(chunk.hash()) // damaged since then: readers get it from the leader
              || (bytes != null && Blake3.hash(bytes).equals(chunk.hash())),
          worker,
          " applied entry ",
          applied,
          " without chunk ",
          chunk);
    }
  }

  /** The state of a snapshot has become visible instead of an older one. */
  public void replaced(long before, long after) {
    Violation.unless(
        before == applied && after > before,
        worker,
        " goes on from the snapshot of entry ",
        after,
        " after entry ",
        before,
        ", and has applied ",
        applied);
    applied = after;
  }

  /** Checks the state that readers of the worker see now. */
  public void check(IndexedState visible) {
    Violation.unless(
        visible.index() == applied,
        worker,
        " shows a_i = ",
        visible.index(),
        " after applying ",
        applied);
    Violation.unless(
        visible.index() <= log.index(),
        worker,
        " has applied entry ",
        visible.index(),
        ", the log is durable through ",
        log.index());
    Violation.unless(
        visible.root().equals(log.root(visible.index()))
            && visible.state().root().equals(visible.root()),
        worker,
        " has another root than the log at entry ",
        visible.index());
  }
}
