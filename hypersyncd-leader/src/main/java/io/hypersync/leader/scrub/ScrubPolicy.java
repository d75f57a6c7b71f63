package io.hypersync.leader.scrub;

/**
 * When a scrub runs, and how much it reads.
 *
 * @param intervalNs {@code scrub.interval} in nanoseconds: so long after the leader's start, or
 *     after the last scrub, one runs by itself; 0 if none does
 * @param bytesPerSecond {@code scrub.rate}: what it reads in a second at most, at least 1
 */
public record ScrubPolicy(long intervalNs, long bytesPerSecond) {
  /** By default it reads so much in a second. */
  public static final long BYTES_PER_SECOND = 32L << 20;
}
