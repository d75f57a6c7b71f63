package io.hypersync.runtime.agent;

import java.time.Instant;

final class SystemClock implements Clock {
  private static final long NS_PER_SECOND = 1_000_000_000L;

  @Override
  public long monotonicNs() {
    return System.nanoTime();
  }

  @Override
  public long epochNs() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NS_PER_SECOND + now.getNano();
  }
}
