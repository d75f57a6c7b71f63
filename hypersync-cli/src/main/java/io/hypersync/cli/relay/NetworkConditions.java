package io.hypersync.cli.relay;

import java.time.Duration;
import java.util.Set;

/**
 * What a {@link UdpRelay} does to packets. Losses and delays apply to both directions; {@code cut}
 * names directions.
 *
 * @param lost fraction of the packets that is dropped, 0 to below 1
 * @param burst how long everything of one direction is dropped in one go, on average; zero to drop
 *     each packet by itself
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
    Duration burst,
    double doubled,
    double late,
    Duration dropEvery,
    Duration dropFor,
    Duration delay,
    Set<Direction> cut) {
  static final Duration MAX_DELAY = Duration.ofMillis(5);

  /** Everything passes, once and in order. */
  public static final NetworkConditions GOOD =
      new NetworkConditions(
          0, Duration.ZERO, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, Set.of());

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
        part,
        Duration.ZERO,
        A_LITTLE,
        A_LITTLE,
        Duration.ZERO,
        Duration.ZERO,
        Duration.ZERO,
        Set.of());
  }

  /**
   * Loses this fraction of all packets, in bursts of so long on average, and each of the others
   * takes so long.
   */
  public static NetworkConditions path(double part, Duration burst, Duration delay) {
    return new NetworkConditions(part, burst, 0, 0, Duration.ZERO, Duration.ZERO, delay, Set.of());
  }

  /** Loses everything for {@code dropFor}, once every {@code dropEvery}. */
  public static NetworkConditions dropping(Duration dropFor, Duration dropEvery) {
    return new NetworkConditions(
        0, Duration.ZERO, A_LITTLE, A_LITTLE, dropEvery, dropFor, Duration.ZERO, Set.of());
  }

  /** Nothing passes in these directions. */
  public static NetworkConditions cut(Set<Direction> directions) {
    return new NetworkConditions(
        0, Duration.ZERO, 0, 0, Duration.ZERO, Duration.ZERO, Duration.ZERO, directions);
  }

  /** Whether a loss burst is active at this time after the conditions began, in nanoseconds. */
  boolean dropsAll(long nsSinceBegin) {
    return !dropEvery.isZero() && nsSinceBegin % dropEvery.toNanos() < dropFor.toNanos();
  }
}
