package io.hypersync.sim.mainhost;

import io.hypersync.sim.check.OwnerChecker;
import io.hypersync.sim.world.Prng;

/**
 * Whether a history has a worker in the leader's process, and how the calls there come.
 *
 * @param prng of its own, so that other histories stay what they are
 * @param isWanted whether there is one
 * @param callersPercent so many of a hundred calls are run by their caller, if it can
 * @param busyPercent so many of these find that somebody owns the agents
 */
public record MainHostWish(
    Prng prng, boolean isWanted, int callersPercent, int busyPercent, OwnerChecker checker) {
  /** One history in so many has one. */
  private static final int ONE_IN = 5;

  /** Draws it. */
  public static MainHostWish of(Prng prng) {
    boolean isWanted = prng.oneIn(ONE_IN);
    int callers = prng.oneIn(4) ? 0 : (int) prng.between(50, 100);
    int busy = prng.oneIn(2) ? 0 : (int) prng.between(1, 20);
    return new MainHostWish(prng, isWanted, callers, busy, new OwnerChecker());
  }

  /** The same draws, and no worker in the leader's process. */
  public MainHostWish none() {
    return new MainHostWish(prng, false, callersPercent, busyPercent, checker);
  }
}
