package io.hypersync.worker.lock;

import io.hypersync.model.errno.Errno;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.WorkerMessage;
import org.jspecify.annotations.Nullable;

/** A request to the leader that is not answered yet. Owned by {@link LockClient}. */
final class PendingLock {
  private final long seqNo;
  private final WorkerMessage message;
  private final OwnerLockKey key;
  private final @Nullable LockCall call;
  private final Runnable done;
  private final Runnable refused;
  private final long deadlineNs;
  private boolean sent;
  private boolean abandoned;
  private boolean ran;
  private int grants;
  private @Nullable LockResponse grant;

  private PendingLock(
      long seqNo,
      WorkerMessage message,
      OwnerLockKey key,
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

  /** Creates the request of a call that locks or tests; it ends with EIO at its deadline. */
  static PendingLock of(long seqNo, WorkerMessage message, LockCall call, long deadlineNs) {
    return new PendingLock(seqNo, message, call.key(), call, () -> {}, () -> {}, deadlineNs);
  }

  /**
   * Creates a release of all locks on a file, or a cancel. The leader never refuses it; {@code
   * done} runs when it has answered.
   */
  static PendingLock freeing(long seqNo, WorkerMessage message, OwnerLockKey key, Runnable done) {
    return new PendingLock(seqNo, message, key, null, done, done, Long.MAX_VALUE);
  }

  /**
   * Creates the request of an unlock. It fails only if the ranges that stay locked would be too
   * many for the leader.
   */
  static PendingLock unlocking(long seqNo, WorkerMessage message, LockCall call) {
    LockCompletion ending = call.ending();
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

  OwnerLockKey key() {
    return key;
  }

  /** The call that locks or tests; null for a release, a cancel or an unlock. */
  @Nullable LockCall call() {
    return call;
  }

  /**
   * Runs the callback for success, unless one has run before; also used without a connection, when
   * the release is only queued.
   */
  void runDone() {
    run(done);
  }

  /** Runs the callback for the leader's refusal, unless one has run before. */
  void runRefused() {
    run(refused);
  }

  private void run(Runnable outcome) {
    if (!ran) {
      ran = true;
      outcome.run();
    }
  }

  /** Monotonic deadline in nanoseconds; MAX_VALUE for none. */
  long deadlineNs() {
    return deadlineNs;
  }

  /** Whether it was sent, so that the leader may have it. */
  boolean sent() {
    return sent;
  }

  void markSent() {
    sent = true;
  }

  /** Whether its call has failed already, and a cancel follows. */
  boolean abandoned() {
    return abandoned;
  }

  void abandon() {
    abandoned = true;
  }

  /**
   * The answer that granted it, while the caller waits for a log index to become visible here; else
   * null.
   */
  @Nullable LockResponse grant() {
    return grant;
  }

  /** Records a grant; returns its number among the grants of this request. */
  int grantedBy(LockResponse response) {
    grant = response;
    grants++;
    return grants;
  }

  /** Forgets the grant, because its session has ended. */
  void grantLost() {
    grant = null;
  }

  /** Whether it is still granted, by the grant with this number. */
  boolean isGrantedBy(int number) {
    return grant != null && grants == number;
  }
}
