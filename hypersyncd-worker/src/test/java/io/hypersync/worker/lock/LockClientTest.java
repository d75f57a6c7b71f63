package io.hypersync.worker.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.LockResponse.Verdict;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRenew;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.incarnation.Memories;
import io.hypersync.worker.incarnation.MountMemory;
import io.hypersync.worker.replica.IndexCallbacks;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A lock call from its submission to its single outcome (hypersync.md 10.2). */
class LockClientTest {
  private static final long DEADLINE_NS = 30_000_000_000L;
  private static final ClientId RUN = new ClientId(1, 2);
  private static final OwnerLockKey KEY =
      new OwnerLockKey(new NodeId(1, 1), LockSpace.FLOCK, new FuseLockOwner(5));
  private static final FileHandle HANDLE = new FileHandle(9);

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final List<String> told = new ArrayList<>();
  private final IndexCallbacks visible = new IndexCallbacks();
  private final HeldLocks heldLocks = new HeldLocks();
  private final LockClient client = new LockClient(RUN, link, visible, heldLocks, DEADLINE_NS);
  private long unique;
  private long answers;

  @Test
  void aGrantIsToldWhenWhatTheHolderWroteIsVisible() {
    welcome(1);
    lock(Wish.WAIT);
    answer(1, Verdict.GRANTED, true, 7);
    assertEquals(List.of(), told);
    visible.reached(6);
    assertEquals(List.of(), told);
    visible.reached(7);
    assertEquals(List.of("1 granted"), told);
    assertEquals(1, client.held());
  }

  @Test
  void whatIsUnansweredIsSentAgainInOrderAndOnlyThen() {
    welcome(1);
    lock(Wish.TRY);
    lock(Wish.WAIT);
    answer(1, Verdict.DENIED, false, 0);
    link.sent.clear();
    client.linkDown();
    lock(Wish.WAIT);
    welcome(1);
    assertEquals(List.of("lock 2", "lock 3", "renew 1"), sent());
    assertEquals(List.of("1 denied"), told);
  }

  /** Before that answer, the worker does not know the TTL. */
  @Test
  void theFirstLockIsRenewedByTheTtlThatItsAnswerSays() {
    welcome(1);
    lock(Wish.TRY);
    link.sent.clear();
    client.answered(response(1, Verdict.GRANTED, true, 0, 300));
    client.tick(99_000_000);
    assertEquals(List.of(), sent());
    client.tick(100_000_000);
    assertEquals(List.of("renew 1"), sent());
  }

  /** The kernel sends again what was not answered; the release of a closed file nobody repeats. */
  @Test
  void theNextProcessGoesOnUnderTheSameRunAndSettlesWhatWasUnderWay() throws IOException {
    MountMemory memory = Memories.ofANewMount();
    client.keep(memory, false);
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    lock(Wish.WAIT);
    OwnerLockKey other = new OwnerLockKey(new NodeId(2, 2), LockSpace.FLOCK, KEY.owner());
    client.release(other, () -> {});
    link.sent.clear();

    HeldLocks after = new HeldLocks();
    LockClient next = new LockClient(new ClientId(9, 9), link, visible, after, DEADLINE_NS);
    next.keep(memory, true);
    assertEquals(RUN, next.run());
    assertTrue(after.mayHold(KEY), "what was granted is held");
    assertEquals(1, after.session(KEY.node(), HANDLE, FuseLockOwner.NONE), "for its fence, too");
    next.welcomed(
        new Welcome(new WorkspaceId(1, 1), 1, 0, 100, NegotiatedParams.DEFAULT, 1, 15_000), 0);
    assertEquals(List.of("cancel of 2 as 4", "release 5", "renew 0"), sent());
    assertEquals(List.of(KEY), after.closed(HANDLE), "its close frees it");
  }

  @Test
  void ifTheLeaderHasForgottenTheSessionMeanwhileTheNextProcessKnowsThatItsLocksAreLost()
      throws IOException {
    MountMemory memory = Memories.ofANewMount();
    client.keep(memory, false);
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    HeldLocks after = new HeldLocks();
    LockClient next = new LockClient(new ClientId(9, 9), link, visible, after, DEADLINE_NS);
    next.keep(memory, true);
    next.welcomed(
        new Welcome(new WorkspaceId(1, 1), 1, 0, 100, NegotiatedParams.DEFAULT, 2, 15_000), 0);
    assertEquals(1, next.lost());
    assertEquals(1, after.session(KEY.node(), HANDLE, FuseLockOwner.NONE), "its writes are fenced");
  }

  @Test
  void anAnswerIsTakenOnce() {
    welcome(1);
    lock(Wish.TRY);
    LockResponse response = response(1, Verdict.GRANTED, true, 0);
    client.answered(response);
    client.answered(response);
    assertEquals(List.of("1 granted"), told);
  }

