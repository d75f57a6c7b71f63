package io.hypersync.leader.sequencer;

import io.hypersync.leader.IntentRateLimits;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.admission.TokenBucket;
import io.hypersync.wire.message.Protocol;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Who sends how many intents, and whether that is too many (hypersync.md 12.5): two token buckets
 * for each worker, one for intents and one for their bytes. On the agent's thread.
 */
public final class IntentRates {
  private final IntentRateLimits limits;
  private final Map<WorkerId, Account> accounts = new HashMap<>();

  /**
   * What one worker has sent.
   *
   * @param rejected intents that were refused with RATE_LIMITED since the start
   * @param perSecondP50 intents taken in a second, the median of the seconds in which any came
   * @param perSecondP99 the same in one of a hundred of these seconds, or more
   */
  public record Figures(long rejected, long perSecondP50, long perSecondP99) {
    private static final Figures NOTHING = new Figures(0, 0, 0);
  }

  IntentRates(IntentRateLimits limits) {
    this.limits = limits;
  }

  /**
   * Takes an intent into account, unless it comes too early. An intent that is refused costs
   * nothing: the worker that waits for as long as it is told gets its turn.
   *
   * @param bytes of its payload
   * @return 0 if it is taken, or in how many nanoseconds it will be
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

  /** What this worker has sent since the leader started; for status reports. */
  public Figures of(WorkerId worker, long nowNs) {
    Account account = accounts.get(worker);
    return account == null
        ? Figures.NOTHING
        : new Figures(
            account.rejected,
            account.rate.percentile(50, nowNs),
            account.rate.percentile(99, nowNs));
  }

  /** One worker; it outlives the worker's connections, so that a new one is no new burst. */
  private static final class Account {
    private final @Nullable TokenBucket ops;
    private final @Nullable TokenBucket bytes;
    private final IntentRate rate;
    private long rejected;

    Account(IntentRateLimits limits, long nowNs) {
      ops =
          limits.opsPerSecond() == 0
              ? null
              : new TokenBucket(limits.opsPerSecond(), limits.burstOps(), nowNs);
      // The specification names no burst of bytes: one second's, and the largest write in any case.
      bytes =
          limits.bytesPerSecond() == 0
              ? null
              : new TokenBucket(
                  limits.bytesPerSecond(),
                  Math.max(limits.bytesPerSecond(), Protocol.MAX_WRITE_BYTES),
                  nowNs);
      rate = new IntentRate(nowNs);
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
