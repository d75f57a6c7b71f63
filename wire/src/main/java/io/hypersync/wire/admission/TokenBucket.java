package io.hypersync.wire.admission;

/**
 * A token bucket (hypersync.md 12.5): a fixed number of tokens is added each second, up to the
 * capacity. Its only state is the time at which it will be full again, so nothing has to refill it.
 * Exact to the nanosecond; what is not a whole nanosecond is rounded to the taker's disadvantage.
 * Not thread-safe.
 */
public final class TokenBucket {
  private static final long NS_PER_S = 1_000_000_000;

  private final long tokensPerSecond;
  private final long capacityNs;
  private long fullAtNs;

  /**
   * Makes a full bucket.
   *
   * @param tokensPerSecond 1 to 9 * 10^9
   * @param capacity how many tokens the bucket holds, 1 to 9 * 10^9
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public TokenBucket(long tokensPerSecond, long capacity, long nowNs) {
    this.tokensPerSecond = tokensPerSecond;
    this.capacityNs = durationNs(capacity);
    this.fullAtNs = nowNs;
  }

  /**
   * In how many nanoseconds so many tokens are available; 0 if they are now. A request for more
   * than the capacity is allowed when the bucket is full: otherwise it would never be. Taking it
   * leaves a debt.
   */
  public long waitNs(long tokens, long nowNs) {
    long fullAfterNs = untilFullNs(nowNs) + Math.min(durationNs(tokens), capacityNs);
    return Math.max(0, fullAfterNs - capacityNs);
  }

  /** Takes tokens, which must be available according to {@link #waitNs}. */
  public void take(long tokens, long nowNs) {
    fullAtNs = nowNs + untilFullNs(nowNs) + durationNs(tokens);
  }

  /** Takes one token if there is one; whether there was. */
  boolean tryTake(long nowNs) {
    if (waitNs(1, nowNs) > 0) {
      return false;
    }
    take(1, nowNs);
    return true;
  }

  private long untilFullNs(long nowNs) {
    return Math.max(0, fullAtNs - nowNs);
  }

  /** The time in which so many tokens are added, rounded up. */
  private long durationNs(long tokens) {
    return Math.ceilDiv(tokens * NS_PER_S, tokensPerSecond);
  }
}
