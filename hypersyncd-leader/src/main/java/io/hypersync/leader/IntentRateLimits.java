package io.hypersync.leader;

/**
 * How fast each worker may send intents (hypersync.md 12.5).
 *
 * @param opsPerSecond INTENT_RATE_LIMIT_OPS; 0 for no limit
 * @param burstOps INTENT_BURST_OPS: so many may come at once after a pause; at least 1
 * @param bytesPerSecond INTENT_RATE_LIMIT_BYTES, of payload; 0 for no limit
 */
public record IntentRateLimits(long opsPerSecond, long burstOps, long bytesPerSecond) {
  /** Every worker may send as fast as the log takes it. */
  public static final IntentRateLimits NONE = new IntentRateLimits(0, 1, 0);
}
