package io.hypersync.worker.intents;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.fixtures.Entries;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage.ChunkNeed;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.Committed;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.LeaderMessage.RateLimited;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.worker.RecordingLeaderLink;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** A mutation from its call to its single outcome (hypersync.md 6.3, 6.4, 8.2, 9.3.1). */
class IntentTrackerTest {
  private static final long DEADLINE_NS = 30_000_000_000L;
  private static final long LATE_NS = DEADLINE_NS + DEADLINE_NS / 10;
  private static final long MS = 1_000_000;
  private static final int PID = 42;
  private static final long UNIQUE = 12;

  private final RecordingLeaderLink link = new RecordingLeaderLink();
  private final List<FinishedMutation> finished = new ArrayList<>();
  private final List<String> told = new ArrayList<>();
  private long entropy;
  private final IntentTracker tracker =
      new IntentTracker(link, () -> ++entropy, DEADLINE_NS, finished::add);

  @Test
  void successNeedsTheAckAndTheEntry() {
    IntentId id = mkdir("a", 100);
    tracker.acknowledged(ack(id, null, 1), 0, 200);
    assertEquals(List.of(), told);
    tracker.applied(entry(1, id), FsState.genesis());
    assertEquals(List.of(), told, "visible first, answered then");
    tracker.completeDone(1);
    assertEquals(List.of("a committed"), told);
    assertEquals(1, finished.size(), "told after the caller");
    assertEquals(id, finished.getFirst().intent());
    assertNotNull(finished.getFirst().entry());
    assertEquals(100, finished.getFirst().mutation().times().sentNs());
    assertEquals(0, tracker.size());
  }

  @Test
  void theEntryMayComeBeforeTheAck() {
    IntentId id = mkdir("a", 0);
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.completeDone(1);
    assertEquals(List.of(), told);
    tracker.acknowledged(ack(id, null, 1), 1, 0);
    assertEquals(List.of("a committed"), told);
  }

  @Test
  void anErrorWaitsForTheStateItWasDecidedOn() {
    IntentId id = mkdir("a", 0);
    tracker.acknowledged(ack(id, Errno.EEXIST, 5), 4, 0);
    tracker.completeDone(4);
    assertEquals(List.of(), told);
    tracker.completeDone(5);
    assertEquals(List.of("a EEXIST"), told);
  }

  @Test
  void theSecondAnswerIsNobodys() {
    IntentId id = mkdir("a", 0);
    tracker.acknowledged(ack(id, Errno.EEXIST, 0), 0, 0);
    tracker.acknowledged(ack(id, null, 1), 0, 0);
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.completeDone(1);
    assertEquals(List.of("a EEXIST"), told);
  }

  @Test
  void afterAReconnectTheLeaderIsAskedInOrder() {
    IntentId a = mkdir("a", 0);
    IntentId b = mkdir("b", 0);
    tracker.acknowledged(ack(a, Errno.EEXIST, 9), 0, 0);
    IntentId c = mkdir("c", 0);
    link.sent.clear();
    tracker.reconnected(9, 0);
    assertEquals(List.of(new IntentStatusRequest(b), new IntentStatusRequest(c)), link.sent);
  }

  /** A leader that is gone has answered, and has taken along what it has answered by. */
  @Test
  void whatTheNextLeaderMayLackIsAskedAgain() {
    IntentId committed = mkdir("a", 0);
    IntentId refused = mkdir("b", 0);
    tracker.acknowledged(ack(committed, null, 3), 0, 0);
    tracker.acknowledged(ack(refused, Errno.EEXIST, 3), 0, 0);
    link.sent.clear();
    tracker.reconnected(2, 0);
    assertEquals(
        List.of(new IntentStatusRequest(committed), new IntentStatusRequest(refused)), link.sent);
    tracker.status(status(committed, Status.NOT_FOUND), 2);
    tracker.status(status(refused, Status.NOT_FOUND), 2);
    tracker.retry(0);
    assertEquals(List.of("a", "b"), names());
    assertEquals(List.of(), told);
  }

