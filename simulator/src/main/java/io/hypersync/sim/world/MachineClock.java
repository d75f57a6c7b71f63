package io.hypersync.sim.world;

import io.hypersync.runtime.agent.Clock;

/** The clock of one machine: the time of all, and for how long this one was suspended. */
public final class MachineClock implements Clock {
  private final Timeline timeline;
  private final Host host;

  /** The clock of the machine that this process runs on. */
  public MachineClock(Timeline timeline, Host host) {
    this.timeline = timeline;
    this.host = host;
  }

  @Override
  public long monotonicNs() {
    return timeline.monotonicNs();
  }

  @Override
  public long suspendedNs() {
    return host.suspendedNs();
  }

  @Override
  public long epochNs() {
    return timeline.epochNs();
  }
}
