package io.hypersync.sim.world;

import io.hypersync.wire.agent.Clock;
import java.util.PriorityQueue;

/**
 * The fake clock and everything that is going to happen: time passes only from one event to the
 * next.
 */
public final class Timeline implements Clock {
  /** One millisecond in nanoseconds. */
  public static final long MS = 1_000_000;

  private static final long EPOCH_NS = 1_700_000_000_000_000_000L;

  /** In the order in which they happen; compared by hand, since nothing is done more often. */
  private record Event(long timeNs, long number, String what, Runnable action)
      implements Comparable<Event> {
    @Override
    public int compareTo(Event other) {
      int byTime = Long.compare(timeNs, other.timeNs);
      return byTime != 0 ? byTime : Long.compare(number, other.number);
    }
  }

  private final PriorityQueue<Event> events = new PriorityQueue<>();
  private final Trace trace;
  private long nowNs;
  private long epochSkewNs;
  private long scheduled;

  /** Nothing is going to happen yet. */
  public Timeline(Trace trace) {
    this.trace = trace;
  }

  /** Has something happen after a while. */
  public void after(long delayNs, String what, Runnable action) {
    events.add(new Event(nowNs + delayNs, scheduled++, what, action));
  }

  /** Goes on to the next event; there always is one. */
  public void step() {
    Event next = events.remove();
    nowNs = next.timeNs;
    if (!next.what.isEmpty()) {
      trace.note(nowNs, next.what);
    }
    next.action.run();
  }

  /** Notes what happens now. */
  public void note(String what) {
    trace.note(nowNs, what);
  }

  /** Sets the wall clock forwards or back; durations are not touched. */
  public void skewEpoch(long ns) {
    epochSkewNs += ns;
  }

  @Override
  public long monotonicNs() {
    return nowNs;
  }

  /** In steps of a millisecond: clocks that stand still between two ops exist. */
  @Override
  public long epochNs() {
    return EPOCH_NS + epochSkewNs + nowNs / MS * MS;
  }
}
