package io.hypersync.sim.world;

import io.hypersync.runtime.agent.Clock;
import java.util.PriorityQueue;

/**
 * The fake clock and the queue of pending events. Time advances only from one event to the next.
 */
public final class Timeline implements Clock {
  /** One millisecond in nanoseconds. */
  public static final long MS = 1_000_000;

  private static final long EPOCH_NS = 1_700_000_000_000_000_000L;

  /**
   * Ordered by time, then by insertion. Written out rather than built from comparators, because no
   * other code runs as often.
   */
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

  /** Creates a timeline without events. */
  public Timeline(Trace trace) {
    this.trace = trace;
  }

  /**
   * Schedules an action after a delay in nanoseconds.
   *
   * @param what line for the trace; empty for none
   */
  public void after(long delayNs, String what, Runnable action) {
    events.add(new Event(nowNs + delayNs, scheduled++, what, action));
  }

  /** Runs the next event; there must be one. */
  public void step() {
    Event next = events.remove();
    nowNs = next.timeNs;
    if (!next.what.isEmpty()) {
      trace.note(nowNs, next.what);
    }
    next.action.run();
  }

  /** Adds a line to the trace. */
  public void note(String what) {
    trace.note(nowNs, what);
  }

  /** Moves the wall clock by {@code ns}, forwards or backwards; monotonic time is not affected. */
  public void skewEpoch(long ns) {
    epochSkewNs += ns;
  }

  @Override
  public long monotonicNs() {
    return nowNs;
  }

  /** Advances in steps of a millisecond, because real clocks may not advance between two ops. */
  @Override
  public long epochNs() {
    return EPOCH_NS + epochSkewNs + nowNs / MS * MS;
  }
}
