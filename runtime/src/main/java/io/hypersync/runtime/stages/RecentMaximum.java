package io.hypersync.runtime.stages;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * Keeps the slowest events of the last 30 to 60 seconds, in two windows. Not thread-safe. An event
 * that is not among them costs one comparison.
 *
 * @param <T> what describes an event
 */
public final class RecentMaximum<T> {
  private static final long WINDOW_NS = 30_000_000_000L;

  private final int limit;
  private PriorityQueue<Slow<T>> present = queue();
  private PriorityQueue<Slow<T>> last = queue();
  private long windowBeganNs;

  private record Slow<T>(long nanos, T what) {}

  /**
   * Makes an empty collection.
   *
   * @param limit how many events are kept in a window and listed
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public RecentMaximum(int limit, long nowNs) {
    this.limit = limit;
    this.windowBeganNs = nowNs;
  }

  /** Whether an event of this duration is among the slowest of the present window. */
  public boolean admits(long nanos, long nowNs) {
    advance(nowNs);
    return present.size() < limit || present.element().nanos < nanos;
  }

  /** Adds an event for which {@link #admits} has just returned true. */
  public void add(long nanos, T what) {
    if (present.size() == limit) {
      present.remove();
    }
    present.add(new Slow<>(nanos, what));
  }

  /** The slowest events of both windows, at most the limit, slowest first. */
  public List<T> list(long nowNs) {
    advance(nowNs);
    List<Slow<T>> all = new ArrayList<>(present);
    all.addAll(last);
    all.sort(Comparator.comparingLong((Slow<T> slow) -> slow.nanos).reversed());
    return all.stream().limit(limit).map(Slow::what).toList();
  }

  private void advance(long nowNs) {
    long sinceNs = nowNs - windowBeganNs;
    if (sinceNs >= WINDOW_NS) {
      last = sinceNs < 2 * WINDOW_NS ? present : queue();
      present = queue();
      windowBeganNs = nowNs;
    }
  }

  private static <T> PriorityQueue<Slow<T>> queue() {
    return new PriorityQueue<>(Comparator.comparingLong((Slow<T> slow) -> slow.nanos));
  }
}
