package io.hypersync.coordination.lease;

import io.hypersync.runtime.agent.Clock;

/**
 * A host's clock: seconds pass on all hosts alike, the time of the day is what somebody has set.
 */
final class HostClock implements Clock {
  static final long SECOND = 1_000_000_000L;

  private final long originNs;
  private long passedNs;
  private long dayNs;

  /** The monotonic clocks of two hosts have nothing to do with each other. */
  HostClock(long originNs, long dayNs) {
    this.originNs = originNs;
    this.dayNs = dayNs;
  }

  void passes(long ns) {
    passedNs += ns;
    dayNs += ns;
  }

  /** Somebody sets the clock of the host. */
  void jumps(long seconds) {
    dayNs += seconds * SECOND;
  }

  @Override
  public long monotonicNs() {
    return originNs + passedNs;
  }

  @Override
  public long epochNs() {
    return dayNs;
  }
}
