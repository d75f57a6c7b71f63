package io.hypersync.worker.intents;

import io.hypersync.wire.agent.Entropy;

/**
 * How fast a worker sends intents while the leader turns some of them away: because it is busy
 * (EAGAIN, hypersync.md 6.3.1), or because this worker sends too fast (RATE_LIMITED, 12.5). There
 * is one for all intents, for the leader's limits are on workers, not on callers.
 *
 * <p>After a refusal there is a pause: as long as the leader asks for, up to two seconds, and from
 * one pause to the next twice as long, until it takes something. After it no more intents are on
 * their way at once than the leader had taken when it refused and one more, but a few in any case,
 * and one more for each that it takes from then on. So the leader hears what it can take, and not
 * much more, however many callers wait.
 */
final class Backoff {
  private static final long FIRST_PAUSE_NS = 1_000_000;

  /** The longest pause that the leader has not asked for is 256 ms. */
  private static final int MAX_DOUBLINGS = 8;

  /** However long the leader asks for: another one may be asked then, or this one with less. */
  private static final long LONGEST_PAUSE_NS = 2_000_000_000;

  /** So many are tried: one of them may be an upload that takes its time. */
  private static final int FEWEST = 4;

  private static final int UNLIMITED = Integer.MAX_VALUE;

  private final Entropy entropy;
  private int limit = UNLIMITED;
  private int pausesInVain;
  private long resumeNs;

  /**
   * Nothing has been refused.
   *
   * @param entropy makes pauses up to half shorter, so that workers do not come in step
   */
  Backoff(Entropy entropy) {
    this.entropy = entropy;
  }

  /**
   * The leader has refused an intent for now. What it refuses during a pause was sent before, and
   * does not make the pause longer, unless the leader says so.
   *
   * @param retryAfterNs how long the leader asks to wait; 0 if it does not say
   * @param underway how many intents are with the leader still
   */
  void refused(long retryAfterNs, int underway, long nowNs) {
    if (!isPause(nowNs)) {
      long longestNs = FIRST_PAUSE_NS << Math.min(pausesInVain, MAX_DOUBLINGS);
      resumeNs = nowNs + longestNs - Math.floorMod(entropy.nextLong(), longestNs / 2);
      pausesInVain++;
    }
    long askedForNs = Math.min(retryAfterNs, LONGEST_PAUSE_NS);
    if (resumeNs - nowNs < askedForNs) {
      resumeNs = nowNs + askedForNs;
    }
    limit = Math.max(FEWEST, underway + 1); // those under way may be uploads, all of them
  }

  /** The leader has taken an intent. */
  void taken() {
    pausesInVain = 0;
    if (limit != UNLIMITED) {
      limit++;
    }
  }

  /**
   * Whether one more intent may be sent.
   *
   * @param underway how many intents are with the leader
   */
  boolean maySend(int underway, long nowNs) {
    return underway < limit && !isPause(nowNs);
  }

  /** Nobody waits for his turn any more: the leader has been sent everything again. */
  void over() {
    limit = UNLIMITED;
  }

  /** The leader is another one, or has forgotten what it thought of this worker. */
  void reconnected() {
    over();
    pausesInVain = 0;
  }

  private boolean isPause(long nowNs) {
    return limit != UNLIMITED && resumeNs - nowNs > 0;
  }
}
