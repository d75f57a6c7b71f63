package io.hypersync.sim.check;

import io.hypersync.wire.agent.Clock;
import java.util.function.BooleanSupplier;

/**
 * What one run of a worker has heard of its leader, told by the messages alone: by it is judged
 * whether a call had the right to be answered as it was. Who is in touch must see what he has been
 * told (hypersync.md 6.2), and is told EIO of nothing (6.4).
 */
public final class LinkRecord {
  /**
   * In touch for so long, in nanoseconds, and awake: every question is answered by then, with the
   * slowest network and disk of any simulated world.
   */
  private static final long CERTAIN_NS = 2_500_000_000L;

  private final String worker;
  private final Clock clock;
  private final BooleanSupplier inTouch;
  private final long staleNs;
  private boolean wasInTouch;
  private long inTouchSinceNs;
  private long spells;
  private long heardNs;
  private long toldIndex;

  /**
   * The moment in which a call was made.
   *
   * @param spell which time of being in touch it belongs to; 0 if to none
   * @param madeNs when
   * @param toldIndex up to where the log was known to be committed
   */
  public record Moment(long spell, long madeNs, long toldIndex) {}

  /**
   * Nothing has been heard.
   *
   * @param inTouch whether the worker takes mutations now
   * @param staleNs LEADER_STALE: how old the last message may be without asking
   */
  public LinkRecord(String worker, Clock clock, BooleanSupplier inTouch, long staleNs) {
    this.worker = worker;
    this.clock = clock;
    this.inTouch = inTouch;
    this.staleNs = staleNs;
  }

  /** A message of the leader is being taken. */
  public void heard() {
    heardNs = clock.monotonicNs();
  }

  /** It says how far the log is committed. */
  public void told(long commitIndex) {
    toldIndex = Math.max(toldIndex, commitIndex);
  }

  /** The leader turns an intent away for now: how long that takes is anybody's guess. */
  public void busy() {
    inTouchSinceNs = clock.monotonicNs();
  }

  /**
   * Time has passed; to be called after each step.
   *
   * @param pausedUntilNs when the last pause of the worker has ended or will end
   */
  public void look(long pausedUntilNs) {
    boolean now = inTouch.getAsBoolean();
    if (now && !wasInTouch) {
      spells++;
    }
    if (!now || !wasInTouch) {
      inTouchSinceNs = clock.monotonicNs();
    }
    inTouchSinceNs = Math.max(inTouchSinceNs, pausedUntilNs);
    wasInTouch = now;
  }

  /** A call is made now. */
  public Moment now() {
    long spell = inTouch.getAsBoolean() ? spells : 0;
    return new Moment(spell, clock.monotonicNs(), toldIndex);
  }

  /**
   * A call that had to wait for its barrier goes on: unless the leader has been out of reach
   * meanwhile, it sees what was known when it was made, and somebody was heard not long before.
   *
   * @param visible how far the log is applied where it goes on
   */
  public void passes(Object call, Moment made, long visible) {
    if (made.spell == 0 || made.spell != spells || !inTouch.getAsBoolean()) {
      return;
    }
    Violation.unless(
        visible >= made.toldIndex,
        call,
        " of ",
        worker,
        " sees entry ",
        visible,
        " though ",
        made.toldIndex,
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

  /** A call is told that nobody knows what became of it. */
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
