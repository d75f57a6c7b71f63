package io.hypersync.leader.placement;

import java.util.List;

/**
 * Whether a worker is stable (hypersync.md 15.2), with hysteresis: it is not stable any more at
 * once, and stable again when it was calm for a while. One that goes up and down waits longer each
 * time.
 */
final class Stability {
  /** How long it must be calm. */
  static final long CALM_NS = 10_000_000_000L;

  /** How long at most, for one that is unstable again and again. */
  static final long MOST_CALM_NS = 320_000_000_000L;

  /** It goes up and down if it is unstable again so soon after it was taken back. */
  static final long FLAP_NS = 600_000_000_000L;

  /** Calm is what is so far below the limits. */
  static final double CALM_RATIO = 0.9;

  private boolean stable = true;
  private long calmNeededNs = CALM_NS;
  private long stableSinceNs;
  private boolean wasUnstable;
  private long calmSinceNs;
  private boolean calm;

  /**
   * Takes what was just observed.
   *
   * @param reasons why it is not stable now; empty if it is
   * @param isCalm whether it is far enough from all limits
   * @param nowNs monotonic
   */
  void observe(List<Reason> reasons, boolean isCalm, long nowNs) {
    if (!reasons.isEmpty()) {
      if (stable) {
        boolean flaps = wasUnstable && nowNs - stableSinceNs < FLAP_NS;
        calmNeededNs = flaps ? Math.min(2 * calmNeededNs, MOST_CALM_NS) : CALM_NS;
      }
      stable = false;
      wasUnstable = true;
      calm = false;
      return;
    }
    if (stable) {
      return;
    }
    if (!isCalm) {
      calm = false;
    } else if (!calm) {
      calm = true;
      calmSinceNs = nowNs;
    } else if (nowNs - calmSinceNs >= calmNeededNs) {
      stable = true;
      stableSinceNs = nowNs;
    }
  }

  boolean isStable() {
    return stable;
  }

  /** How much longer it must be calm, in nanoseconds, if it is from now on. */
  long missingNs(long nowNs) {
    return calm ? Math.max(0, calmNeededNs - (nowNs - calmSinceNs)) : calmNeededNs;
  }
}
