package io.hypersync.e2e;

import java.time.Duration;
import java.util.Set;

/**
 * What a {@link UdpRelay} does to the packets that pass it, in both directions alike, but for the
 * directions that are cut.
 *
 * @param lost the part of the packets that is dropped, 0 to 1
 * @param doubled the part that is sent twice, 0 to 1
 * @param late the part that is sent up to {@link #MAX_DELAY} late, behind those that came after it
 * @param dropEvery how often everything is dropped for {@code dropFor}; zero for never
 * @param cut the directions in which nothing passes
 */
record NetworkConditions(
    double lost,
    double doubled,
    double late,
    Duration dropEvery,
    Duration dropFor,
    Set<Direction> cut) {
  static final Duration MAX_DELAY = Duration.ofMillis(5);

  /** Everything passes, once, in order. */
  static final NetworkConditions GOOD =
      new NetworkConditions(0, 0, 0, Duration.ZERO, Duration.ZERO, Set.of());

  private static final double A_LITTLE = 0.02;

  /** Which way a packet goes. */
  enum Direction {
    TO_LEADER,
    TO_WORKER
  }

  /** Copies the set. */
  NetworkConditions {
    cut = Set.copyOf(cut);
  }

  /** Loses such a part of all packets, doubles a few, and has a few come late. */
  static NetworkConditions losing(double part) {
    return new NetworkConditions(part, A_LITTLE, A_LITTLE, Duration.ZERO, Duration.ZERO, Set.of());
  }

  /** Loses everything for a while, again and again. */
  static NetworkConditions dropping(Duration dropFor, Duration dropEvery) {
    return new NetworkConditions(0, A_LITTLE, A_LITTLE, dropEvery, dropFor, Set.of());
  }

  /** Nothing passes in these directions. */
  static NetworkConditions cut(Set<Direction> directions) {
    return new NetworkConditions(0, 0, 0, Duration.ZERO, Duration.ZERO, directions);
  }

  /** Whether a burst of loss is going on so long after the conditions began. */
  boolean dropsAll(long nsSinceBegin) {
    return !dropEvery.isZero() && nsSinceBegin % dropEvery.toNanos() < dropFor.toNanos();
  }
}
