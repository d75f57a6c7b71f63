package io.hypersync.leader.sequencer;

/**
 * For how long committed intents are remembered: at least until they are so old and so many have
 * followed (hypersync.md 8.2).
 *
 * @param entries INTENT_DEDUPE_ENTRIES
 * @param ttlNs INTENT_DEDUPE_TTL, in nanoseconds of the leader's time
 */
public record IntentRetention(long entries, long ttlNs) {
  /** Ten million intents and a day. */
  public static final IntentRetention DEFAULT =
      new IntentRetention(10_000_000, 24L * 3600 * 1_000_000_000);
}
