package io.hypersync.sim.check;

import io.hypersync.model.id.NodeId;
import java.util.HashMap;
import java.util.Map;

/**
 * Checks that no write is logged which a process has made while it took an fcntl lock of the file
 * for its own that was lost already (docs/locks.md), whichever of its descriptors it has written
 * through, and however long the write was on its way.
 */
public final class FenceChecker {
  private final LockChecker locks;

  /** Lock sessions of the locks that writes were made under, by tag. */
  private final Map<String, Long> restsOn = new HashMap<>();

  /** Creates a checker of no writes. */
  public FenceChecker(LockChecker locks) {
    this.locks = locks;
  }

  /** Whether a lock session of a worker is over at the leader; 0 is none. */
  public boolean isLost(String worker, long session) {
    return locks.isLost(worker, session);
  }

  /** A process writes to a file. */
  public void writing(String tag, String worker, NodeId node, int process) {
    long session = locks.sessionOf(worker, node, process);
    if (session != 0) {
      restsOn.put(tag, session);
    }
  }

  /** The leader makes this write an entry. */
  public void logging(String tag, String worker) {
    Long session = restsOn.remove(tag);
    Violation.unless(
        session == null || !locks.isLost(worker, session),
        tag,
        " is logged though the lock is lost that it was made under");
  }
}
