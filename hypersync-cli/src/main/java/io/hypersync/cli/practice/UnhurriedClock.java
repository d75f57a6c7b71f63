package io.hypersync.cli.practice;

import io.hypersync.runtime.agent.Clock;

/**
 * A clock that stands still while its reader does not run: on a busy host neither agent takes the
 * other one for dead. Single-threaded.
 */
final class UnhurriedClock implements Clock {
  private static final long MOST_NS = 1_000_000;

  private long readNs = SYSTEM.monotonicNs();
  private long ownNs;

  /** Has moved on since it was read last as time has, but by at most a millisecond. */
  @Override
  public long monotonicNs() {
    long nowNs = SYSTEM.monotonicNs();
    ownNs += Math.min(nowNs - readNs, MOST_NS);
    readNs = nowNs;
    return ownNs;
  }

  @Override
  public long epochNs() {
    return SYSTEM.epochNs();
  }
}