  @Test
  void whatTheLeaderHasNeverHeardOfIsSentAgainUnderItsId() {
    IntentId id = mkdir("a", 0);
    tracker.reconnected(0, 0);
    link.sent.clear();
    tracker.status(status(id, Status.NOT_FOUND), 0);
    tracker.retry(0);
    assertEquals(id, onlySubmit().intent());
  }

  @Test
  void butBehindALaterOneOfTheSameCallerUnderANewId() {
    IntentId first = mkdir("a", 0);
    IntentId second = mkdir("b", 0);
    tracker.reconnected(0, 0);
    link.sent.clear();
    tracker.status(status(first, Status.NOT_FOUND), 0);
    tracker.status(status(second, Status.IN_FLIGHT), 0);
    tracker.retry(0);
    IntentId again = onlySubmit().intent();
    assertEquals(first.client(), again.client());
    assertTrue(again.seqNo() > second.seqNo(), "the second may be in the log already");
    tracker.acknowledged(ack(again, Errno.EEXIST, 0), 0, 0);
    assertEquals(List.of("a EEXIST"), told);
  }

  @Test
  void whatIsSentAgainKeepsItsOrderAndGoesBeforeWhatHasComeSince() {
    IntentId first = mkdir("a", 0);
    IntentId second = mkdir("b", 0);
    tracker.reconnected(0, 0);
    link.sent.clear();
    submit(UNIQUE, PID, "c", 0);
    tracker.status(status(second, Status.NOT_FOUND), 0);
    tracker.retry(0);
    assertEquals(List.of(), link.sent, "the leader has not said yet what became of the first");
    tracker.status(status(first, Status.NOT_FOUND), 0);
    tracker.retry(0);
    assertEquals(List.of("a", "b", "c"), names());
  }

  @Test
  void whatIsInFlightIsNotSentAgain() {
    IntentId id = mkdir("a", 0);
    tracker.reconnected(0, 0);
    link.sent.clear();
    tracker.status(status(id, Status.IN_FLIGHT), 0);
    assertEquals(List.of(), link.sent, "its refusal may be on the way");
  }

  @Test
  void whatIsCommittedIsAnsweredOnceItIsApplied() {
    IntentId id = mkdir("a", 0);
    tracker.reconnected(0, 0);
    tracker.status(status(id, Status.COMMITTED), 0);
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.completeDone(1);
    assertEquals(List.of("a committed"), told);
  }

  @Test
  void aBusyLeaderIsAskedAgainLaterAndLater() {
    IntentId id = mkdir("a", 0);
    long now = 0;
    for (long pauseMs : new long[] {1, 2, 4, 8}) {
      tracker.acknowledged(ack(id, Errno.EAGAIN, 0), 0, now);
      link.sent.clear();
      tracker.retry(now + pauseMs * MS / 2);
      assertEquals(List.of(), link.sent);
      now += pauseMs * MS;
      tracker.retry(now);
      tracker.retry(now);
      assertEquals(id, onlySubmit().intent());
    }
    assertEquals(List.of(), told);
  }

