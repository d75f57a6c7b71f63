package io.hypersync.sim.check;

import io.hypersync.runtime.agent.Clock;
import java.util.function.BooleanSupplier;

/**
 * What one run of a worker has received from its leader, as seen from the messages alone. Checks by
 * it whether a call was answered correctly: a call of a worker that is in touch must see the newest
 * commit index its worker had received (hypersync.md 6.2), and must not end with EIO (6.4).
 */
public final class LinkRecord {
  /**
   * After this many nanoseconds in touch and not paused, every question to the leader must have
   * been answered, even with the slowest network and disk that a simulated history can have.
   */
  private static final long CERTAIN_NS = 2_500_000_000L;

  private final String worker;
  private final Clock clock;
  private final BooleanSupplier inTouch;
  private final long staleNs;
  private boolean wasInTouch;
  private long inTouchSinceNs;
  private long periods;
  private long heardNs;
  private long receivedIndex;

  /**
   * The circumstances in which a call was made.
   *
   * @param period number of the uninterrupted period in touch in which it was made; 0 if the worker
   *     was out of touch
   * @param madeNs time of the call, in nanoseconds
   * @param receivedIndex newest commit index that the worker had received
   */
  public record Moment(long period, long madeNs, long receivedIndex) {}

  /**
   * Creates the record of a worker that has received nothing.
   *
   * @param inTouch whether the worker accepts mutations at present
   * @param staleNs LEADER_STALE: the greatest age of the last message at which the leader need not
   *     be asked
   */
  public LinkRecord(String worker, Clock clock, BooleanSupplier inTouch, long staleNs) {
    this.worker = worker;
    this.clock = clock;
    this.inTouch = inTouch;
    this.staleNs = staleNs;
  }

  /** A message of the leader is being processed. */
  public void heard() {
    heardNs = clock.monotonicNs();
  }

  /** Another leader has taken over, whose log ends with this entry. */
  public void follows(long commitIndex) {
    receivedIndex = commitIndex;
    periods++; // calls of before may proceed in the step in which it is in touch again
  }

  /** The message carries this commit index. */
  public void received(long commitIndex) {
    receivedIndex = Math.max(receivedIndex, commitIndex);
  }

  /**
   * The leader has turned an intent away for now. How long it stays busy has no bound, so the
   * period after which EIO counts as a violation begins anew.
   */
  public void busy() {
    inTouchSinceNs = clock.monotonicNs();
  }

  /**
   * Updates the periods in touch; must be called after each step.
   *
   * @param pausedUntilNs when the last pause of the worker has ended or will end
   */
  public void look(long pausedUntilNs) {
    boolean now = inTouch.getAsBoolean();
    if (now && !wasInTouch) {
      periods++;
    }
    if (!now || !wasInTouch) {
      inTouchSinceNs = clock.monotonicNs();
    }
    inTouchSinceNs = Math.max(inTouchSinceNs, pausedUntilNs);
    wasInTouch = now;
  }

  /** The circumstances of a call that is made now. */
  public Moment now() {
    long period = inTouch.getAsBoolean() ? periods : 0;
    return new Moment(period, clock.monotonicNs(), receivedIndex);
  }

  /**
   * A call that may have waited for its barrier proceeds. Unless the leader has been unreachable
   * meanwhile, it must see what was known when it was made, and the leader must have been heard no
   * longer than {@code staleNs} before that.
   *
   * @param visible newest index that is visible where the call proceeds
   */
  public void passes(Object call, Moment made, long visible) {
    if (made.period == 0 || made.period != periods || !inTouch.getAsBoolean()) {
      return;
    }
    Violation.unless(
        visible >= made.receivedIndex,
        call,
        " of ",
        worker,
        " sees entry ",
        visible,
        " though ",
        made.receivedIndex,
        " was known to be committed when it was made");
    Violation.unless(
        heardNs > made.madeNs - staleNs,
        call,
        " of ",
        worker,
        " goes by what was heard ",
        (made.madeNs - heardNs) / 1_000_000,
        " ms before it was made");
  }

  /** A call ends with EIO: its outcome is unknown. */
  public void unknown(Object call) {
    long ns = clock.monotonicNs() - inTouchSinceNs;
    Violation.unless(
        !wasInTouch || !inTouch.getAsBoolean() || ns < CERTAIN_NS,
        call,
        " of ",
        worker,
        " is told EIO though the leader has been there for ",
        ns / 1_000_000,
        " ms");
  }
}
