package io.hypersync.coordination.putex;

import java.util.OptionalLong;

/**
 * One agent of a process mutex (process-mutex.md): says step by step what is to be done, so that of
 * all agents of one record at most one has its service running. Single-threaded; knows no clock.
 *
 * <p>Whoever drives it asks for the {@link #next} step, does it, and says what has {@link #done
 * become} of it. Times are nanoseconds of one clock of this host that never goes back.
 *
 * <p>Why never two. A service runs only until {@link PutexTiming#trustNs} after the moment before
 * its last renewal was sent, plus C * R for stopping. There are three ways to the lock:
 *
 * <ul>
 *   <li>Another agent's record is taken when it was seen unchanged for {@link
 *       PutexTiming#patienceNs}, which is longer than the trust, and C * R lie between that and the
 *       start. Its revision says that it is the same record.
 *   <li>No record, or one with the own token that this process has not written, says nothing of who
 *       runs. It is written first, and held for the patience and C * R before the start.
 *   <li>A free record is taken at once: it was freed by an agent whose service had stopped, and
 *       that had waited before it ran.
 * </ul>
 *
 * <p>Revisions say that nobody has written between, unless the whole store was emptied and counts
 * from the beginning. Whoever writes then begins by the second way, so for the time of the trust a
 * revision is that of the record that was seen. After it nothing that was known counts.
 */
public final class ProcessMutex {
  /** The pause before a write that was not answered is looked at: R divided by this. */
  private static final int PAUSES_PER_RENEWAL = 10;

  /** Why a record is not written, or a write not believed. */
  static final String TOO_LATE = "too much time has passed since the record was read";

  private static final long MIN_START_NS = 1_000_000;

  private final String token;
  private final PutexTiming timing;
  private final MutexWatcher watcher;

  private State state = State.GET_LOCK;

  /** When the stroke and the step have begun. */
  private long strokeNs;

  private long stepNs;

  /** The record that the next write replaces; empty if there is none. */
  private OptionalLong revision = OptionalLong.empty();

  /** Whether that record is one that this agent has written, as did all before it since a wait. */
  private boolean ours;

  /** Whether that record is free. */
  private boolean free;

  /** Whether a write of that record was not answered. */
  private boolean unanswered;

  /** Whether whoever had the lock before this agent has had the time to stop. */
  private boolean confirmed;

  /** Whether the service may run here: it was started and not stopped for sure. */
  private boolean mayRun;

  /** Whether others were fenced and the service was started: until then each start fences. */
  private boolean activated;

  /** Until when the lock is held for sure, if the service may run. */
  private long trustedUntilNs;

  /** Until when a renewal is tried. */
  private long attemptUntilNs;

  /** The moment after the record was read that is to be taken over. */
  private long seenNs;

  /** Whether there is no record, or one with the own token that is not ours. */
  private boolean isUnproven;

  /** When that record was there: the moment before it was read or written. */
  private long provenNs;

  private int confirmationsLeft;
  private boolean tokenInUse;
  private boolean isLeaving;

  /**
   * An agent that has not done anything yet.
   *
   * @param token what it writes; not empty, and no other agent of the record has it
   */
  public ProcessMutex(String token, PutexTiming timing, MutexWatcher watcher) {
    if (token.isEmpty()) {
      throw new IllegalArgumentException("an empty token means that the lock is free");
    }
    this.token = token;
    this.timing = timing;
    this.watcher = watcher;
  }

  /** Where it is. */
  public State state() {
    return state;
  }

  /** Whether the service may run here. */
  public boolean mayRun() {
    return mayRun;
  }

  /** Whether the lock is held here, be the service started or not. */
  public boolean isHeld() {
    return ours;
  }

  /** Until when the service may run without another renewal; of no meaning if it may not run. */
  public long trustedUntilNs() {
    return trustedUntilNs;
  }

  /** Stops the service, frees the lock and ends, from the next step on. */
  public void leave() {
    isLeaving = true;
  }