  @Test
  void aWorkerThatSendsTooFastWaitsForAsLongAsItIsTold() {
    IntentId id = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(id, 700), 0);
    link.sent.clear();
    tracker.retry(700 * MS - 1);
    assertEquals(List.of(), link.sent);
    tracker.retry(700 * MS);
    assertEquals(id, onlySubmit().intent());
    assertEquals(List.of(), told);
  }

  @Test
  void theApplicationHearsNothingOfItBeforeTheDeadline() {
    IntentId id = mkdir("a", 0);
    for (long now = 0; now < DEADLINE_NS; now += 300 * MS) {
      tracker.rateLimited(new RateLimited(id, 10), now);
      assertEquals(0, tracker.expire(now));
      assertEquals(List.of(), told);
      tracker.retry(now + 299 * MS);
      id = lastSubmit().intent();
    }
    tracker.rateLimited(new RateLimited(id, 60_000), DEADLINE_NS - 1);
    assertEquals(0, tracker.expire(LATE_NS), "the leader is there, and has said so");
    assertEquals(List.of("a EIO"), told);
    link.sent.clear();
    tracker.retry(2 * LATE_NS);
    assertEquals(List.of(), link.sent);
  }

  @Test
  void nothingIsSentAfterItsDeadline() {
    IntentId id = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(id, 1), 0);
    link.sent.clear();
    tracker.retry(DEADLINE_NS);
    assertEquals(List.of("a EIO"), told);
    assertEquals(List.of(), link.sent, "what has not happened must not happen now");
  }

  @Test
  void aLeaderThatGotItJustBeforeTheDeadlineIsNotTakenForDead() {
    IntentId id = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(id, 1), 0);
    tracker.retry(DEADLINE_NS - 1);
    assertEquals(0, tracker.expire(LATE_NS));
    assertEquals(List.of("a EIO"), told);
  }

  @Test
  void aNewConnectionIsNotHeldUpByWhatTheLeaderAskedForOnTheOld() {
    IntentId id = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(id, 1_500), 0);
    link.sent.clear();
    tracker.reconnected(0, 0);
    tracker.retry(MS);
    assertEquals(List.of("a"), names());
  }

  @Test
  void whatComesMeanwhileQueuesUpBehindIt() {
    IntentId first = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(first, 5), 0);
    link.sent.clear();
    for (String name : List.of("b", "c", "d", "e", "f")) {
      submit(UNIQUE, name.charAt(0), name, MS);
    }
    assertEquals(List.of(), link.sent, "none overtakes it");
    tracker.retry(5 * MS);
    assertEquals(List.of("a", "b", "c", "d"), names(), "a few are tried");
    tracker.acknowledged(ack(first, null, 1), 0, 6 * MS);
    tracker.retry(6 * MS);
    assertEquals(List.of("a", "b", "c", "d", "e", "f"), names(), "the leader takes them again");
    submit(UNIQUE, 'g', "g", 7 * MS);
    assertEquals("g", names().getLast(), "nobody is before it");
  }

  @Test
  void theOldestGoesFirstThoughItWasRefusedLast() {
    List<IntentId> sent = new ArrayList<>();
    for (String name : List.of("a", "b", "c", "d", "e", "f")) {
      sent.add(mkdir(name, name.charAt(0), 0));
    }
    sent.reversed().forEach(id -> tracker.rateLimited(new RateLimited(id, 1), 0));
    link.sent.clear();
    tracker.retry(MS);
    assertEquals(List.of("a", "b", "c", "d"), names());
    sent.subList(0, 4).reversed().forEach(id -> tracker.rateLimited(new RateLimited(id, 1), MS));
    link.sent.clear();
    tracker.retry(10 * MS);
    assertEquals(List.of("a", "b", "c", "d"), names(), "not those who have waited for less long");
  }

  @Test
  void whatIsRefusedBehindALaterOneOfItsCallerGetsANewId() {
    IntentId first = mkdir("a", 0);
    IntentId second = mkdir("b", 0);
    tracker.rateLimited(new RateLimited(first, 1), 0);
    tracker.acknowledged(ack(second, null, 1), 0, 0);
    link.sent.clear();
    tracker.retry(MS);
    IntentId again = onlySubmit().intent();
    assertEquals(first.client(), again.client());
    assertTrue(again.seqNo() > second.seqNo(), "the second is in the log");
  }

  @Test
  void whatTheLeaderHasRefusedIsNotAskedAboutAfterAReconnect() {
    IntentId a = mkdir("a", 0);
    IntentId b = mkdir("b", 0);
    tracker.rateLimited(new RateLimited(a, 1), 0);
    link.sent.clear();
    tracker.reconnected(0, 0);
    assertEquals(List.of(new IntentStatusRequest(b)), link.sent);
    tracker.status(status(b, Status.IN_FLIGHT), 0);
    tracker.acknowledged(ack(b, Errno.EEXIST, 0), 0, MS);
    tracker.retry(MS);
    assertEquals(List.of("a"), names());
  }

  @Test
  void chunksOfWhatWasRefusedAreUploadedAgainOnlyIfTheLeaderAsks() {
    Chunk chunk = Chunk.of(new byte[9_000]);
    tracker.submit(write(List.of(chunk), List.of(chunk.hash())), 0);
    IntentId id = onlySubmit().intent();
    tracker.rateLimited(new RateLimited(id, 1), 0);
    link.sent.clear();
    tracker.retry(MS);
    assertEquals(List.of(), onlySubmit().uploading());
    assertEquals(1, link.sent.size());
    tracker.chunksNeeded(new ChunkNeed(id, List.of(chunk.hash())));
    assertEquals(chunk.hash(), ((ChunkPut) link.sent.getLast()).hash());
  }

  @Test
  void whatWasNeverSentIsSentWhenItsTurnComes() {
    IntentId first = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(first, 5), 0);
    submit(UNIQUE, 1, "b", MS);
    tracker.retry(5 * MS);
    IntentId second = lastSubmit().intent();
    tracker.acknowledged(ack(first, Errno.EEXIST, 0), 0, 6 * MS);
    tracker.acknowledged(ack(second, Errno.EEXIST, 0), 0, 6 * MS);
    assertEquals(List.of("a EEXIST", "b EEXIST"), told);
    assertEquals(
        List.of(0L, 5 * MS),
        finished.stream().map(end -> end.mutation().times().sentNs()).toList());
  }

  @Test
  void largePayloadsGoBesideTheIntentAndSmallOnesInIt() {
    byte[] large = new byte[9_000];
    Chunk chunk = Chunk.of(large);
    tracker.submit(write(List.of(chunk), List.of(chunk.hash())), 0);
    SubmitIntent submit = (SubmitIntent) link.sent.get(0);
    assertEquals(0, submit.inlinePayload().length);
    assertEquals(List.of(chunk.hash()), submit.uploading());
    assertEquals(chunk.hash(), ((ChunkPut) link.sent.get(1)).hash());
    link.sent.clear();
    Chunk small = Chunk.of(new byte[] {1, 2});
    tracker.submit(write(List.of(small, small), List.of(small.hash())), 0);
    assertEquals(4, onlySubmit().inlinePayload().length);
    assertEquals(List.of(), onlySubmit().uploading());
  }

  /**
   * The threshold of the present leader counts; when the intent was first sent it may have been
   * another.
   */
  @Test
  void whatTravelsInsideAnIntentIsAsTheLeaderWantsItNow() {
    Chunk chunk = Chunk.of(new byte[100]);
    tracker.inlineUpTo(99);
    tracker.submit(write(List.of(chunk), List.of(chunk.hash())), 0);
    SubmitIntent apart = onlySubmit();
    assertEquals(0, apart.inlinePayload().length);
    assertEquals(chunk.hash(), ((ChunkPut) link.sent.getLast()).hash());
    link.sent.clear();
    tracker.inlineUpTo(100);
    tracker.reconnected(0, 0);
    tracker.status(status(apart.intent(), Status.NOT_FOUND), 0);
    tracker.retry(0);
    assertEquals(100, onlySubmit().inlinePayload().length);
    assertEquals(apart.intent(), onlySubmit().intent());
  }

  @Test
  void chunksAreSentWhenTheLeaderAsks() {
    Chunk chunk = Chunk.of(new byte[9_000]);
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId id = onlySubmit().intent();
    link.sent.clear();
    tracker.chunksNeeded(new ChunkNeed(id, List.of(chunk.hash(), new Hash(1, 1, 1, 1))));
    assertEquals(1, link.sent.size());
    assertEquals(chunk.hash(), ((ChunkPut) link.sent.getFirst()).hash());
  }

  @Test
  void nobodyWaitsLongerThanTheDeadline() {
    mkdir("a", 0);
    mkdir("b", DEADLINE_NS / 2);
    assertEquals(0, tracker.expire(DEADLINE_NS / 2));
    assertEquals(1, tracker.expire(LATE_NS));
    assertEquals(List.of("a EIO"), told);
  }

  @Test
  void aMutationThatTurnsOutToBeInTheLogEndsWithSuccess() {
    IntentId id = mkdir("a", 0);
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.expire(LATE_NS);
    assertEquals(List.of("a committed"), told);
  }

  /** Others may not see it yet, and success says that they do. */
  @Test
  void butWithoutAnAckItsOutcomeIsUnknownWhereAcksWaitForOthers() {
    tracker.awaitAcks(true);
    IntentId id = mkdir("a", 0);
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.expire(LATE_NS);
    assertEquals(List.of("a EIO"), told);
  }

  @Test
  void aLeaderThatHasAnsweredIsNotToBlameForTheDelay() {
    IntentId id = mkdir("a", 0);
    tracker.acknowledged(ack(id, null, 7), 0, 0);
    assertEquals(0, tracker.expire(LATE_NS), "it is the replica that lags");
    assertEquals(List.of("a EIO"), told);
  }

  @Test
  void aLeaderThatHasJustBeenAskedIsNotToBlameEither() {
    mkdir("a", 0);
    tracker.reconnected(0, LATE_NS - 1);
    assertEquals(0, tracker.expire(LATE_NS));
    assertEquals(List.of("a EIO"), told);
  }

  @Test
  void butOneThatNeverSaysWhatItWasAskedIsThoughNobodyWaitsForThatAnyMore() {
    mkdir("a", 0);
    tracker.reconnected(0, LATE_NS - 1);
    assertEquals(0, tracker.expire(LATE_NS));
    submit(UNIQUE, PID, "b", LATE_NS);
    assertEquals(0, tracker.expire(LATE_NS + DEADLINE_NS / 4), "it has time yet");
    assertEquals(1, tracker.expire(LATE_NS + DEADLINE_NS * 3 / 4), "b waits for its answer");
    assertEquals(List.of("a EIO"), told);
    tracker.reconnected(0, LATE_NS + DEADLINE_NS * 3 / 4);
    tracker.retry(LATE_NS + DEADLINE_NS * 3 / 4);
    assertEquals(2, submits().size(), "a, and b on the new connection");
  }

  @Test
  void butOneThatWasAskedLongAgoIs() {
    mkdir("a", 0);
    tracker.reconnected(0, DEADLINE_NS / 2);
    assertEquals(1, tracker.expire(LATE_NS));
  }

  @Test
  void afterEioTheCallerIsAnotherClient() {
    IntentId before = mkdir("a", 0);
    tracker.expire(LATE_NS);
    assertNotEquals(before.client(), mkdir("b", LATE_NS).client());
  }

  @Test
  void fsyncWaitsForWhatIsOnItsWayOnThatNode() {
    Chunk chunk = Chunk.of(new byte[] {1});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId id = onlySubmit().intent();
    assertTrue(tracker.awaitInFlight(new NodeId(8, 8), call("other synced")));
    assertFalse(tracker.awaitInFlight(FILE, call("synced")));
    tracker.submit(write(List.of(chunk), List.of()), 0);
    assertEquals(List.of("other synced"), told);
    tracker.acknowledged(ack(id, Errno.ENOSPC, 0), 0, 0);
    assertEquals(
        List.of("other synced", "write ENOSPC", "synced"), told, "not for what came after");
  }

  @Test
  void fsyncFollowsAMutationThatGetsANewId() {
    Chunk chunk = Chunk.of(new byte[] {1});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId first = onlySubmit().intent();
    tracker.awaitInFlight(FILE, call("synced"));
    IntentId later = mkdir("later", 0);
    tracker.reconnected(0, 0);
    link.sent.clear();
    tracker.status(status(first, Status.NOT_FOUND), 0);
    tracker.status(status(later, Status.IN_FLIGHT), 0);
    tracker.retry(0);
    assertEquals(List.of(), told);
    tracker.acknowledged(ack(onlySubmit().intent(), Errno.ENOSPC, 0), 0, 0);
    assertEquals(List.of("write ENOSPC", "synced"), told);
  }

  @Test
  void aSignalDoesNotEndWhatTheLeaderMayHaveTaken() {
    IntentId id = mkdir("a", 0);
    assertFalse(tracker.interrupt(new RequestId(UNIQUE)));
    tracker.acknowledged(ack(id, null, 1), 0, 0);
    assertFalse(tracker.interrupt(new RequestId(UNIQUE)));
    tracker.applied(entry(1, id), FsState.genesis());
    tracker.completeDone(1);
    assertEquals(List.of("a committed"), told);
  }

  @Test
  void aSignalEndsWhatTheLeaderHasRefusedForNow() {
    IntentId id = mkdir("a", 0);
    tracker.acknowledged(ack(id, Errno.EAGAIN, 0), 0, 0);
    assertFalse(tracker.interrupt(new RequestId(UNIQUE + 2)), "of another call");
    assertTrue(tracker.interrupt(new RequestId(UNIQUE)));
    assertEquals(List.of("a EINTR"), told);
    link.sent.clear();
    tracker.retry(MS);
    assertEquals(List.of(), link.sent);
    assertEquals(0, tracker.size());
  }

  @Test
  void aSignalEndsWhatWaitsBehindIt() {
    IntentId id = mkdir("a", 0);
    tracker.rateLimited(new RateLimited(id, 1_000), 0);
    submit(UNIQUE + 2, PID, "b", MS);
    assertTrue(tracker.interrupt(new RequestId(UNIQUE + 2)));
    assertEquals(List.of("b EINTR"), told);
    assertEquals(1, tracker.size());
  }

  @Test
  void butNotOnceItIsSentAgain() {
    IntentId id = mkdir("a", 0);
    tracker.acknowledged(ack(id, Errno.EAGAIN, 0), 0, 0);
    tracker.retry(MS);
    assertFalse(tracker.interrupt(new RequestId(UNIQUE)));
    assertEquals(List.of(), told);
  }

  @Test
  void aSignalEndsAnFsync() {
    Chunk chunk = Chunk.of(new byte[] {1});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId id = onlySubmit().intent();
    tracker.awaitInFlight(
        FILE, new WaitingCall(new RequestId(20), () -> {}, () -> told.add("interrupted")));
    tracker.awaitInFlight(FILE, call("synced"));
    assertTrue(tracker.interrupt(new RequestId(20)));
    assertEquals(List.of("interrupted"), told);
    tracker.acknowledged(ack(id, Errno.ENOSPC, 0), 0, 0);
    assertEquals(List.of("interrupted", "write ENOSPC", "synced"), told);
  }

  @Test
  void aPayloadIsThereUntilItsCallerIsAnswered() {
    Chunk one = Chunk.of(new byte[] {1, 2});
    Chunk two = Chunk.of(new byte[] {3});
    tracker.submit(write(List.of(one, two), List.of()), 0);
    LogEntry entry = written(1, onlySubmit().intent(), one, two);
    assertArrayEquals(new byte[] {1, 2, 3}, tracker.payload(entry));
    tracker.acknowledged(ack(entry.intent(), null, 1), 0, 0);
    assertArrayEquals(new byte[] {1, 2, 3}, tracker.payload(entry), "the ack may come first");
    tracker.applied(entry, FsState.genesis());
    tracker.completeDone(1);
    assertNull(tracker.payload(entry));
  }

  @Test
  void aPayloadIsThereOverAReconnectAndUnderTheNewId() {
    Chunk chunk = Chunk.of(new byte[] {1});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId first = onlySubmit().intent();
    mkdir("later", 0);
    tracker.reconnected(0, 0);
    assertArrayEquals(new byte[] {1}, tracker.payload(written(1, first, chunk)));
    link.sent.clear();
    tracker.status(status(first, Status.NOT_FOUND), 0);
    tracker.status(status(new IntentId(first.client(), 2), Status.IN_FLIGHT), 0);
    tracker.retry(0);
    IntentId renamed = onlySubmit().intent();
    assertNotEquals(first, renamed);
    assertNull(tracker.payload(written(1, first, chunk)));
    assertArrayEquals(new byte[] {1}, tracker.payload(written(1, renamed, chunk)));
  }

  @Test
  void noPayloadIsTakenForOneOfOtherChunks() {
    Chunk chunk = Chunk.of(new byte[] {1});
    Chunk other = Chunk.of(new byte[] {2});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId id = onlySubmit().intent();
    assertNull(tracker.payload(written(1, id, other)));
    assertNull(tracker.payload(written(1, id, chunk, chunk)));
    assertNull(tracker.payload(written(1, new IntentId(id.client(), 99), chunk)));
  }

  @Test
  void aPayloadGoesWithACallThatIsGivenUp() {
    Chunk chunk = Chunk.of(new byte[] {1});
    tracker.submit(write(List.of(chunk), List.of()), 0);
    IntentId id = onlySubmit().intent();
    tracker.expire(LATE_NS);
    assertEquals(List.of("write EIO"), told);
    assertNull(tracker.payload(written(1, id, chunk)));
  }

  @Test
  void atTheEndEverybodyIsTold() {
    mkdir("a", 0);
    mkdir("b", 0);
    tracker.failAll(Errno.EIO);
    assertEquals(List.of("a EIO", "b EIO"), told);
    assertEquals(0, tracker.size());
  }

  private static final NodeId FILE = new NodeId(7, 7);

  private IntentId mkdir(String name, long nowNs) {
    return mkdir(name, PID, nowNs);
  }

  /**
   * Submits a mkdir of this caller, which must be sent at once; returns the id that it is sent
   * with.
   */
  private IntentId mkdir(String name, int caller, long nowNs) {
    submit(UNIQUE, caller, name, nowNs);
    return lastSubmit().intent();
  }

  private void submit(long unique, int caller, String name, long nowNs) {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 0, 0);
    tracker.submit(mutation(unique, caller, op, List.of(), List.of(), heard(name)), nowNs);
  }

  private static LogEntry written(long index, IntentId intent, Chunk... chunks) {
    List<ChunkRef> refs = Stream.of(chunks).map(Chunk::ref).toList();
    return Entries.of(index, new FsOp.Write(FILE, WriteMode.PWRITE, 0, refs, false))
        .intent(intent)
        .entry();
  }

  private Mutation write(List<Chunk> chunks, List<Hash> uploading) {
    FsOp op =
        new FsOp.Write(FILE, WriteMode.PWRITE, 0, chunks.stream().map(Chunk::ref).toList(), false);
    return mutation(UNIQUE, PID, op, chunks, uploading, heard("write"));
  }

  private static Mutation mutation(
      long unique,
      int caller,
      FsOp op,
      List<Chunk> chunks,
      List<Hash> uploading,
      Completion completion) {
    MutationTimestamps times = new MutationTimestamps(0, 0, 0);
    return new Mutation(
        new RequestId(unique),
        caller,
        "",
        CallContext.NONE,
        op,
        chunks,
        uploading,
        completion,
        0,
        times);
  }

  private WaitingCall call(String name) {
    return new WaitingCall(
        new RequestId(14), () -> told.add(name), () -> told.add(name + " EINTR"));
  }

  private SubmitIntent onlySubmit() {
    assertEquals(1, submits().size(), () -> "sent " + link.sent);
    return (SubmitIntent) submits().getFirst();
  }

  private List<WorkerMessage> submits() {
    return link.sent.stream().filter(message -> message instanceof SubmitIntent).toList();
  }

  private SubmitIntent lastSubmit() {
    return (SubmitIntent) link.sent.getLast();
  }

  /** The names of the directories in the intents that were sent. */
  private List<String> names() {
    List<String> names = new ArrayList<>();
    for (WorkerMessage message : link.sent) {
      if (message instanceof SubmitIntent submit) {
        FsOp.MakeDir op = assertInstanceOf(FsOp.MakeDir.class, decoded(submit));
        names.add(op.name().toString());
      }
    }
    return names;
  }

  private static FsOp decoded(SubmitIntent submit) {
    try {
      return OpCodec.decode(submit.op());
    } catch (DecodeException e) {
      throw new AssertionError(e);
    }
  }

  private Completion heard(String name) {
    return Mutations.noting(told, name + " ");
  }

  private static CommitAck ack(
      IntentId id, @org.jspecify.annotations.Nullable Errno errno, long index) {
    Committed committed =
        errno == null ? new Committed(index, new OpId(1, 1), 1, Hash.ZERO, -1) : null;
    return new CommitAck(id, errno, committed, index);
  }

  private static IntentStatusResponse status(IntentId id, Status status) {
    Committed committed =
        status == Status.COMMITTED ? new Committed(1, new OpId(1, 1), 1, Hash.ZERO, -1) : null;
    return new IntentStatusResponse(id, status, committed);
  }

  private static LogEntry entry(long index, IntentId id) {
    return Entries.of(index, new FsOp.MakeDir(FsState.ROOT, Name.of("x"), 0755, 0, 0))
        .at(1)
        .intent(id)
        .entry();
  }
}
