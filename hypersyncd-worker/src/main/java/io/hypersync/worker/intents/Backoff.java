package io.hypersync.worker.intents;

import io.hypersync.runtime.agent.Entropy;

/**
 * Limits how fast this worker sends intents while the leader refuses some of them: because it is
 * busy (EAGAIN, hypersync.md 6.3.1), or because this worker sends too fast (RATE_LIMITED, 12.5).
 * One instance covers all intents, since the leader's limits apply to workers, not to callers.
 *
 * <p>After a refusal nothing is sent for a pause. Pauses double, from 1 ms to 256 ms, until the
 * leader takes an intent; each lasts at least as long as the leader asks for, up to two seconds.
 * After the pause the number of intents in flight is limited to one more than were in flight at the
 * refusal, but at least {@link #FEWEST}; the limit grows by one for each intent that the leader
 * takes. So the leader is sent what it can take and not much more, however many callers wait.
 */
final class Backoff {
  private static final long FIRST_PAUSE_NS = 1_000_000;

  /** Limits a pause that the leader has not asked for to 256 ms. */
  private static final int MAX_DOUBLINGS = 8;

  /**
   * The longest pause, whatever the leader asks for: by then it may be another leader, or be less
   * busy.
   */
  private static final long LONGEST_PAUSE_NS = 2_000_000_000;

  /** The limit is never below this: one of the intents in flight may be a slow upload. */
  private static final int FEWEST = 4;

  private static final int UNLIMITED = Integer.MAX_VALUE;

  private final Entropy entropy;
  private int limit = UNLIMITED;
  private int pausesInVain;
  private long resumeNs;

  /**
   * Creates a backoff without limit.
   *
   * @param entropy shortens each pause by up to half, so that workers do not get in step
   */
  Backoff(Entropy entropy) {
    this.entropy = entropy;
  }

  /**
   * Records that the leader has refused an intent for now. An intent refused during a pause was
   * sent before the pause; it does not lengthen the pause unless the leader asks for that.
   *
   * @param retryAfterNs how long the leader asks to wait; 0 if it does not say
   * @param underway the number of intents in flight to the leader
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
    limit = Math.max(FEWEST, underway + 1); // all of those in flight may be uploads
  }

  /** Records that the leader has taken an intent. */
  void taken() {
    pausesInVain = 0;
    if (limit != UNLIMITED) {
      limit++;
    }
  }

  /**
   * Whether one more intent may be sent now.
   *
   * @param underway the number of intents in flight to the leader
   */
  boolean maySend(int underway, long nowNs) {
    return underway < limit && !isPause(nowNs);
  }

  /** Lifts the limit; called when every refused intent has been sent again. */
  void over() {
    limit = UNLIMITED;
  }

  /**
   * Lifts the limit after a reconnect: the leader is another one, or has forgotten this worker's
   * rate.
   */
  void reconnected() {
    over();
    pausesInVain = 0;
  }

  private boolean isPause(long nowNs) {
    return limit != UNLIMITED && resumeNs - nowNs > 0;
  }
}
