package io.hypersync.leader.session;

import io.hypersync.model.id.WorkerId;
import io.hypersync.snapshot.schedule.SnapshotManager;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The snapshots that workers install (hypersync.md 13.2). From the offer on, a worker's snapshot is
 * not removed, and the log behind it is not trimmed ({@link SnapshotManager#lowestHeld}): until the
 * worker has applied what was durable when it said Hello with the snapshot, or until its time is
 * over, which begins anew with each offer. So a worker can break off and go on, and one that never
 * does holds nothing for long. Each worker holds at most one. On the agent's thread.
 */
public final class SnapshotHolds {
  private final SnapshotManager snapshots;
  private final long limitNs;
  private final Map<WorkerId, Hold> holds = new HashMap<>();

  /**
   * One worker's.
   *
   * @param until the entry that it has to apply; {@link Long#MAX_VALUE} while it installs
   */
  private record Hold(long index, long untilNs, long until) {}

  /**
   * No holds.
   *
   * @param limitNs how long each may take, in nanoseconds
   */
  SnapshotHolds(SnapshotManager snapshots, long limitNs) {
    this.snapshots = snapshots;
    this.limitNs = limitNs;
  }

  /** A worker is offered the snapshot of this entry, and needs no other. */
  void offered(WorkerId worker, long index, long nowNs) {
    // Before the other is released: it may be the same. The newest one is never being removed.
    boolean isHeld = snapshots.hold(index);
    release(holds.remove(worker));
    if (isHeld) {
      holds.put(worker, new Hold(index, nowNs + limitNs, Long.MAX_VALUE));
    }
  }

  /**
   * The workers that hold the snapshot of this entry, in alphabetical order, separated by commas.
   */
  public String workers(long index) {
    return holds.entrySet().stream()
        .filter(each -> each.getValue().index == index)
        .map(each -> each.getKey().name())
        .sorted()
        .collect(Collectors.joining(","));
  }

  /**
   * A worker goes on with the log.
   *
   * @param durableIndex what it has to catch up with
   */
  void goesOn(WorkerId worker, long durableIndex) {
    Hold hold = holds.get(worker);
    if (hold != null) {
      // Released by a report, not yet: it may be about to ask for the snapshot's state.
      holds.put(worker, new Hold(hold.index, hold.untilNs, durableIndex));
    }
  }

  /** A worker has applied this entry. */
  public void reported(WorkerId worker, long applied) {
    Hold hold = holds.get(worker);
    if (hold != null && applied >= hold.until) {
      release(holds.remove(worker));
    }
  }

  private void release(@Nullable Hold hold) {
    if (hold != null) {
      snapshots.release(hold.index);
    }
  }

  /**
   * Gives up those that take too long.
   *
   * @return their workers
   */
  public List<WorkerId> expire(long nowNs) {
    if (holds.isEmpty()) {
      return List.of();
    }
    List<WorkerId> late = new ArrayList<>();
    holds.forEach(
        (worker, hold) -> {
          if (nowNs - hold.untilNs >= 0) {
            late.add(worker);
          }
        });
    late.forEach(worker -> release(holds.remove(worker)));
    return late;
  }
}
