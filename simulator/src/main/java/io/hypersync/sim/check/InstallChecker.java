package io.hypersync.sim.check;

import java.util.HashMap;
import java.util.Map;

/**
 * Judges what one run of the leader keeps for workers that it has offered a snapshot (hypersync.md
 * 13.2): one that comes back with it in time must find what comes behind it.
 */
public final class InstallChecker {
  private final long limitNs;
  private final Map<String, Offer> offers = new HashMap<>();

  private record Offer(long index, long atNs) {}

  /**
   * No offers.
   *
   * @param limitNs how long the leader keeps a snapshot, and the log behind it
   */
  public InstallChecker(long limitNs) {
    this.limitNs = limitNs;
  }

  /** The leader offers a worker a snapshot. */
  public void offered(String worker, long index, long nowNs) {
    offers.put(worker, new Offer(index, nowNs));
  }

  /** Whether a worker was offered a snapshot, and has not come back since. */
  public boolean isWaiting() {
    return !offers.isEmpty();
  }

  /** A worker says Hello, and the leader has not answered yet. */
  public void hello(String worker, long applied, long firstIndex, long nowNs) {
    Offer offer = offers.remove(worker);
    Violation.unless(
        offer == null
            || offer.index != applied
            || nowNs - offer.atNs >= limitNs
            || firstIndex <= applied + 1,
        worker,
        " has installed the snapshot of entry ",
        applied,
        ", and the log begins with entry ",
        firstIndex);
  }
}
