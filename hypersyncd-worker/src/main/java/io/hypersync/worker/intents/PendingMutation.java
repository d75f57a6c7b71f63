package io.hypersync.worker.intents;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.state.FsState;
import org.jspecify.annotations.Nullable;

/** A mutation whose caller is waiting. Owned by {@link IntentTracker}. */
final class PendingMutation {
  private final long number;
  private IntentId id;
  private final Mutation mutation;
  private final long deadlineNs;
  private boolean acknowledged;
  private @Nullable LogEntry entry;
  private @Nullable FsState state;
  private @Nullable Errno errno;
  private long asOfIndex;
  private boolean refusedBefore;
  private boolean sent;
  private long sentNs;

  /**
   * Creates a mutation that has not been sent.
   *
   * @param number 1, 2, 3, ... in the order of submission; kept when the id changes
   */
  PendingMutation(long number, IntentId id, Mutation mutation, long deadlineNs) {
    this.number = number;
    this.id = id;
    this.mutation = mutation;
    this.deadlineNs = deadlineNs;
  }

  long number() {
    return number;
  }

  IntentId id() {
    return id;
  }

  /** Gives the mutation a new id, under which it is sent again. */
  void renamed(IntentId newId) {
    id = newId;
  }

  Mutation mutation() {
    return mutation;
  }

  void sent(long nowNs) {
    if (!sent) {
      sent = true;
      mutation.times().sent(nowNs);
    }
    sentNs = nowNs;
  }

  /** When it was last sent (monotonic). */
  long sentNs() {
    return sentNs;
  }

  long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the leader has answered that it is durable or that it failed. */
  boolean isResolved() {
    return acknowledged || errno != null;
  }

  void acknowledged() {
    acknowledged = true;
  }

  /** Whether the answer rests on an entry that is not visible, though all entries are so far. */
  boolean isOfLostEntry(long visibleIndex) {
    return (acknowledged && entry == null) || (errno != null && asOfIndex > visibleIndex);
  }

  /** The answer does not count. */
  void unanswered() {
    acknowledged = false;
    errno = null;
  }

  void applied(LogEntry appliedEntry, FsState stateAfter) {
    entry = appliedEntry;
    state = stateAfter;
  }

  void refused(Errno why, long asOf) {
    errno = why;
    asOfIndex = asOf;
  }

  /**
   * Answers the caller if everything that it waits for has happened: success needs the ack and the
   * entry visible here; an error needs the state it was decided on (hypersync.md 6.3, 6.2).
   *
   * @return whether the caller was answered
   */
  boolean completeIfDone(long settledIndex) {
    if (errno != null && settledIndex >= asOfIndex) {
      mutation.completion().failed(errno);
      return true;
    }
    if (!acknowledged || entry == null) {
      return false;
    }
    return completeIfApplied();
  }

  /**
   * Reports success if the entry is visible here, with or without an ack: what is in the log is
   * durable.
   *
   * @return whether the caller was answered
   */
  boolean completeIfApplied() {
    if (entry == null || state == null) {
      return false;
    }
    mutation.completion().committed(entry, state);
    return true;
  }

  /** The record of this mutation, whose caller has been answered. */
  FinishedMutation finished() {
    return new FinishedMutation(id, mutation, errno == null ? entry : null);
  }

  /** Whether the leader has ever received it and refused it for now. */
  boolean wasRefusedBefore() {
    return refusedBefore;
  }

  /** Marks it as refused for now: the leader keeps nothing of it, and it is to be sent again. */
  void refusedForNow() {
    refusedBefore = true;
  }
}
