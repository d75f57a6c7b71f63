package io.hypersync.leader.session;

import io.hypersync.model.id.WorkerId;
import io.hypersync.snapshot.schedule.SnapshotManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that workers install (hypersync.md 13.2). From the offer on, a worker's snapshot is
 * not removed, and the log behind it is not trimmed ({@link SnapshotManager#lowestHeld}): until the
 * worker says Hello again, which it does when it has the snapshot, or until its time is over. So a
 * worker can break off and go on, and one that never does holds nothing for long. Each worker holds
 * at most one. On the agent's thread.
 */
public final class Installs {
  private final SnapshotManager snapshots;
  private final long limitNs;
  private final Map<WorkerId, Install> installs = new HashMap<>();

  private record Install(long index, long untilNs) {}

  /**
   * No installs.
   *
   * @param limitNs how long each may take, in nanoseconds
   */
  Installs(SnapshotManager snapshots, long limitNs) {
    this.snapshots = snapshots;
    this.limitNs = limitNs;
  }

  /** A worker is offered the snapshot of this entry, and needs no other. */
  void began(WorkerId worker, long index, long nowNs) {
    snapshots.hold(index); // before the other is released: it may be the same
    release(installs.put(worker, new Install(index, nowNs + limitNs)));
  }

  /** A worker goes on with the log. */
  void ended(WorkerId worker) {
    release(installs.remove(worker));
  }

  private void release(@Nullable Install install) {
    if (install != null) {
      snapshots.release(install.index);
    }
  }

  /**
   * Gives up those that take too long.
   *
   * @return their workers
   */
  public List<WorkerId> expire(long nowNs) {
    List<WorkerId> late = new ArrayList<>();
    installs.forEach(
        (worker, install) -> {
          if (nowNs - install.untilNs >= 0) {
            late.add(worker);
          }
        });
    late.forEach(this::ended);
    return late;
  }

  /** How many workers install a snapshot, or have broken off and may go on. */
  public int size() {
    return installs.size();
  }
}
