package io.hypersync.cli.relay;

import java.time.Duration;
import java.util.Set;

/**
 * What a {@link UdpRelay} does to packets. Losses and delays apply to both directions; {@code cut}
 * names directions.
 *
 * @param lost fraction of the packets that is dropped, 0 to below 1
 * @param lostInARow how many packets of one direction are dropped one after the other, on average:
 *     1 for each by itself, more for bursts
 * @param doubled fraction that is sent twice, 0 to 1
 * @param late fraction that is delayed by up to {@link #MAX_DELAY}, and so overtaken by later
 *     packets
 * @param dropEvery period of bursts in which everything is dropped; zero for none
 * @param dropFor duration of such a burst
 * @param delay how long every packet takes, in each direction; to a millisecond or less
 * @param cut directions in which nothing passes
 */
public record NetworkConditions(
    double lost,
    double lostInARow,
    double doubled,
    double late,
    Duration dropEvery,
    Duration dropFor,
    Duration delay,
    Set<Direction> cut) {
  static final Duration MAX_DELAY = Duration.ofMillis(5);

  /** Everything passes, once and in order. */
  public static final NetworkConditions GOOD =
      new NetworkConditions(0, 1, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Set.of());

  private static final double A_LITTLE = 0.02;

  /** Direction of a packet. */
  public enum Direction {
    TO_LEADER,
    TO_WORKER
  }

  public NetworkConditions {
    cut = Set.copyOf(cut);
  }

  /** Loses this fraction of all packets, duplicates a few, and delays a few. */
  public static NetworkConditions losing(double part) {
    return new NetworkConditions(
        part, 1, A_LITTLE, A_LITTLE, Duration.ZERO, Duration.ZERO, Duration.ZERO, Set.of());
  }

  /**
   * Loses this fraction of all packets, so many in a row on average, and each of the others takes
   * so long.
   */
  public static NetworkConditions path(double part, double inARow, Duration delay) {
    return new NetworkConditions(part, inARow, 0, 0, Duration.ZERO, Duration.ZERO, delay, Set.of());
  }

  /** Loses everything for {@code dropFor}, once every {@code dropEvery}. */
  public static NetworkConditions dropping(Duration dropFor, Duration dropEvery) {
    return new NetworkConditions(
        0, 1, A_LITTLE, A_LITTLE, dropEvery, dropFor, Duration.ZERO, Set.of());
  }

  /** Nothing passes in these directions. */
  public static NetworkConditions cut(Set<Direction> directions) {
    return new NetworkConditions(
        0, 1, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, directions);
  }

  /**
   * How likely a packet is dropped, so that all in all that fraction is, in bursts of that length
   * (the Gilbert model).
   *
   * @param wasLost whether the one before it in its direction was dropped
   */
  double lossOf(boolean wasLost) {
    if (lostInARow <= 1) {
      return lost;
    }
    return wasLost ? 1 - 1 / lostInARow : lost / (lostInARow * (1 - lost));
  }

  /** Whether a loss burst is active at this time after the conditions began, in nanoseconds. */
  boolean dropsAll(long nsSinceBegin) {
    return !dropEvery.isZero() && nsSinceBegin % dropEvery.toNanos() < dropFor.toNanos();
  }
}
