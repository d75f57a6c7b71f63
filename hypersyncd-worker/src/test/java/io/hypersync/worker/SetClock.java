package io.hypersync.worker;

import io.hypersync.runtime.agent.Clock;

/** A clock that shows {@link #ns} until a test changes it. */
public final class SetClock implements Clock {
  public long ns;

  @Override
  public long monotonicNs() {
    return ns;
  }

  @Override
  public long epochNs() {
    return ns;
  }
}
