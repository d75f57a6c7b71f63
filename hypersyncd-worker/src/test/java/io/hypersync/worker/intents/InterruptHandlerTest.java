package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.link.ReadBarrier;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A signal ends a waiting call, perhaps after a delay, if it ends the calling thread, and only
 * then.
 */
class InterruptHandlerTest {
  private static final long LATER_NS = 200_000_000;
  private static final long DEADLINE_NS = 30_000_000_000L;
  private static final int THREAD = 42;
  private static final RequestId CALL = new RequestId(2);

  private final List<String> told = new ArrayList<>();
  private final List<Integer> looks = new ArrayList<>();
  private final Set<Integer> ending = new HashSet<>();
  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final IntentTracker intents = new IntentTracker(link, () -> 1, DEADLINE_NS, _ -> {});
  private final ReadBarrier readBarrier = new ReadBarrier(link, DEADLINE_NS);
  private final MutationGate gate =
      new MutationGate(intents, readBarrier, new ManualClock(), DEADLINE_NS, new LeaderAbsence(0));
  private final InterruptHandler interruptHandler =
      new InterruptHandler(
          gate,
          pid -> {
            looks.add(pid);
            return ending.contains(pid);
          });

  @BeforeEach
  void twoEntriesAhead() {
    readBarrier.live();
    readBarrier.observed(7);
  }

  @Test
  void whoIsEndedWaitsNoLonger() {
    submit();
    ending.add(THREAD);
    interruptHandler.interrupted(CALL, THREAD, 0);
    assertEquals(List.of("EINTR"), told);
    assertForgotten();
  }

  @Test
  void whoHandlesItWaitsOn() {
    submit();
    interruptHandler.interrupted(CALL, THREAD, 0);
    interruptHandler.tick(LATER_NS);
    assertEquals(List.of(), told);
    readBarrier.advance(7);
    assertEquals(1, sent().size());
  }

  @Test
  void whoIsEndedByALaterSignalIsFoundOutSoon() {
    submit();
    interruptHandler.interrupted(CALL, THREAD, 0);
    ending.add(THREAD);
    interruptHandler.tick(1);
    assertEquals(List.of(), told, "not at every turn of the loop");
    interruptHandler.tick(LATER_NS);
    assertEquals(List.of("EINTR"), told);
    assertForgotten();
  }

  @Test
  void whatTheLeaderHasGoesOnAndEndsWhenTheLeaderGivesItBack() {
    submit();
    readBarrier.advance(7);
    ending.add(THREAD);
    interruptHandler.interrupted(CALL, THREAD, 0);
    interruptHandler.tick(LATER_NS);
    assertEquals(List.of(), told, "nobody knows whether it is committed");
    intents.acknowledged(
        new CommitAck(sent().getFirst().intent(), Errno.EAGAIN, null, 7), 7, LATER_NS);
    interruptHandler.tick(2 * LATER_NS);
    assertEquals(List.of("EINTR"), told, "it is not");
    assertForgotten();
  }

  @Test
  void callsThatWaitForFreshnessOrAnotherMutationAreCallsToo() {
    readBarrier.whenFresh(5, 0, waiter());
    ending.add(THREAD);
    interruptHandler.interrupted(CALL, THREAD, 0);
    assertEquals(List.of("open EINTR"), told);

    submit();
    gate.fsync(
        FsState.ROOT, new WaitingCall(new RequestId(4), () -> {}, () -> told.add("fsync EINTR")));
    interruptHandler.interrupted(new RequestId(4), THREAD, 0);
    assertEquals(List.of("open EINTR", "fsync EINTR"), told);
  }

  /**
   * As in open with O_CREAT and O_TRUNC, where a truncate follows if the name turns out to exist.
   */
  @Test
  void aSignalBetweenTwoMutationsOfACallIsNotLost() {
    ending.add(THREAD);
    interruptHandler.interrupted(CALL, THREAD, 0);
    submit();
    interruptHandler.tick(LATER_NS);
    assertEquals(List.of("EINTR"), told);
    assertForgotten();
  }

  @Test
  void aCallThatHasEndedIsForgotten() {
    interruptHandler.interrupted(CALL, THREAD, 0);
    assertForgotten();
    submit();
    interruptHandler.interrupted(CALL, THREAD, 0);
    readBarrier.lost();
    interruptHandler.tick(LATER_NS);
    assertForgotten();
    assertEquals(List.of("EROFS"), told);
  }

  /** Asserts that no caller is checked any more. */
  private void assertForgotten() {
    looks.clear();
    interruptHandler.tick(DEADLINE_NS);
    interruptHandler.tick(2 * DEADLINE_NS);
    assertEquals(List.of(), looks);
  }

  private void submit() {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0);
    gate.submit(Mutations.of(CALL, op, Mutations.noting(told, "")), 5);
  }

  private ReadBarrier.Waiter waiter() {
    return new ReadBarrier.Waiter() {
      @Override
      public RequestId unique() {
        return CALL;
      }

      @Override
      public void fresh() {
        told.add("open");
      }

      @Override
      public void leaderLost() {
        told.add("open without a leader");
      }

      @Override
      public void interrupted() {
        told.add("open EINTR");
      }
    };
  }

  private List<SubmitIntent> sent() {
    return link.sent(SubmitIntent.class);
  }
}
