package io.hypersync.runtime.agent;

import io.hypersync.runtime.clock.BootClock;
import io.hypersync.runtime.clock.ThreadClock;
import java.time.Instant;

final class SystemClock implements Clock {
  private static final long NS_PER_SECOND = 1_000_000_000L;

  @Override
  public long monotonicNs() {
    return BootClock.nanoTime();
  }

  @Override
  public long suspendedNs() {
    return BootClock.suspendedNs();
  }

  @Override
  public long processorNs() {
    return ThreadClock.nanoTime();
  }

  @Override
  public long epochNs() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NS_PER_SECOND + now.getNano();
  }
}
