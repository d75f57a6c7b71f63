package io.hypersync.leader.syncstandby;

import io.hypersync.leader.syncstandby.SyncRecord.Standing;
import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.message.StandbyStanding;
import io.hypersync.wire.transport.SessionId;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** One standby that a leader is to wait for. On the agent's thread. */
final class SyncStandby {
  /** One that was left is waited for again when it is at most so many entries behind. */
  private static final long CLOSE = 1_024;

  /** After each time that it was left, it is waited for again after twice as long a pause. */
  private static final int MOST_PAUSES = 32;

  private final WorkerId name;
  private final long patienceNs;
  private @Nullable SessionId session;

  /** Whether nothing is acknowledged without it. */
  private boolean isWaitedFor;

  /** Whether it has, or has had on its disk, all that was ever acknowledged. */
  private boolean isComplete;

  /** Whether an earlier run has waited for it, so that its last entries may be here only. */
  private boolean holdsStart;

  /** What was on this disk when it was last begun to wait for it, or when it came back. */
  private long needed;

  /** On its disk, and compared with this log on this connection. */
  private long synced;

  /** What it says that it has on its disk; -1 before it has said anything on this connection. */
  private long said = -1;

  private boolean isCaughtUp;
  private long goal;
  private long stalledNs;
  private long pauseNs;
  private long pausedNs;
  private long caughtUpNs;
  private long aloneAfter;
  private long sinceEpochMs;

  /**
   * A standby of which the record says this.
   *
   * @param recovered the last entry of this log, which is durable here
   * @param patienceNs how long it is waited for; {@code Long.MAX_VALUE} for ever
   */
  SyncStandby(
      WorkerId name, Optional<Standing> known, long recovered, long patienceNs, long nowMs) {
    this.name = name;
    this.patienceNs = patienceNs;
    this.needed = recovered;
    this.goal = recovered;
    this.isComplete = known.map(Standing::isSynchronous).orElse(false);
    this.holdsStart = isComplete;
    this.isWaitedFor = isComplete || waitsForEver();
    this.aloneAfter = known.filter(each -> !each.isSynchronous()).map(Standing::index).orElse(0L);
    this.sinceEpochMs =
        known.filter(each -> !each.isSynchronous()).map(Standing::epochMs).orElse(nowMs);
    this.pauseNs = waitsForEver() ? 0 : patienceNs;
  }

  private boolean waitsForEver() {
    return patienceNs == Long.MAX_VALUE;
  }

  WorkerId name() {
    return name;
  }

  @Nullable SessionId session() {
    return session;
  }

  boolean isWaitedFor() {
    return isWaitedFor;
  }

  boolean isComplete() {
    return isComplete;
  }

  boolean holdsStart() {
    return isWaitedFor && holdsStart;
  }

  /** What counts of it; 0 before it has said anything on this connection. */
  long synced() {
    return synced;
  }

  long said() {
    return Math.max(0, said);
  }

  /** What was acknowledged after this entry may be here only, unless it is complete. */
  long aloneAfter() {
    return aloneAfter;
  }

  /** Since when it stands as it does, in milliseconds since 1970. */
  long sinceEpochMs() {
    return sinceEpochMs;
  }

  /** Whether it is complete, and has shown so on this connection. */
  boolean isSynchronous() {
    return isWaitedFor && isComplete && isCaughtUp;
  }

  /** It has connected. What an earlier connection has said counts for entries of then only. */
  void established(SessionId connection, long acknowledged) {
    session = connection;
    synced = 0;
    said = -1;
    isCaughtUp = false;
    needed = isWaitedFor ? Math.max(needed, acknowledged) : needed;
  }

  void ended() {
    session = null;
    synced = 0;
    isCaughtUp = false;
  }

  /** It is ended for good if it says what cannot be. */
  void reported(long saidToBeSynced, long counted) {
    said = saidToBeSynced;
    synced = counted;
  }

  /** Whether it has all that may have been acknowledged without it. */
  boolean hasWhatItNeeds() {
    return isWaitedFor && session != null && synced >= needed;
  }

  /** It has caught up, and that is recorded. */
  void complete(long nowNs, long nowMs) {
    if (!isCaughtUp) {
      caughtUpNs = nowNs;
      sinceEpochMs = nowMs;
    }
    isComplete = true;
    isCaughtUp = true;
    holdsStart = false;
  }

  /** Whether it is the time to wait for it again. */
  boolean isCloseEnough(long own) {
    return !isWaitedFor && session != null && said > 0 && pausedNs <= 0 && own - synced <= CLOSE;
  }

  /**
   * From now on nothing is acknowledged without it.
   *
   * @param own all that is durable here, with or without it
   */
  void waitFor(long own) {
    isWaitedFor = true;
    needed = own;
    goal = own;
    stalledNs = 0;
  }

  /** From now on it is not waited for, and that is recorded. */
  void leave(long acknowledged, long nowNs, long nowMs) {
    boolean hasKeptUp = isCaughtUp && nowNs - caughtUpNs > MOST_PAUSES * patienceNs;
    pauseNs = hasKeptUp ? patienceNs : Math.min(2 * pauseNs, MOST_PAUSES * patienceNs);
    pausedNs = pauseNs;
    aloneAfter = isComplete ? acknowledged : aloneAfter;
    sinceEpochMs = nowMs;
    isWaitedFor = false;
    isComplete = false;
    isCaughtUp = false;
    holdsStart = false;
  }

  /**
   * Time has passed.
   *
   * @param sliceNs of which so much counts
   * @return whether it has been silent, or behind one goal, for longer than it is waited for
   */
  boolean isOverdue(long own, long sliceNs) {
    pausedNs = Math.max(0, pausedNs - sliceNs);
    if (!isWaitedFor || waitsForEver()) {
      return false;
    }
    if (session != null && synced >= goal) {
      goal = own;
      stalledNs = 0;
      return false;
    }
    stalledNs += sliceNs;
    return stalledNs > patienceNs;
  }

  /** What it is told. */
  StandbyStanding standing() {
    StandbyStanding.Mark mark =
        isSynchronous()
            ? StandbyStanding.Mark.SYNCHRONOUS
            : isComplete && (said < 0 || said >= needed)
                ? StandbyStanding.Mark.AS_BEFORE
                : StandbyStanding.Mark.INCOMPLETE;
    return new StandbyStanding(
        mark,
        waitsForEver()
            ? StandbyStanding.NEVER
            : Math.clamp(patienceNs / 1_000_000, 1, Integer.MAX_VALUE));
  }
}
