package io.hypersync.wire.admission;

/**
 * A token bucket (hypersync.md 12.5): so many tokens come in each second, and no more are kept than
 * the bucket holds. All there is to remember is when it will be full again, so nobody has to fill
 * it. Exact to the nanosecond, and in the taker's disfavour where that is not enough.
 */
public final class TokenBucket {
  private static final long NS_PER_S = 1_000_000_000;

  private final long tokensPerSecond;
  private final long capacityNs;
  private long fullAtNs;

  /**
   * A full bucket.
   *
   * @param tokensPerSecond 1 to 9 * 10^9
   * @param capacity how many tokens it holds, 1 to 9 * 10^9
   * @param nowNs the time of a monotonic clock, as for all other methods
   */
  public TokenBucket(long tokensPerSecond, long capacity, long nowNs) {
    this.tokensPerSecond = tokensPerSecond;
    this.capacityNs = durationNs(capacity);
    this.fullAtNs = nowNs;
  }

  /**
   * How long it takes until so many tokens are there, in nanoseconds; 0 if they are. More than the
   * bucket holds are there when it is full: what is larger than the bucket has to pass, too.
   */
  public long waitNs(long tokens, long nowNs) {
    long fullAfterNs = untilFullNs(nowNs) + Math.min(durationNs(tokens), capacityNs);
    return Math.max(0, fullAfterNs - capacityNs);
  }

  /** Takes tokens, which must be there. */
  public void take(long tokens, long nowNs) {
    fullAtNs = nowNs + untilFullNs(nowNs) + durationNs(tokens);
  }

  /** Takes one token if it is there. */
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

  /** In what time so many tokens come in. */
  private long durationNs(long tokens) {
    return Math.ceilDiv(tokens * NS_PER_S, tokensPerSecond);
  }
}