  /**
   * What is to be done now. Once for each step.
   *
   * @param nowNs the time before it is done
   */
  public Step next(long nowNs) {
    stepNs = nowNs;
    if (state == State.GET_LOCK) { // before it may go elsewhere: what fails is tried again after R
      strokeNs = nowNs;
      attemptUntilNs = Long.MIN_VALUE;
    }
    if (isLeaving && !isLeavingState()) {
      move(State.LEAVE_KILL, "");
    }
    if (mayRun && nowNs >= trustedUntilNs && trusts()) {
      move(State.ABORT_KILL, "the lock was not renewed in time");
    }
    if (replacesARecord() && !isUnproven && !isCurrent(nowNs)) {
      forget();
      move(state == State.LEAVE_BLANK ? State.LEFT : State.WAIT_R, TOO_LATE);
    }
    return switch (state) {
      case GET_LOCK, LOOK -> new Step.Read(timing.renewalNs());
      case WAIT_KILL, ABORT_KILL, LEAVE_KILL -> new Step.Stop(timing.stopLimitNs());
      case WAIT_CHECK, WRITE_CHECK -> new Step.Check(false, timing.checkLimitNs());
      case WAIT_TAKEOVER ->
          new Step.Wait(Math.min(nowNs + timing.renewalNs(), seenNs + timing.patienceNs()));
      case WRITE, CONFIRM_WRITE -> new Step.Write(token, revision, timing.renewalNs());
      case CONFIRM_WAIT -> new Step.Wait(nowNs + timing.renewalNs());
      case SUNNY_CHECK ->
          new Step.Check(
              ours,
              mayRun
                  ? Math.min(timing.checkLimitNs(), trustedUntilNs - nowNs)
                  : timing.checkLimitNs());
      case SUNNY_WRITE -> new Step.Write(token, revision, attemptLimitNs(nowNs));
      case SUNNY_PAUSE ->
          new Step.Wait(Math.min(nowNs + timing.renewalNs() / PAUSES_PER_RENEWAL, attemptUntilNs));
      case SUNNY_READ -> new Step.Read(attemptLimitNs(nowNs));
      case SUNNY_START -> {
        mayRun = true;
        // Leaves R for the next renewal.
        long limitNs = trustedUntilNs - nowNs - timing.renewalNs();
        yield new Step.Start(
            !activated, trustedUntilNs, Math.max(limitNs, MIN_START_NS), revision.orElseThrow());
      }
      case ABORT_BLANK, LEAVE_BLANK -> new Step.Write("", revision, timing.renewalNs());
      case WAIT_R -> new Step.Wait(strokeNs + timing.renewalNs());
      case LEFT -> new Step.End();
    };
  }

  /**
   * Takes what has become of the step.
   *
   * @param nowNs the time after it was done
   */
  public void done(Outcome outcome, long nowNs) {
    switch (state) {
      case GET_LOCK -> gotLock(outcome, nowNs);
      case WAIT_KILL -> {
        noteStop(outcome);
        move(isUnproven ? State.WRITE_CHECK : State.WAIT_CHECK, why(outcome));
      }
      case WAIT_CHECK -> checked(outcome, nowNs, State.WAIT_TAKEOVER, State.WAIT_R);
      case WAIT_TAKEOVER -> move(State.LOOK, "");
      case LOOK -> looked(outcome, nowNs);
      case WRITE_CHECK -> checked(outcome, nowNs, State.WRITE, State.WAIT_R);
      case WRITE -> {
        confirmationsLeft = timing.confirmations() + (isUnproven ? timing.patienceIntervals() : 0);
        taken(outcome, nowNs);
      }
      case CONFIRM_WAIT -> {
        confirmationsLeft--;
        confirmed = confirmationsLeft == 0;
        move(confirmed ? State.WAIT_R : State.CONFIRM_WRITE, "");
      }
      case CONFIRM_WRITE -> taken(outcome, nowNs);
      case SUNNY_CHECK ->
          checked(
              outcome,
              nowNs,
              ours || free ? State.SUNNY_WRITE : State.SUNNY_READ,
              State.ABORT_KILL);
      case SUNNY_WRITE -> renewed(outcome, nowNs);
      case SUNNY_PAUSE -> move(State.SUNNY_READ, "");
      case SUNNY_READ -> lookedAtRenewal(outcome, nowNs);
      case SUNNY_START -> {
        activated |= outcome instanceof Outcome.Passed;
        move(State.WAIT_R, why(outcome));
      }
      case ABORT_KILL -> {
        noteStop(outcome);
        // Not freed before the service has stopped: others start at once when it is free.
        move(mayFree() ? State.ABORT_BLANK : State.WAIT_R, why(outcome));
      }
      case ABORT_BLANK -> {
        forget();
        move(State.WAIT_R, why(outcome));
      }
      case WAIT_R -> move(State.GET_LOCK, "");
      case LEAVE_KILL -> {
        noteStop(outcome);
        move(mayFree() ? State.LEAVE_BLANK : State.LEFT, why(outcome));
      }
      case LEAVE_BLANK -> {
        forget();
        move(State.LEFT, why(outcome));
      }
      case LEFT -> throw new IllegalStateException("nothing was to be done");
    }
  }

