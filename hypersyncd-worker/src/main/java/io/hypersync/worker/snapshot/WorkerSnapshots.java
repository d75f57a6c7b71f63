package io.hypersync.worker.snapshot;

import io.hypersync.model.snapshot.Manifest;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.worker.replica.Replica;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The snapshots that a worker takes for its own next start (hypersync.md 13.1). They are of applied
 * states: each of their entries is durable at the leader, so no crash of the leader takes one back.
 *
 * <p>A leader that says that the worker's history is not its own ends them: all are removed, and
 * none is taken until the next start, which begins anew. Otherwise that start would be refused
 * again, and so would every one after it.
 *
 * <p>Single-threaded, on the agent's thread.
 */
public final class WorkerSnapshots {
  /** How many are kept: the newest, and one in case that cannot be read. */
  private static final int RETAINED = 2;

  private static final Logger LOG = LoggerFactory.getLogger(WorkerSnapshots.class);

  private final SnapshotManager manager;

  /** Snapshots which this manager decides on. */
  public WorkerSnapshots(SnapshotManager manager) {
    this.manager = manager;
  }

  /** How often a worker takes a snapshot, and how many it keeps. */
  public static SnapshotPolicy every(long intervalNs) {
    return new SnapshotPolicy(intervalNs, RETAINED);
  }

  /**
   * Has a snapshot taken if it is time, and old ones removed.
   *
   * @return whether anything was begun
   */
  public boolean tick(Replica replica, long nowNs) {
    return manager.tick(replica, replica.applied().index(), nowNs);
  }

  /**
   * The state of this worker is not the leader's, or may not be. Its snapshots are set aside, so
   * that the next start begins without them: each of them may have what is wrong.
   */
  public void distrust(String why, long nowNs) {
    if (manager.distrusted() == null) {
      LOG.warn("{}: the snapshots of this worker are set aside, its next start begins anew", why);
      manager.distrust(why, nowNs);
    }
  }

  /**
   * What the last snapshot before a stop is of.
   *
   * @return null if the newest snapshot has it already, or none may be taken
   */
  public @Nullable Manifest last(Replica replica) {
    boolean isNew = replica.applied().index() > manager.baseIndex();
    return isNew && manager.distrusted() == null ? manager.manifest(replica) : null;
  }

  /** Another interval from now on. */
  public void follow(long intervalNs, long nowNs) {
    manager.follow(every(intervalNs), nowNs);
  }

  /** The decisions on them, which hears what has become of them. */
  public SnapshotManager manager() {
    return manager;
  }
}
