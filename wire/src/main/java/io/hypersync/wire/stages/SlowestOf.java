package io.hypersync.wire.stages;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;

/**
 * The slowest of the last half to whole minute. Single-threaded. What is not among them costs one
 * comparison.
 *
 * @param <T> what was slow
 */
public final class SlowestOf<T> {
  private static final long WINDOW_NS = 30_000_000_000L;

  private final int limit;
  private PriorityQueue<Slow<T>> present = queue();
  private PriorityQueue<Slow<T>> last = queue();
  private long windowBeganNs;

  /** How long something took. */
  private record Slow<T>(long nanos, T what) {}

  /**
   * Nothing was slow yet.
   *
   * @param limit how many are kept
   */
  public SlowestOf(int limit, long nowNs) {
    this.limit = limit;
    this.windowBeganNs = nowNs;
  }

  /** Whether something that took so long belongs here. */
  public boolean admits(long nanos, long nowNs) {
    advance(nowNs);
    return present.size() < limit || present.element().nanos < nanos;
  }

  /** Takes what {@link #admits} has just admitted. */
  public void add(long nanos, T what) {
    if (present.size() == limit) {
      present.remove();
    }
    present.add(new Slow<>(nanos, what));
  }

  /** The slowest, slowest first. */
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
