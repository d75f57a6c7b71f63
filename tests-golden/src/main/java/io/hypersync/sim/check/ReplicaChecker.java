package io.hypersync.sim.check;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.disk.SimChunkStore;
import io.hypersync.worker.replica.Published;

/**
 * A worker's state is S_k of the durable log, and k grows by ones, with every chunk in place
 * (hypersync.md 22.1(2), (4)).
 */
public final class ReplicaChecker {
  private final String worker;
  private final LogChecker log;
  private final SimChunkStore chunks;
  private long applied;

  /** A worker that starts from nothing. */
  public ReplicaChecker(String worker, LogChecker log, SimChunkStore chunks) {
    this.worker = worker;
    this.log = log;
    this.chunks = chunks;
  }

  /** An entry has been applied. */
  public void applied(LogEntry entry) {
    Violation.unless(
        entry.index() == applied + 1,
        worker,
        " applied entry ",
        entry.index(),
        " after entry ",
        applied);
    applied = entry.index();
    for (ChunkRef chunk : entry.op().chunks()) {
      byte[] bytes = chunks.get(chunk.hash());
      Violation.unless(
          chunk.length() == 0 || chunks.wasIntact(chunk.hash()),
          worker,
          " applied entry ",
          applied,
          " without a look at chunk ",
          chunk);
      Violation.unless(
          chunks.isDamaged(chunk.hash()) // since then: readers get it from the leader
              || (bytes != null && Blake3.hash(bytes).equals(chunk.hash())),
          worker,
          " applied entry ",
          applied,
          " without chunk ",
          chunk);
    }
  }

  /** This is what readers see now. */
  public void check(Published published) {
    Violation.unless(
        published.index() == applied,
        worker,
        " publishes a_i = ",
        published.index(),
        " after applying ",
        applied);
    Violation.unless(
        published.index() <= log.index(),
        worker,
        " has applied entry ",
        published.index(),
        ", the log is durable through ",
        log.index());
    Violation.unless(
        published.root().equals(log.root(published.index()))
            && published.state().root().equals(published.root()),
        worker,
        " has another root than the log at entry ",
        published.index());
  }
}
