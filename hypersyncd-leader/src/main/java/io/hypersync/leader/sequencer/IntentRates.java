package io.hypersync.leader.sequencer;

import io.hypersync.leader.IntentRateLimits;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.admission.TokenBucket;
import io.hypersync.wire.message.Protocol;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Rate limits and statistics of each worker's intents (hypersync.md 12.5): two token buckets per
 * worker, one for intents and one for their bytes. On the agent's thread.
 */
public final class IntentRates {
  private IntentRateLimits limits;
  private final Map<WorkerId, Account> accounts = new HashMap<>();

  /**
   * Figures of one worker.
   *
   * @param rejected intents refused with RATE_LIMITED since the leader started
   * @param perSecondP50 median of the intents taken per second, over seconds with any
   * @param perSecondP99 99th percentile of the same
   */
  public record Figures(long rejected, long perSecondP50, long perSecondP99) {
    private static final Figures NOTHING = new Figures(0, 0, 0);
  }

  IntentRates(IntentRateLimits limits) {
    this.limits = limits;
  }

  /**
   * Takes tokens for an intent, unless it comes too early. A refused intent takes no tokens, so a
   * worker that waits for as long as it was told is let in.
   *
   * @param bytes of its payload
   * @return 0 if the intent is taken, else in how many nanoseconds it will be
   */
  long take(WorkerId worker, long bytes, long nowNs) {
    Account account = accounts.computeIfAbsent(worker, _ -> new Account(limits, nowNs));
    long waitNs = account.waitNs(bytes, nowNs);
    if (waitNs > 0) {
      account.rejected++;
    } else {
      account.take(bytes, nowNs);
    }
    return waitNs;
  }

  /** The limits in force. */
  public IntentRateLimits limits() {
    return limits;
  }

  /**
   * Other limits from now on. Each worker may make its burst at once, as if it had just come; its
   * figures stay. If they are what they were nothing changes: nobody gets a burst as a present.
   */
  public void limit(IntentRateLimits changed, long nowNs) {
    if (changed.equals(limits)) {
      return;
    }
    limits = changed;
    accounts.values().forEach(account -> account.limit(changed, nowNs));
  }

  /** Figures of this worker since the leader started; for status reports. */
  public Figures of(WorkerId worker, long nowNs) {
    Account account = accounts.get(worker);
    return account == null
        ? Figures.NOTHING
        : new Figures(
            account.rejected,
            account.rate.percentile(50, nowNs),
            account.rate.percentile(99, nowNs));
  }

  /** Buckets of one worker. They outlive its connections, so reconnecting gives no new burst. */
  private static final class Account {
    private @Nullable TokenBucket ops;
    private @Nullable TokenBucket bytes;
    private final IntentRate rate;
    private long rejected;

    Account(IntentRateLimits limits, long nowNs) {
      rate = new IntentRate(nowNs);
      limit(limits, nowNs);
    }

    void limit(IntentRateLimits limits, long nowNs) {
      ops =
          limits.opsPerSecond() == 0
              ? null
              : new TokenBucket(limits.opsPerSecond(), limits.burstOps(), nowNs);
      // The specification names no burst of bytes: one second's worth, and at least the largest
      // write.
      bytes =
          limits.bytesPerSecond() == 0
              ? null
              : new TokenBucket(
                  limits.bytesPerSecond(),
                  Math.max(limits.bytesPerSecond(), Protocol.MAX_WRITE_BYTES),
                  nowNs);
    }

    long waitNs(long payload, long nowNs) {
      return Math.max(
          ops == null ? 0 : ops.waitNs(1, nowNs), bytes == null ? 0 : bytes.waitNs(payload, nowNs));
    }

    void take(long payload, long nowNs) {
      if (ops != null) {
        ops.take(1, nowNs);
      }
      if (bytes != null) {
        bytes.take(payload, nowNs);
      }
      rate.add(nowNs);
    }
  }
}
