package io.hypersync.leader;

import io.hypersync.runtime.agent.Clock;

/** A clock that stands still at {@link #ns} until a test sets it. */
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
