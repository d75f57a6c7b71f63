package io.hypersync.worker.lock;

import io.hypersync.model.errno.Errno;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.WorkerMessage;
import org.jspecify.annotations.Nullable;

/** A request to the leader whose answer is not known; owned by {@link LockClient}. */
final class PendingLock {
  private final long seqNo;
  private final WorkerMessage message;
  private final LockKey key;
  private final @Nullable LockCall call;
  private final Runnable done;
  private final Runnable refused;
  private final long deadlineNs;
  private boolean sent;
  private boolean abandoned;
  private boolean told;
  private int grants;
  private @Nullable LockResponse grant;

  private PendingLock(
      long seqNo,
      WorkerMessage message,
      LockKey key,
      @Nullable LockCall call,
      Runnable done,
      Runnable refused,
      long deadlineNs) {
    this.seqNo = seqNo;
    this.message = message;
    this.key = key;
    this.call = call;
    this.done = done;
    this.refused = refused;
    this.deadlineNs = deadlineNs;
  }

  /** A call that locks or tests; it ends with EIO at its deadline. */
  static PendingLock of(long seqNo, WorkerMessage message, LockCall call, long deadlineNs) {
    return new PendingLock(seqNo, message, call.key(), call, () -> {}, () -> {}, deadlineNs);
  }

  /** What frees all of a file: it always succeeds, and {@code done} is told when. */
  static PendingLock freeing(long seqNo, WorkerMessage message, LockKey key, Runnable done) {
    return new PendingLock(seqNo, message, key, null, done, done, Long.MAX_VALUE);
  }

  /** An unlock: it fails only if what is left would be in too many pieces for the leader. */
  static PendingLock unlocking(long seqNo, WorkerMessage message, LockCall call) {
    LockEnding ending = call.ending();
    return new PendingLock(
        seqNo,
        message,
        call.key(),
        null,
        ending::granted,
        () -> ending.failed(Errno.ENOLCK),
        Long.MAX_VALUE);
  }

  long seqNo() {
    return seqNo;
  }

  WorkerMessage message() {
    return message;
  }

  LockKey key() {
    return key;
  }

  /** Null for what frees. */
  @Nullable LockCall call() {
    return call;
  }

  /** Says that it is freed, or as good as that; once. */
  void tellDone() {
    tell(done);
  }

  /** Says that the leader has not freed it, to whom nothing else was said before. */
  void tellRefused() {
    tell(refused);
  }

  private void tell(Runnable outcome) {
    if (!told) {
      told = true;
      outcome.run();
    }
  }

  /** In the clock's terms; MAX_VALUE for none. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Whether the leader may have it. */
  boolean sent() {
    return sent;
  }

  void markSent() {
    sent = true;
  }

  /** Whether the caller was told that it failed, and a cancel follows. */
  boolean abandoned() {
    return abandoned;
  }

  void abandon() {
    abandoned = true;
  }

  /** The answer which granted it, while its effect is not visible here; else null. */
  @Nullable LockResponse grant() {
    return grant;
  }

  /** Returns a number for this grant among those of the request. */
  int grantedBy(LockResponse response) {
    grant = response;
    grants++;
    return grants;
  }

  /** Its session has ended. */
  void grantLost() {
    grant = null;
  }

  /** Whether it is still granted, and by this grant. */
  boolean isGrantedBy(int number) {
    return grant != null && grants == number;
  }
}
