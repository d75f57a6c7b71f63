package io.hypersync.sim.net;

import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;

/**
 * What may go wrong with symbols besides losses, doublings and damage. It has a source of its own,
 * so that histories without these faults are what they were.
 */
public final class SymbolFaults {
  /** These come about in one of so many histories. */
  private static final int HISTORIES = 3;

  private static final int LATE = 60;
  private static final long SOONEST_LATE_NS = 50 * Timeline.MS;
  private static final long LATEST_NS = 3_000 * Timeline.MS;

  private static final int STUCK = 200;

  /** Sooner than any silence that a worker takes for the end of a chunk's symbols. */
  static final long REPEATED_NS = 10 * Timeline.MS;

  /** Longer than a worker waits for any chunk. */
  static final int REPEATS = 350;

  private final Prng prng;
  private final boolean comeAbout;
  private final boolean holdsUp;

  /**
   * Draws whether they come about in this history.
   *
   * @param mayHoldUp whether a worker that is held up for seconds keeps its connection
   */
  public SymbolFaults(Prng prng, boolean mayHoldUp) {
    this.prng = prng;
    this.comeAbout = prng.oneIn(HISTORIES);
    this.holdsUp = mayHoldUp && prng.oneIn(2);
  }

  /**
   * Whether a symbol comes so late that its connection may have ended, as packets may that no
   * connection guards.
   */
  boolean isLate() {
    return comeAbout && prng.oneIn(LATE);
  }

  /** How late, in nanoseconds. */
  long lateNs() {
    return prng.scale(SOONEST_LATE_NS, LATEST_NS);
  }

  /** Whether, as by a bad leader, this symbol comes again and again, and nothing else meanwhile. */
  boolean isStuck() {
    return holdsUp && prng.oneIn(STUCK);
  }
}
