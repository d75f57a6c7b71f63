package io.hypersync.snapshot;

import io.hypersync.runtime.agent.Clock;
import java.time.Duration;

/**
 * A rate limit for one thread, which sleeps. Up to a tenth of a second's bytes may be spent at once
 * after a rest.
 */
public final class SleepingRateLimit implements RateLimit {
  private static final long SECOND_NS = 1_000_000_000;
  private static final long BURST_NS = SECOND_NS / 10;

  private final long bytesPerSecond;
  private final Clock clock;

  /** When all that was spent so far is paid for. */
  private long paidNs;

  /**
   * A limit that begins after a rest.
   *
   * @param bytesPerSecond at least 1
   */
  public SleepingRateLimit(long bytesPerSecond, Clock clock) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.paidNs = clock.monotonicNs() - BURST_NS;
  }

  @Override
  public void spend(long bytes) {
    long now = clock.monotonicNs();
    paidNs =
        Math.max(paidNs, now - BURST_NS) + (long) ((double) bytes / bytesPerSecond * SECOND_NS);
    if (paidNs > now) {
      try {
        Thread.sleep(Duration.ofNanos(paidNs - now));
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }
  }
}
