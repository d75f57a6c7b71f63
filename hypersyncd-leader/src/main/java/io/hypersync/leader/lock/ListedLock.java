package io.hypersync.leader.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import java.util.List;

/**
 * A lock that is held or waited for, for people.
 *
 * @param isHeld false if it is waited for
 * @param pid the process that has asked for it, as its host numbers it
 * @param waitsFor who holds what it wants; the first {@link #MOST_BLOCKERS} of them
 */
public record ListedLock(
    boolean isHeld,
    NodeId node,
    LockSpace space,
    LockMode mode,
    LockRange range,
    WorkerId worker,
    int pid,
    List<Holder> waitsFor) {
  /** So many holders are named. */
  static final int MOST_BLOCKERS = 8;

  /** A process that holds a lock. */
  public record Holder(WorkerId worker, int pid) {}

  /**
   * Locks, those that wait first.
   *
   * @param isComplete whether these are all, each with all that it waits for up to the limit
   */
  public record Listing(List<ListedLock> locks, boolean isComplete) {}
}
