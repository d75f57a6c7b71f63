package io.hypersync.sim.check;

import java.util.HashMap;
import java.util.Map;

/**
 * Checks {@code visibility = "everywhere"}: what a caller was told is seen by every later call on
 * any mount that can write, whether the daemon answers it or the kernel's caches do. So at any
 * moment every such mount has settled all that callers of other workers were told. What a worker's
 * own callers were told is visible there by another promise ({@link MutationChecker}).
 */
public final class EverywhereChecker {
  /** That a worker was too slow, and not waited for any more. */
  public static final String CUT_OFF = "visible everywhere: a worker was cut off";

  /** That a connected worker was read-only without a lease. */
  public static final String WITHOUT_LEASE = "visible everywhere: connected and without a lease";

  private final Map<String, Long> told = new HashMap<>();
  private final Map<String, Long> happened = new HashMap<>();

  /** Nobody was told anything yet. */
  public EverywhereChecker() {}

  /** A caller on this worker is told that its change is this entry. */
  public void told(String worker, long index) {
    told.merge(worker, index, Math::max);
  }

  /**
   * Checks a worker at this moment; to be called after each step.
   *
   * @param isPromised whether its mount can write, and the worker knows of the mode
   * @param settled the newest entry of which all that its processes see is right
   */
  public void check(String worker, boolean isPromised, long settled) {
    if (!isPromised) {
      return;
    }
    told.forEach(
        (other, index) -> {
          if (!other.equals(worker) && settled < index) {
            throw new Violation(
                worker
                    + " can write and shows entry "
                    + settled
                    + ", a caller on "
                    + other
                    + " was told of entry "
                    + index);
          }
        });
  }

  /** Counts something that must occur in some histories. */
  public void count(String what, long times) {
    if (times > 0) {
      happened.merge(what, times, Long::sum);
    }
  }

  /** What was counted. */
  public Map<String, Long> happened() {
    return Map.copyOf(happened);
  }
}
