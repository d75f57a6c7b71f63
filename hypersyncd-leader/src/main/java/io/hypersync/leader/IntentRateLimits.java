package io.hypersync.leader;

/**
 * Rate limits of each worker's intents (hypersync.md 12.5).
 *
 * @param opsPerSecond INTENT_RATE_LIMIT_OPS; 0 for no limit
 * @param burstOps INTENT_BURST_OPS: how many intents may arrive at once after a pause; at least 1
 * @param bytesPerSecond INTENT_RATE_LIMIT_BYTES, of payload; 0 for no limit
 */
public record IntentRateLimits(long opsPerSecond, long burstOps, long bytesPerSecond) {
  /** No limits: only admission and backpressure slow a worker down. */
  public static final IntentRateLimits NONE = new IntentRateLimits(0, 1, 0);
}
