package io.hypersync.snapshot;

import io.hypersync.runtime.agent.Clock;
import java.time.Duration;

/**
 * A rate limit for one thread, which sleeps, or pauses in another way. Up to a tenth of a second's
 * bytes may be spent at once after a rest.
 */
public final class SleepingRateLimit implements RateLimit {
  private static final long SECOND_NS = 1_000_000_000;
  private static final long BURST_NS = SECOND_NS / 10;

  private final long bytesPerSecond;
  private final Clock clock;
  private final Pause pause;

  /** When all that was spent so far is paid for. */
  private long paidNs;

  /** How the thread waits. */
  @FunctionalInterface
  public interface Pause {
    /** Waits so long, or until there is a reason not to; then it may throw. */
    void wait(Duration time);
  }

  /**
   * A limit that begins after a rest.
   *
   * @param bytesPerSecond at least 1
   */
  public SleepingRateLimit(long bytesPerSecond, Clock clock) {
    this(bytesPerSecond, clock, SleepingRateLimit::sleep);
  }

  /**
   * A limit that begins after a rest.
   *
   * @param bytesPerSecond at least 1
   */
  public SleepingRateLimit(long bytesPerSecond, Clock clock, Pause pause) {
    this.bytesPerSecond = bytesPerSecond;
    this.clock = clock;
    this.pause = pause;
    this.paidNs = clock.monotonicNs() - BURST_NS;
  }

  @Override
  public void spend(long bytes) {
    long now = clock.monotonicNs();
    paidNs =
        Math.max(paidNs, now - BURST_NS) + (long) ((double) bytes / bytesPerSecond * SECOND_NS);
    if (paidNs > now) {
      pause.wait(Duration.ofNanos(paidNs - now));
    }
  }

  private static void sleep(Duration time) {
    try {
      Thread.sleep(time);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