  @Test
  void anInterruptEndsAWaitAtOnceAndACancelFollows() {
    welcome(1);
    lock(Wish.WAIT);
    client.interrupt(new RequestId(1));
    assertEquals(List.of("1 EINTR"), told);
    assertEquals("cancel of 1 as 2", sent().getLast());
    answer(1, Verdict.GRANTED, true, 0);
    answer(2, Verdict.GRANTED, false, 0);
    assertEquals(List.of("1 EINTR"), told);
    assertFalse(heldLocks.mayHold(KEY));
    assertEquals(0, client.waiting());
  }

  @Test
  void anInterruptThatComesBeforeItsRequestIsNotForgotten() {
    welcome(1);
    client.interrupt(new RequestId(1));
    lock(Wish.WAIT);
    assertEquals(List.of("1 EINTR"), told);
    assertFalse(heldLocks.mayHold(KEY));
  }

  @Test
  void anInterruptOfWhatWasNeverSentSendsNothing() {
    lock(Wish.WAIT);
    client.interrupt(new RequestId(1));
    welcome(1);
    assertEquals(List.of("1 EINTR"), told);
    assertEquals(List.of("renew 0"), sent());
  }

  @Test
  void whatWasNeverSentChangesNothingOfWhatIsHeld() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    client.linkDown();
    lock(Wish.TRY);
    assertEquals(List.of("1 granted", "2 ENOLCK"), told);
    assertTrue(heldLocks.mayHold(KEY), "the first lock is to be freed by a close");
    assertEquals(1, client.held());
  }

  @Test
  void aLeaderThatIsThereAndDoesNotAnswerHasUntilTheDeadline() {
    welcome(1);
    lock(Wish.TRY);
    lock(Wish.WAIT);
    client.tick(DEADLINE_NS - 1);
    assertEquals(List.of(), told);
    client.tick(DEADLINE_NS);
    assertEquals(List.of("1 EIO"), told);
    assertEquals(2, client.waiting(), "one, and the cancel of the other");
  }

  @Test
  void withoutALeaderWhatMustNotWaitEndsAtOnceAndTheRestGoesOn() {
    welcome(1);
    lock(Wish.TRY);
    lock(Wish.TEST);
    lock(Wish.WAIT);
    assertEquals(List.of(), told);
    client.linkDown();
    assertEquals(List.of("1 ENOLCK", "2 ENOLCK"), told);
    lock(Wish.TRY);
    lock(Wish.TEST);
    lock(Wish.WAIT);
    assertEquals(List.of("1 ENOLCK", "2 ENOLCK", "4 ENOLCK", "5 ENOLCK"), told);
    assertEquals(3, client.waiting(), "two, and a cancel");
    link.sent.clear();
    welcome(1);
    assertEquals(
        List.of("lock 1", "lock 2", "lock 3", "cancel of 1 as 4", "lock 5", "renew 0"),
        sent(),
        "the leader may have granted the first");
  }

  @Test
  void anotherSessionTakesAllLocksAndTellsWhoHeldThem() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    lock(Wish.WAIT);
    client.linkDown();
    link.sent.clear();
    welcome(2);
    assertEquals(List.of("renew 0"), sent(), "who has lost a lock is told, and not given another");
    assertEquals(0, client.held());
    assertEquals(1, client.lost());
    assertEquals(List.of("1 granted", "2 EIO"), told);
    lock(Wish.TRY);
    answers = 0;
    answer(3, Verdict.GRANTED, true, 0);
    assertEquals(List.of("1 granted", "2 EIO", "3 granted"), told);
  }

  @Test
  void whoWaitsAndHasLostNothingIsAskedForAgain() {
    welcome(1);
    lock(Wish.WAIT);
    client.linkDown();
    link.sent.clear();
    welcome(2);
    assertEquals(List.of("lock 1", "renew 0"), sent());
    answer(1, Verdict.GRANTED, true, 0);
    assertEquals(List.of("1 granted"), told);
  }

  @Test
  void aGrantThatIsNotVisibleYetIsLostWithItsSession() {
    welcome(1);
    lock(Wish.WAIT);
    answer(1, Verdict.GRANTED, true, 7);
    client.linkDown();
    welcome(2);
    visible.reached(7);
    assertEquals(List.of(), told);
    answers = 0;
    answer(1, Verdict.GRANTED, true, 9);
    visible.reached(9);
    assertEquals(List.of("1 granted"), told);
  }

  @Test
  void aGrantIsNotConfirmedWhileItMayBeUndone() {
    welcome(1);
    lock(Wish.WAIT);
    answer(1, Verdict.GRANTED, true, 7);
    client.linkDown();
    welcome(1);
    assertEquals("renew 0", sent().getLast());
    client.interrupt(new RequestId(1));
    assertEquals("cancel of 1 as 2", sent().getLast());
    visible.reached(7);
    assertEquals(List.of("1 EINTR"), told);
  }

  @Test
  void whatFreesIsDoneWhenTheLeaderSaysSoOrIsNotThere() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    client.release(KEY, () -> told.add("released"));
    assertEquals(List.of("1 granted"), told);
    client.linkDown();
    assertEquals(List.of("1 granted", "released"), told);
    welcome(1);
    assertTrue(sent().contains("release 2"));
    answer(2, Verdict.GRANTED, false, 0);
    assertEquals(List.of("1 granted", "released"), told, "once");
    assertFalse(heldLocks.mayHold(KEY));
  }

  /** The unlock splits a lock, which would leave one range more than the leader allows. */
  @Test
  void anUnlockThatTheLeaderRefusesFails() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    unlock();
    answer(2, Verdict.NO_LOCKS, true, 0);
    assertEquals(List.of("1 granted", "2 ENOLCK"), told);
    assertTrue(heldLocks.mayHold(KEY));
    assertEquals(0, client.waiting());
    unlock();
    answer(3, Verdict.GRANTED, false, 0);
    assertEquals(List.of("1 granted", "2 ENOLCK", "3 granted"), told);
    assertFalse(heldLocks.mayHold(KEY));
  }

  /**
   * Success was reported when the connection was lost, since the end of the lease releases the
   * lock; nothing is reported after that.
   */
  @Test
  void anUnlockThatWasToldToBeDoneIsNotToldToHaveFailed() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    unlock();
    client.linkDown();
    welcome(1);
    answer(2, Verdict.NO_LOCKS, true, 0);
    assertEquals(List.of("1 granted", "2 granted"), told);
    assertTrue(heldLocks.mayHold(KEY));
  }

  @Test
  void locksAreRenewedThreeTimesALease() {
    welcome(1);
    lock(Wish.TRY);
    answer(1, Verdict.GRANTED, true, 0);
    link.sent.clear();
    for (long ms = 0; ms <= 10_100; ms += 10) { // two leases, and a tick late each time
      client.tick(ms * 1_000_000);
    }
    assertEquals(6, sent().size(), sent()::toString);
  }

  @Test
  void aHandleKnowsWhatCameThroughIt() {
    heldLocks.asked(KEY, HANDLE);
    heldLocks.ended(KEY, true, 1);
    assertEquals(List.of(), heldLocks.closed(new FileHandle(8)));
    assertEquals(List.of(KEY), heldLocks.closed(HANDLE));
    assertEquals(List.of(), heldLocks.closed(HANDLE));
    assertTrue(heldLocks.mayHold(KEY), "until the leader has freed it");
  }

  private void lock(Wish wish) {
    heldLocks.asked(KEY, HANDLE);
    submit(LockMode.EXCLUSIVE, wish);
  }

  private void unlock() {
    submit(null, Wish.TRY);
  }

  private void submit(@Nullable LockMode mode, Wish wish) {
    unique++;
    long number = unique;
    client.submit(
        new LockCall(
            new RequestId(number),
            KEY,
            1,
            LockRange.WHOLE,
            mode,
            wish,
            new LockCompletion() {
              @Override
              public void granted() {
                told.add(number + " granted");
              }

              @Override
              public void denied(Holder holder) {
                told.add(number + " denied");
              }

              @Override
              public void failed(Errno errno) {
                told.add(number + " " + errno);
              }
            }),
        0);
  }

  private void welcome(long session) {
    client.welcomed(
        new Welcome(new WorkspaceId(1, 1), 1, 0, 100, NegotiatedParams.DEFAULT, session, 15_000),
        0);
  }

  private void answer(long seqNo, Verdict verdict, boolean held, long commitIndex) {
    client.answered(response(seqNo, verdict, held, commitIndex));
  }

  private LockResponse response(long seqNo, Verdict verdict, boolean held, long commitIndex) {
    return response(seqNo, verdict, held, commitIndex, 5_000);
  }

  private LockResponse response(
      long seqNo, Verdict verdict, boolean held, long commitIndex, int leaseTtlMs) {
    answers++;
    Holder holder =
        verdict.isDenied()
            ? new Holder(new HeldLock(LockRange.WHOLE, LockMode.SHARED), new WorkerId("x"), 0)
            : null;
    return new LockResponse(
        new IntentId(RUN, seqNo), answers, verdict, held, commitIndex, leaseTtlMs, holder);
  }

  private List<String> sent() {
    return link.sent.stream().map(LockClientTest::describe).toList();
  }

  private static String describe(WorkerMessage message) {
    return switch (message) {
      case LockRequest request -> "lock " + request.intent().seqNo();
      case LockRelease release -> "release " + release.intent().seqNo();
      case LockCancel cancel ->
          "cancel of " + cancel.requestSeqNo() + " as " + cancel.intent().seqNo();
      case LockRenew renew -> "renew " + renew.answeredThrough();
      default -> throw new AssertionError("not of locks: " + message);
    };
  }
}