  private void gotLock(Outcome outcome, long nowNs) {
    seenNs = nowNs;
    switch (outcome) {
      case Outcome.Absent _ -> {
        // Perhaps it was removed while somebody runs.
        forget();
        isUnproven = true;
        move(State.WAIT_KILL, "there is no record");
      }
      case Outcome.Found found when isOurs(found, nowNs) -> {
        keep(found);
        move(State.SUNNY_CHECK, "");
      }
      case Outcome.Found found when found.token().isEmpty() && !mayRun -> {
        see(found);
        free = true;
        move(State.SUNNY_CHECK, "");
      }
      case Outcome.Found found -> {
        boolean isOwnToken = found.token().equals(token);
        if (isOwnToken && ours && !unanswered && isCurrent(nowNs)) {
          tokenInUse = true;
          watcher.tokenInUse();
        }
        see(found);
        isUnproven = isOwnToken && !tokenInUse;
        move(State.WAIT_KILL, "");
      }
      default -> move(State.SUNNY_CHECK, why(outcome));
    }
  }

  private void looked(Outcome outcome, long nowNs) {
    // Only what was seen counts: what was not answered may have been another record.
    if (!(outcome instanceof Outcome.Found found)
        || revision.isEmpty()
        || revision.getAsLong() != found.revision()) {
      move(State.WAIT_R, why(outcome));
      return;
    }
    provenNs = stepNs;
    boolean isAbandoned = nowNs - seenNs >= timing.patienceNs();
    move(isAbandoned ? State.WRITE_CHECK : State.WAIT_TAKEOVER, "");
  }

  /** A takeover, or a renewal while it is confirmed. */
  private void taken(Outcome outcome, long nowNs) {
    if (outcome instanceof Outcome.Written written && (isUnproven || isCurrent(nowNs))) {
      hold(written.revision());
      move(State.CONFIRM_WAIT, "");
    } else {
      forget();
      move(State.WAIT_R, why(outcome));
    }
  }

  private void renewed(Outcome outcome, long nowNs) {
    switch (outcome) {
      case Outcome.Written written when isCurrent(nowNs) -> {
        hold(written.revision());
        confirmed = true; // it was, or the record was free
        trustedUntilNs = stepNs + timing.trustNs();
        move(State.SUNNY_START, "");
      }
      case Outcome.Written _ -> {
        forget();
        move(State.ABORT_KILL, TOO_LATE);
      }
      case Outcome.Refused _ when !unanswered -> {
        forget();
        move(State.ABORT_KILL, "somebody else has written the record");
      }
      default -> {
        unanswered = true;
        again(outcome, nowNs);
      }
    }
  }

  private void lookedAtRenewal(Outcome outcome, long nowNs) {
    switch (outcome) {
      case Outcome.Found found when isOurs(found, nowNs) -> {
        keep(found);
        move(State.SUNNY_WRITE, "");
      }
      case Outcome.Found found when found.token().isEmpty() && !mayRun && !ours -> {
        boolean isOnItsWay = isOnItsWay(found);
        see(found);
        free = true;
        unanswered = isOnItsWay;
        move(State.SUNNY_WRITE, "");
      }
      case Outcome.Found _ -> {
        forget();
        move(State.ABORT_KILL, "the lock is not held here");
      }
      case Outcome.Absent _ -> {
        forget();
        move(State.ABORT_KILL, "there is no record");
      }
      default -> again(outcome, nowNs);
    }
  }

  private void again(Outcome outcome, long nowNs) {
    boolean isLate = nowNs >= attemptUntilNs;
    move(isLate ? State.ABORT_KILL : State.SUNNY_PAUSE, why(outcome));
  }

  private void checked(Outcome outcome, long nowNs, State passed, State failed) {
    if (outcome instanceof Outcome.Passed) {
      if (nowNs - stepNs > timing.renewalNs()) {
        watcher.slowCheck(nowNs - stepNs);
      }
      move(passed, "");
    } else {
      move(failed, why(outcome));
    }
  }

  /** How long one attempt to renew may take; the first one begins the time for all. */
  private long attemptLimitNs(long nowNs) {
    if (attemptUntilNs == Long.MIN_VALUE) {
      attemptUntilNs = mayRun ? trustedUntilNs : nowNs + timing.checkLimitNs();
    }
    return Math.clamp(attemptUntilNs - nowNs, 1, timing.renewalNs());
  }

  /**
   * Whether a record is the last one that this agent has written, or may have written: only this
   * agent writes its token, and a record that it replaced was its own or free.
   */
  private boolean isOurs(Outcome.Found found, long nowNs) {
    return found.token().equals(token)
        && (ours || (free && unanswered))
        && isCurrent(nowNs)
        && revision.isPresent()
        && (revision.getAsLong() == found.revision() || unanswered);
  }

  /** Whether what is known of the record is young enough that its revision tells it from others. */
  private boolean isCurrent(long nowNs) {
    return nowNs - provenNs < timing.trustNs();
  }

  /** Somebody else's record, or a free one. */
  private void see(Outcome.Found found) {
    forget();
    revision = OptionalLong.of(found.revision());
    provenNs = stepNs;
  }

  /** The record that this agent has written last, found again. */
  private void keep(Outcome.Found found) {
    boolean isOnItsWay = isOnItsWay(found);
    hold(found.revision());
    unanswered = isOnItsWay;
  }

  /** Whether a write that was not answered may still be done: what it replaces is there. */
  private boolean isOnItsWay(Outcome.Found found) {
    return unanswered && revision.isPresent() && revision.getAsLong() == found.revision();
  }

  /** A record that this agent has written. */
  private void hold(long newRevision) {
    revision = OptionalLong.of(newRevision);
    provenNs = stepNs;
    ours = true;
    free = false;
    unanswered = false;
    isUnproven = false;
  }

  private void forget() {
    revision = OptionalLong.empty();
    ours = false;
    free = false;
    unanswered = false;
    confirmed = false;
    isUnproven = false;
  }

  private void noteStop(Outcome outcome) {
    if (outcome instanceof Outcome.Passed) {
      mayRun = false;
      activated = false;
    }
  }

  private boolean mayFree() {
    return !mayRun && ours && confirmed;
  }

  private boolean isLeavingState() {
    return state == State.LEAVE_KILL || state == State.LEAVE_BLANK || state == State.LEFT;
  }

  private boolean replacesARecord() {
    return switch (state) {
      case WRITE, CONFIRM_WRITE, SUNNY_WRITE, ABORT_BLANK, LEAVE_BLANK -> true;
      default -> false;
    };
  }

  /** Whether a state relies on the lock being held, if the service may run. */
  private boolean trusts() {
    return switch (state) {
      case WAIT_KILL, ABORT_KILL, ABORT_BLANK, WAIT_R, LEAVE_KILL, LEAVE_BLANK, LEFT -> false;
      default -> true;
    };
  }

  private void move(State to, String why) {
    State from = state;
    state = to;
    watcher.moved(from, to, why);
  }

  private static String why(Outcome outcome) {
    return switch (outcome) {
      case Outcome.Unknown unknown -> unknown.why();
      case Outcome.Failed failed -> failed.why();
      case Outcome.Refused _ -> "somebody else has written the record";
      default -> "";
    };
  }
}
