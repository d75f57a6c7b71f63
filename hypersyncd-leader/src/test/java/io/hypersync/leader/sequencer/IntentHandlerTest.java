package io.hypersync.leader.sequencer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.IntentRateLimits;
import io.hypersync.leader.LeaderConfig;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.quota.QuotaViolations;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.session.TailCache;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.ChunkNeed;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse;
import io.hypersync.wire.message.LeaderMessage.IntentStatusResponse.Status;
import io.hypersync.wire.message.LeaderMessage.RateLimited;
import io.hypersync.wire.message.NegotiatedParams;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Outcomes of intents that arrive once, repeatedly, without their bytes, or at the wrong time. */
class IntentHandlerTest {
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final WorkerId OTHER = new WorkerId("w2");
  private static final WorkerId THIEF = new WorkerId("w2");
  private static final WorkerId NAMESAKE = new WorkerId("hypersync-leader");
  private static final List<WorkerId> WORKERS =
      List.of(WORKER, OTHER, new WorkerId("w3"), NAMESAKE);

  /** The id of the leader's first own op. */
  private static final IntentId OWN = new IntentId(new ClientId(9, 9), 1);

  private static final long MS = 1_000_000;
  private static final byte[] NOTHING = {};
  private static final byte[] LARGE = new byte[20_000];

  private final ManualClock clock = new ManualClock();
  private final MemoryOpLog log = new MemoryOpLog();
  private final StoredChunks chunks = new StoredChunks();
  private long newestLockSession;
  private final List<LeaderMessage> sent = new ArrayList<>();
  private final Map<IntentId, IntentTimestamps> committed = new HashMap<>();
  private NegotiatedParams params = NegotiatedParams.DEFAULT;
  private final IntentHandler intentHandler = intentHandler(8);
  private long entropy;

  @Test
  void anIntentIsAnsweredOnceItIsDurable() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    assertEquals(1, intentHandler.sequence());
    assertEquals(0, intentHandler.release(log.durableIndex()));
    assertEquals(1, intentHandler.release(log.sync().durableIndex()));
    CommitAck ack = ack(0);
    assertNull(ack.errno());
    assertNotNull(ack.committed());
    assertEquals(1, ack.asOfIndex());
  }

  @Test
  void anIntentThatIsInTheLogGetsTheSameAnswerAgain() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    assertEquals(ack(0), ack(1));
    assertEquals(1, log.appendedIndex());
    assertEquals(1, intentHandler.deduplicated());
  }

  @Test
  void anIntentThatWaitsForTheDiskIsNotDecidedAgain() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.sequence();
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    assertEquals(1, sent.size());
    assertEquals(1, log.appendedIndex());
  }

  /** Others may hold the lock by the time its turn comes. */
  @Test
  void anIntentWhoseLockIsLostWhileItWaitsIsRefusedAndNothingIsLogged() {
    newestLockSession = 5;
    intentHandler.submit(WORKER, under(5, mkdir(1, "a")), 0);
    assertEquals(1, intentHandler.sequence());
    intentHandler.submit(WORKER, under(5, mkdir(2, "b")), 0);
    newestLockSession = 6; // both the entry and the intent are on their way
    settle();
    assertNull(ack(0).errno());
    assertEquals(Errno.EIO, ack(1).errno());
    assertEquals(1, log.appendedIndex());
  }

  @Test
  void anIntentThatIsInTheLogIsAnsweredWithItsEntryWhateverBecameOfItsLock() {
    newestLockSession = 5;
    intentHandler.submit(WORKER, under(5, mkdir(1, "a")), 0);
    settle();
    newestLockSession = 6;
    intentHandler.submit(WORKER, under(5, mkdir(1, "a")), 0);
    settle();
    assertEquals(ack(0), ack(1));
    intentHandler.submit(WORKER, under(5, mkdir(2, "b")), 0);
    settle();
    intentHandler.submit(WORKER, under(5, mkdir(2, "b")), 0);
    settle();
    assertEquals(Errno.EIO, ack(2).errno());
    assertEquals(Errno.EIO, ack(3).errno(), "however often it is sent");
  }

  private static SubmitIntent under(long lockSession, SubmitIntent intent) {
    return new SubmitIntent(
        intent.intent(),
        intent.agent(),
        intent.op(),
        intent.inlinePayload(),
        intent.uploading(),
        intent.context(),
        lockSession);
  }

  @Test
  void anErrorWaitsForTheEntryItRestsOn() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.submit(WORKER, mkdir(2, "a"), 0);
    intentHandler.sequence();
    assertEquals(0, intentHandler.release(log.durableIndex()));
    settle();
    assertEquals(Errno.EEXIST, ack(1).errno());
    assertEquals(1, ack(1).asOfIndex());
  }

  @Test
  void whatTheLogCannotTakeAtOnceStaysInTheQueueAndAcksGoOut() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.sequence();
    intentHandler.submit(WORKER, mkdir(2, "b"), 0);
    log.busy(true);
    assertEquals(0, intentHandler.sequence());
    assertEquals(1, intentHandler.pending());
    assertEquals(1, intentHandler.release(log.sync().durableIndex()));
    log.busy(false);
    assertEquals(1, intentHandler.sequence());
    settle();
    assertNull(ack(1).errno());
  }

  @Test
  void statusOfWhatIsInTheLogInWorkAndUnknown() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    intentHandler.submit(WORKER, mkdir(2, "b"), 0);
    sent.clear();
    intentHandler.status(WORKER, intent(1), 0);
    intentHandler.status(WORKER, intent(2), 0);
    intentHandler.status(WORKER, intent(3), 0);
    assertEquals(List.of(Status.COMMITTED, Status.IN_FLIGHT, Status.NOT_FOUND), statuses());
  }

  @Test
  void anAnswerOnItsWayToTheDiskCountsAsInFlight() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.submit(WORKER, mkdir(2, "a"), 0);
    intentHandler.sequence();
    intentHandler.status(WORKER, intent(2), 0);
    assertEquals(Status.IN_FLIGHT, ((IntentStatusResponse) sent.get(0)).status());
  }

  @Test
  void whatIsAnothersIsNotFoundWhetherItWaitsIsInTheLogOrDurable() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.status(THIEF, intent(1), 0);
    intentHandler.sequence();
    intentHandler.status(THIEF, intent(1), 0);
    intentHandler.release(log.sync().durableIndex());
    sent.removeIf(CommitAck.class::isInstance);
    intentHandler.status(THIEF, intent(1), 0);
    assertEquals(List.of(Status.NOT_FOUND, Status.NOT_FOUND, Status.NOT_FOUND), statuses());
  }

  @Test
  void whatTheLeaderDoesItselfIsNotFoundWhetherItIsDurableOrNot() {
    assertNull(intentHandler.submitOwn(Genesis.op()));
    intentHandler.status(WORKER, OWN, 0);
    log.sync();
    intentHandler.status(WORKER, OWN, 0);
    assertEquals(List.of(Status.NOT_FOUND, Status.NOT_FOUND), statuses());
  }

  /** The leader's own ops have no acks, and a worker may have the name of their origin. */
  @Test
  void whatIsInTheLogIsInFlightUntilItIsDurable() {
    assertNull(intentHandler.submitOwn(Genesis.op()));
    intentHandler.status(NAMESAKE, OWN, 0);
    intentHandler.submit(NAMESAKE, new SubmitIntent(OWN, "", NOTHING, NOTHING, List.of()), 0);
    log.sync();
    intentHandler.status(NAMESAKE, OWN, 0);
    assertEquals(List.of(Status.IN_FLIGHT, Status.COMMITTED), statuses());
  }

  @Test
  void statusOfAnUploadAsksForWhatIsMissing() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    assertEquals(List.of(), sent, "it is on its way unasked");
    intentHandler.status(WORKER, intent(1), 0);
    assertEquals(Status.IN_FLIGHT, ((IntentStatusResponse) sent.get(0)).status());
    assertEquals(new ChunkNeed(intent(1), List.of(hash(LARGE))), sent.get(1));
  }

  @Test
  void aChunkThatNobodyAnnouncedIsAskedFor() {
    intentHandler.submit(WORKER, write(1, List.of()), 0);
    assertEquals(List.of(new ChunkNeed(intent(1), List.of(hash(LARGE)))), sent);
  }

  @Test
  void anIntentWaitsForItsChunks() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    assertEquals(0, intentHandler.sequence());
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    assertEquals(1, intentHandler.sequence());
  }

  @Test
  void aChunkThatTheStoreKnowsIsVerifiedBeforeAnIntentReliesOnIt() {
    chunks.stored.put(hash(LARGE), LARGE.length);
    chunks.slow = true;
    intentHandler.submit(WORKER, setXattr(1, LARGE), 0);
    assertEquals(List.of(hash(LARGE)), chunks.verified);
    assertEquals(0, intentHandler.sequence(), "nobody knows whether it can be read");
    intentHandler.submit(WORKER, setXattr(1, LARGE), 0);
    intentHandler.status(WORKER, intent(1), 0);
    assertEquals(List.of(Status.IN_FLIGHT), statuses(), "it is not asked for meanwhile");
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    settle();
    assertNull(ack(1).errno());
    assertEquals(1, chunks.verified.size(), "once for all who wait");
  }

  @Test
  void aChunkThatCannotBeReadIsAskedForAgain() {
    chunks.stored.put(hash(LARGE), LARGE.length);
    chunks.slow = true;
    intentHandler.submit(WORKER, setXattr(1, LARGE), 0);
    intentHandler.submit(OTHER, setXattrOf(2, 1, LARGE), 0);
    intentHandler.chunkUnreadable(hash(LARGE));
    List<Hash> wanted = List.of(hash(LARGE));
    assertEquals(
        List.of(
            new ChunkNeed(intent(1), wanted),
            new ChunkNeed(new IntentId(new ClientId(1, 2), 1), wanted)),
        sent);
    assertEquals(0, intentHandler.sequence());
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    assertEquals(2, intentHandler.sequence());
  }

  /** The worker sends the intent again, with the chunk. */
  @Test
  void anIntentWhoseChunkIsFoundDamagedBeforeItsTurnHasToComeAgain() {
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattr(1, LARGE), 0);
    intentHandler.chunkUnreadable(hash(LARGE));
    chunks.stored.remove(hash(LARGE));
    intentHandler.sequence();
    assertEquals(Errno.EAGAIN, ack(0).errno());
    assertEquals(0, log.appendedIndex());
    intentHandler.submit(WORKER, setXattr(1, LARGE), 0);
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    settle();
    assertEquals(1, log.appendedIndex());
  }

  @Test
  void whatHasJustBeenStoredOrVerifiedIsNotReadAgain() {
    intentHandler.submit(WORKER, setXattr(1, LARGE), clock.monotonicNs());
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattr(2, LARGE), clock.monotonicNs());
    assertEquals(2, intentHandler.sequence());
    assertEquals(List.of(), chunks.verified);
    clock.advance(3_600_000 * MS);
    intentHandler.submit(WORKER, setXattr(3, LARGE), clock.monotonicNs());
    assertEquals(1, chunks.verified.size(), "an hour later it is");
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkUnreadable(hash(LARGE));
    intentHandler.submit(WORKER, setXattr(4, LARGE), clock.monotonicNs());
    assertEquals(2, chunks.verified.size(), "and when it was found damaged");
  }

  @Test
  void whenAnIntentWasWhereIsKnownOnceItsAckIsOut() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 100);
    clock.set(150);
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    clock.set(170);
    assertEquals(1, intentHandler.sequence());
    assertEquals(Map.of(), committed, "the ack waits for the disk");
    intentHandler.release(log.sync().durableIndex());
    assertEquals(Errno.EISDIR, ack(0).errno());
    assertEquals(Map.of(), committed, "what is refused is no entry");

    intentHandler.submit(WORKER, mkdir(2, "a"), 200);
    clock.set(230);
    settle();
    IntentTimestamps times = committed.get(intent(2));
    assertNotNull(times);
    assertEquals(
        List.of(200L, 200L, 230L, 230L),
        List.of(times.receivedNs(), times.completeNs(), times.takenNs(), times.sequencedNs()));
  }

  @Test
  void anIntentIsCompleteWhenTheLastOfItsChunksIsHere() {
    byte[] other = new byte[30_000];
    chunks.stored.put(hash(other), other.length);
    intentHandler.submit(WORKER, setXattr(1, LARGE), 100);
    clock.set(150);
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(other), other.length); // no intent waits for it
    clock.set(160);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    clock.set(190);
    settle();
    assertEquals(160, committed.get(intent(1)).completeNs());
    assertEquals(190, committed.get(intent(1)).takenNs());
  }

  @Test
  void anEntryHasChunksSyncedExactlyIfItDoesNotCarryThem() {
    intentHandler.submit(WORKER, setXattr(1, new byte[] {1}), 0);
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattr(2, LARGE), 0);
    settle();
    assertFalse(log.syncsChunks(1));
    assertTrue(log.syncsChunks(2));
  }

  @Test
  void aChunkOfAnotherLengthThanTheOpSaysIsRefusedWhetherItIsThereOrComes() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length - 1);
    settle();
    assertEquals(Errno.EINVAL, ack(0).errno());
    chunks.stored.put(hash(LARGE), LARGE.length + 1);
    intentHandler.submit(WORKER, write(2, List.of()), 0);
    settle();
    assertEquals(Errno.EINVAL, ack(1).errno());
    assertEquals(0, log.appendedIndex());
    assertEquals(0, intentHandler.pending());
  }

  @Test
  void aWorkerCannotHaveAnothersIntentRefused() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    intentHandler.chunkRefused(OTHER, intent(1), Errno.EIO);
    assertEquals(List.of(), sent);
    assertEquals(1, intentHandler.pending());
  }

  @Test
  void anIntentIsRefusedOnceForAllItsChunksAndCanBeTriedAgain() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    intentHandler.chunkRefused(WORKER, intent(1), Errno.EAGAIN);
    intentHandler.chunkRefused(WORKER, intent(1), Errno.EAGAIN);
    settle();
    assertEquals(Errno.EAGAIN, ack(0).errno());
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    assertEquals(1, intentHandler.pending(), "not refused by what is left of the first time");
  }

  @Test
  void aRefusedChunkEndsItsIntent() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    intentHandler.chunkRefused(WORKER, intent(1), Errno.ENOSPC);
    settle();
    assertEquals(Errno.ENOSPC, ack(0).errno());
    assertEquals(0, intentHandler.pending());
  }

  @Test
  void aChunkThatIsRefusedBeforeItsIntentHasComeEndsItAllTheSame() {
    intentHandler.chunkRefused(WORKER, intent(1), Errno.ENOSPC);
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 0);
    settle();
    assertEquals(Errno.ENOSPC, ack(0).errno());
    assertEquals(0, intentHandler.pending());
  }

  @Test
  void anUploadThatNobodyAsksAboutIsGivenUpAndSaidSo() {
    intentHandler.submit(WORKER, write(1, List.of(hash(LARGE))), 100);
    intentHandler.expire(100);
    assertEquals(1, intentHandler.pending());
    intentHandler.expire(101);
    settle();
    assertEquals(0, intentHandler.pending());
    assertEquals(Errno.EIO, ack(0).errno());
  }

  @Test
  void tooManyAtOnceAreToldToComeAgainWithoutDelay() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    intentHandler.submit(WORKER, mkdir(2, "b"), 0);
    intentHandler.sequence();
    intentHandler.submit(WORKER, mkdir(3, "c"), 0);
    intentHandler.submit(WORKER, mkdir(4, "d"), 0);
    intentHandler.submit(WORKER, mkdir(5, "e"), 0);
    assertEquals(Errno.EAGAIN, ack(0).errno(), "before entry 1 is durable");
    settle();
    sent.clear();
    intentHandler.submit(WORKER, mkdir(5, "e"), 0);
    settle();
    assertNull(ack(0).errno());
  }

  /**
   * Columns 1 to 3: how many intents of each worker wait; column 4: what happens to the next of
   * each.
   */
  @ParameterizedTest(name = "of {0} places {1}, {2} and {3} are taken: {4}")
  @CsvSource(
      textBlock =
          """
          4,  0, 0, 0, in in in
          4,  1, 0, 0, in in in
          4,  2, 0, 0, EAGAIN in in
          4,  1, 1, 0, in in in
          4,  2, 1, 0, EAGAIN EAGAIN in
          9,  3, 3, 0, EAGAIN EAGAIN in
          10, 5, 0, 0, EAGAIN in in
          10, 4, 3, 0, EAGAIN EAGAIN in
          8,  2, 2, 2, EAGAIN EAGAIN EAGAIN
          1,  0, 0, 0, in in in
          2,  1, 0, 0, EAGAIN in in
          2,  1, 1, 0, EAGAIN EAGAIN EAGAIN
          """)
  void aWorkerHasAsManyPlacesAsItLeavesFree(int places, int a, int b, int c, String next) {
    int[] waiting = {a, b, c};
    List<String> answers = new ArrayList<>();
    for (int asking = 0; asking < waiting.length; asking++) {
      sent.clear();
      IntentHandler fresh = intentHandler(places);
      for (int worker = 0; worker < waiting.length; worker++) {
        for (int i = 1; i <= waiting[worker]; i++) {
          fresh.submit(WORKERS.get(worker), mkdirOf(worker, i), 0);
        }
      }
      assertEquals(List.of(), sent, "these are let in");
      fresh.submit(WORKERS.get(asking), mkdirOf(asking, 100), 0);
      answers.add(sent.isEmpty() ? "in" : String.valueOf(ack(0).errno()));
    }
    assertEquals(next, String.join(" ", answers));
  }

  @Test
  void whatWaitsForTheDiskTakesAPlaceToo() {
    IntentHandler small = intentHandler(4);
    small.submit(WORKER, mkdir(1, "a"), 0);
    small.submit(WORKER, mkdir(2, "b"), 0);
    assertEquals(2, small.sequence());
    small.submit(WORKER, mkdir(3, "c"), 0);
    assertEquals(Errno.EAGAIN, ack(0).errno());
    small.submit(OTHER, mkdirOf(7, 1), 0);
    assertEquals(1, sent.size(), "the places of others are free");
  }

  @Test
  void aWorkerThatSendsTooFastIsToldWhenToComeAgainAndNothingIsKept() {
    IntentHandler limited = intentHandler(100, 200, new IntentRateLimits(10, 2, 0));
    limited.submit(WORKER, mkdir(1, "a"), 0);
    limited.submit(WORKER, mkdir(2, "b"), 0);
    limited.submit(WORKER, mkdir(3, "c"), 1);
    assertEquals(List.of(new RateLimited(intent(3), 100)), sent, "rounded up");
    assertEquals(2, limited.pending());
    limited.status(WORKER, intent(3), 1);
    assertEquals(new IntentStatusResponse(intent(3), Status.NOT_FOUND, null), sent.get(1));
    sent.clear();
    limited.submit(OTHER, mkdirOf(7, 1), 1);
    limited.submit(WORKER, mkdir(3, "c"), 100 * MS);
    assertEquals(List.of(), sent);
    assertEquals(4, limited.pending());
    assertEquals(1, limited.rates().of(WORKER, 1).rejected());
  }

  @Test
  void toSendAnIntentAgainCostsNothing() {
    IntentHandler limited = intentHandler(100, 200, new IntentRateLimits(10, 2, 0));
    limited.submit(WORKER, mkdir(1, "a"), 0);
    limited.submit(WORKER, mkdir(1, "a"), 0); // it waits for its turn
    limited.sequence();
    limited.submit(WORKER, mkdir(1, "a"), 0); // it waits for the disk
    limited.release(log.sync().durableIndex());
    limited.submit(WORKER, mkdir(1, "a"), 0); // it is acknowledged
    assertEquals(3, limited.deduplicated());
    sent.clear();
    limited.submit(WORKER, mkdir(2, "b"), 0);
    assertEquals(List.of(), sent);
    limited.submit(WORKER, mkdir(3, "c"), 0);
    assertEquals(List.of(new RateLimited(intent(3), 100)), sent);
  }

  @Test
  void whoeverIsRefusedForLackOfPlacesHasSpentNothing() {
    IntentHandler limited = intentHandler(2, 200, new IntentRateLimits(10, 2, 0));
    limited.submit(WORKER, mkdir(1, "a"), 0);
    limited.submit(WORKER, mkdir(2, "b"), 0);
    limited.submit(WORKER, mkdir(2, "b"), 0);
    assertEquals(List.of(Errno.EAGAIN, Errno.EAGAIN), List.of(ack(0).errno(), ack(1).errno()));
    limited.sequence();
    limited.release(log.sync().durableIndex());
    sent.clear();
    limited.submit(WORKER, mkdir(2, "b"), 0);
    assertEquals(List.of(), sent);
  }

  @Test
  void bytesCountWhereverTheyTravel() {
    IntentHandler limited = intentHandler(1_000, 200, new IntentRateLimits(0, 1, 1));
    int most = Protocol.MAX_WRITE_BYTES / LARGE.length;
    for (int i = 1; i <= most; i++) {
      limited.submit(WORKER, write(i, List.of(hash(LARGE))), 0);
    }
    assertEquals(List.of(), sent);
    limited.submit(WORKER, write(most + 1, List.of(hash(LARGE))), 0);
    assertInstanceOf(RateLimited.class, sent.get(0));
    limited.submit(WORKER, setXattr(most + 2, new byte[8_000]), 0);
    assertEquals(1, sent.size(), "8,576 are left");
    limited.submit(WORKER, setXattr(most + 3, new byte[8_000]), 0);
    assertInstanceOf(RateLimited.class, sent.get(1));
    limited.submit(WORKER, mkdir(most + 4, "a"), 0);
    assertEquals(2, sent.size(), "it has none");
  }

  @Test
  void whatMakesNoSenseCountsAsWell() {
    IntentHandler limited = intentHandler(100, 200, new IntentRateLimits(10, 1, 0));
    limited.submit(WORKER, new SubmitIntent(intent(1), "", new byte[] {99}, NOTHING, List.of()), 0);
    limited.submit(WORKER, new SubmitIntent(intent(2), "", new byte[] {99}, NOTHING, List.of()), 0);
    assertEquals(List.of(new RateLimited(intent(2), 100)), sent);
  }

  @Test
  void theLogIsNotGivenMoreThanItNeedsSoThatOthersCanPassAFlood() {
    IntentHandler fair = intentHandler(100, 2, IntentRateLimits.NONE);
    for (int i = 1; i <= 6; i++) {
      fair.submit(WORKER, mkdir(i, "flood" + i), 0);
    }
    assertEquals(2, fair.sequence());
    assertEquals(0, fair.sequence(), "the disk is busy with these");
    fair.submit(OTHER, mkdirOf(7, 1), 0);
    fair.release(log.sync().durableIndex());
    sent.clear();
    assertEquals(2, fair.sequence());
    fair.release(log.sync().durableIndex());
    assertEquals(
        List.of(intent(3), new IntentId(new ClientId(1, 7), 1)),
        List.of(ack(0).intent(), ack(1).intent()));
  }

  @Test
  void theClientOfAnotherWorkerIsNoUseAndNoHarm() {
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    intentHandler.submit(WORKER, mkdir(2, "b"), 0);
    intentHandler.sequence();
    sent.clear();
    intentHandler.submit(THIEF, mkdir(1, "a"), 0);
    intentHandler.submit(THIEF, mkdir(2, "b"), 0);
    intentHandler.submit(THIEF, mkdir(3, "c"), 0);
    assertEquals(
        List.of(Errno.EPERM, Errno.EPERM, Errno.EPERM),
        List.of(ack(0).errno(), ack(1).errno(), ack(2).errno()));
    intentHandler.submit(WORKER, mkdir(3, "d"), 0);
    settle();
    assertNull(ack(3).errno());
    assertNull(ack(4).errno());
    assertEquals(3, log.appendedIndex());
  }

  @Test
  void aFullDiskRefusesAndLeavesNothingBehind() {
    log.full(true);
    intentHandler.submit(WORKER, mkdir(1, "a"), 0);
    settle();
    assertEquals(Errno.ENOSPC, ack(0).errno());
    log.full(false);
    intentHandler.submit(WORKER, mkdir(2, "a"), 0);
    settle();
    assertNull(ack(1).errno());
    assertEquals(1, log.appendedIndex());
  }

  @Test
  void theLeadersOwnOpSaysWhetherThereWasRoom() {
    log.full(true);
    assertEquals(Errno.ENOSPC, intentHandler.submitOwn(Genesis.op()));
    log.full(false);
    assertNull(intentHandler.submitOwn(Genesis.op()));
    assertEquals(1, log.appendedIndex());
  }

  /** A restore has read it a while ago. */
  @Test
  void theLeadersOwnOpRestsOnChunksThatAreStillThere() {
    FsOp op = withLargeValue();
    intentHandler.submitOwn(Genesis.op());
    assertEquals(Errno.EIO, intentHandler.submitOwn(op));
    chunks.stored.put(hash(LARGE), LARGE.length);
    assertNull(intentHandler.submitOwn(op));
    chunks.stored.remove(hash(LARGE)); // as the store says of one that was found damaged
    intentHandler.chunkUnreadable(hash(LARGE));
    assertEquals(Errno.EIO, intentHandler.submitOwn(op));
    chunks.stored.put(hash(LARGE), LARGE.length); // from the log: nobody tells of that
    assertNull(intentHandler.submitOwn(op));
  }

  /** A sick disk is no reason for the leader to end. */
  @Test
  void theLeadersOwnOpIsRefusedWhenTheStoreCannotSay() {
    FsOp op = withLargeValue();
    intentHandler.submitOwn(Genesis.op());
    chunks.fails = true;
    assertEquals(Errno.EROFS, intentHandler.submitOwn(op));
  }

  @Test
  void whatTheLeaderIsAboutToMentionIsPromised() {
    intentHandler.promise(chunk -> chunk.accept(hash(LARGE)));
    assertEquals(List.of(hash(LARGE)), promised());
  }

  /** The worker says that it sends it along, so the leader would not ask for it. */
  @Test
  void aChunkThatCameAheadOfItsIntentIsPromisedUntilTheIntentIsDecided() {
    put(1);
    assertEquals(List.of(hash(LARGE)), promised());
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.chunkArrived(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattrIn(1, LARGE, NOTHING), 0);
    assertFalse(promised().isEmpty(), "it waits for its turn");
    intentHandler.sequence();
    assertEquals(List.of(), promised(), "now the state has it, or the log");
    settle();
    assertNull(ack(0).errno());
  }

  @Test
  void nothingIsPromisedForAnIntentThatWasRefused() {
    put(1);
    chunks.stored.put(hash(LARGE), LARGE.length + 1); // another length than the op states
    intentHandler.submit(WORKER, setXattrIn(1, LARGE, NOTHING), 0);
    assertEquals(List.of(), promised());
    put(1);
    assertEquals(List.of(), promised(), "it was overtaken by its intent");
    settle();
    assertEquals(Errno.EINVAL, ack(0).errno());
  }

  @Test
  void aChunkThatWasOvertakenByItsIntentIsNotPromised() {
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattrIn(1, LARGE, NOTHING), 0);
    intentHandler.sequence();
    put(1);
    assertEquals(List.of(), promised());
  }

  /** Such an intent comes again. */
  @Test
  void aRefusalForNowIsNoDecision() {
    put(9);
    long waiting = 0;
    do {
      waiting++;
      intentHandler.submit(WORKER, mkdir(waiting, "d" + waiting), 0);
    } while (intentHandler.pending() == waiting);
    intentHandler.submit(WORKER, setXattrIn(9, LARGE, NOTHING), 0);
    assertTrue(sent.stream().allMatch(each -> ((CommitAck) each).errno() == Errno.EAGAIN));
    assertEquals(List.of(hash(LARGE)), promised());
  }

  /** It asks the store again when it comes, and waits for the chunk if that is gone by then. */
  @Test
  void whatWasVerifiedForADecidedIntentIsNotPromisedToTheNext() {
    chunks.stored.put(hash(LARGE), LARGE.length);
    intentHandler.submit(WORKER, setXattrIn(1, LARGE, NOTHING), 0);
    settle();
    assertEquals(List.of(), promised());
    chunks.stored.remove(hash(LARGE));
    intentHandler.submit(WORKER, setXattrIn(2, LARGE, NOTHING), 0);
    assertEquals(0, intentHandler.sequence());
    assertEquals(new ChunkNeed(intent(2), List.of(hash(LARGE))), sent.getLast());
  }

  @Test
  void bytesThatAreNotWhatTheyClaimAreRefused() {
    byte[] small = {1, 2, 3};
    FsOp op =
        new FsOp.Write(
            FsState.ROOT,
            WriteMode.PWRITE,
            0,
            List.of(new ChunkRef(hash(new byte[] {9, 9, 9}), small.length)),
            false);
    intentHandler.submit(
        WORKER, new SubmitIntent(intent(1), "", OpCodec.encode(op), small, List.of()), 0);
    intentHandler.submit(
        WORKER, new SubmitIntent(intent(2), "", OpCodec.encode(op), NOTHING, List.of()), 0);
    intentHandler.submit(
        WORKER,
        new SubmitIntent(
            intent(3),
            "",
            OpCodec.encode(new FsOp.ReapOrphans(List.of(new NodeId(1, 1)))),
            NOTHING,
            List.of()),
        0);
    intentHandler.submit(
        WORKER, new SubmitIntent(intent(4), "", new byte[] {99}, NOTHING, List.of()), 0);
    settle();
    assertEquals(
        List.of(Errno.EIO, Errno.EINVAL, Errno.EPERM, Errno.EINVAL),
        List.of(ack(0).errno(), ack(1).errno(), ack(2).errno(), ack(3).errno()));
    FsOp restore = new FsOp.RestoreState(new byte[] {1}, List.of());
    intentHandler.submit(
        WORKER, new SubmitIntent(intent(5), "", OpCodec.encode(restore), NOTHING, List.of()), 0);
    settle();
    assertEquals(Errno.EPERM, ack(4).errno());
    assertEquals(0, log.appendedIndex());
  }

  /**
   * The inline threshold that workers were given is enforced, be it lower or higher than the
   * default.
   */
  @Test
  void whatTravelsInsideAnIntentIsAsTheLeaderIsConfigured() {
    byte[] payload = new byte[10_000];
    params = new NegotiatedParams(Features.NONE, 65_536, payload.length, 0);
    IntentHandler large = intentHandler(8);
    large.submit(WORKER, setXattrIn(1, payload, payload), 0);
    large.submit(WORKER, setXattrIn(2, payload, NOTHING), 0);
    assertEquals(1, large.sequence());
    large.release(log.sync().durableIndex());
    assertEquals(Errno.EINVAL, ack(0).errno());
    assertNull(ack(1).errno());
    params = new NegotiatedParams(Features.NONE, 65_536, 0, 0);
    IntentHandler none = intentHandler(8);
    none.submit(WORKER, setXattrIn(3, new byte[1], new byte[1]), 0);
    none.submit(WORKER, setXattrIn(4, new byte[] {7}, NOTHING), 0);
    assertInstanceOf(ChunkNeed.class, sent.get(2));
    none.release(log.durableIndex());
    assertEquals(Errno.EINVAL, ack(3).errno());
  }

  private static SubmitIntent setXattrIn(long seqNo, byte[] value, byte[] inline) {
    ChunkRef ref = new ChunkRef(hash(value), value.length);
    FsOp op = new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'x'}, ref, XattrMode.SET);
    return new SubmitIntent(intent(seqNo), "", OpCodec.encode(op), inline, List.of());
  }

  private void settle() {
    while (intentHandler.sequence() > 0) {
      assertFalse(sent.size() > 100, "no end");
    }
    intentHandler.release(log.sync().durableIndex());
  }

  private void put(long seqNo) {
    assertTrue(
        intentHandler.takesChunk(WORKER, new ChunkPut(intent(seqNo), hash(LARGE), LARGE), 0));
  }

  private List<Hash> promised() {
    List<Hash> promised = new ArrayList<>();
    intentHandler.promised(promised::add, 0);
    return promised;
  }

  private List<Status> statuses() {
    return sent.stream().map(message -> ((IntentStatusResponse) message).status()).toList();
  }

  private CommitAck ack(int at) {
    return assertInstanceOf(CommitAck.class, sent.get(at));
  }

  private IntentHandler intentHandler(int maxPending) {
    return intentHandler(maxPending, 200, IntentRateLimits.NONE);
  }

  private IntentHandler intentHandler(int maxPending, int maxUnsynced, IntentRateLimits limits) {
    LeaderConfig defaults = LeaderConfig.of(new WorkspaceId(1, 1));
    LeaderConfig config =
        new LeaderConfig(
            defaults.workspace(),
            defaults.heartbeatNs(),
            defaults.workerTimeoutNs(),
            defaults.partialUploadTtlNs(),
            defaults.windowEntries(),
            maxPending,
            maxUnsynced,
            limits,
            defaults.tailCacheBytes(),
            defaults.lockTtlNs(),
            defaults.lockGraceNs(),
            defaults.openLeaseTtlNs(),
            defaults.presenceLeaseNs(),
            defaults.maxStateBytes(),
            defaults.catchUp(),
            defaults.quotas(),
            defaults.dataPlane(),
            defaults.placement(),
            params);
    FsState genesis = FsState.genesis();
    LeaderState empty =
        new LeaderState(
            genesis, genesis.root(), 0, 0, IntentIndex.inMemory(IntentRetention.DEFAULT));
    Sequencer sequencer = new Sequencer(empty, log, Clock.SYSTEM, () -> ++entropy, Long.MAX_VALUE);
    return new IntentHandler(
        config,
        sequencer,
        log,
        chunks,
        new TailCache(1, 1 << 20),
        new ClientId(9, 9),
        (worker, message) -> {
          assertTrue(WORKERS.contains(worker), worker::name);
          sent.add(message);
        },
        (_, entry) -> assertTrue(entry.index() > log.durableIndex(), "sequenced, not durable yet"),
        clock,
        (intent, times) -> committed.put(intent, times),
        new QuotaViolations(clock),
        (worker, lockSession) -> lockSession == 0 || lockSession == newestLockSession);
  }

  private static SubmitIntent mkdir(long seqNo, String name) {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of(name), 0755, 0, 0);
    return new SubmitIntent(intent(seqNo), "", OpCodec.encode(op), NOTHING, List.of());
  }

  /** Like {@link #mkdir}, but of the given client instead of client 1. */
  private static SubmitIntent mkdirOf(int client, long seqNo) {
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of(client + "-" + seqNo), 0755, 0, 0);
    IntentId id = new IntentId(new ClientId(1, client), seqNo);
    return new SubmitIntent(id, "", OpCodec.encode(op), NOTHING, List.of());
  }

  private static SubmitIntent write(long seqNo, List<Hash> uploading) {
    FsOp op =
        new FsOp.Write(
            FsState.ROOT,
            WriteMode.PWRITE,
            0,
            List.of(new ChunkRef(hash(LARGE), LARGE.length)),
            false);
    return new SubmitIntent(intent(seqNo), "", OpCodec.encode(op), NOTHING, uploading);
  }

  private static SubmitIntent setXattr(long seqNo, byte[] value) {
    return setXattrOf(1, seqNo, value);
  }

  private static SubmitIntent setXattrOf(int client, long seqNo, byte[] value) {
    ChunkRef ref = new ChunkRef(hash(value), value.length);
    FsOp op = new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'x'}, ref, XattrMode.SET);
    byte[] inline = value.length > 8_192 ? NOTHING : value;
    IntentId id = new IntentId(new ClientId(1, client), seqNo);
    return new SubmitIntent(id, "", OpCodec.encode(op), inline, List.of());
  }

  private static FsOp withLargeValue() {
    ChunkRef value = new ChunkRef(hash(LARGE), LARGE.length);
    return new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'x'}, value, XattrMode.SET);
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 1), seqNo);
  }

  private static Hash hash(byte[] bytes) {
    return Blake3.hash(bytes);
  }

  private final class StoredChunks extends NoChunks {
    private final Map<Hash, Integer> stored = new HashMap<>();
    private final List<Hash> verified = new ArrayList<>();
    private boolean slow;
    private boolean fails;

    @Override
    public void verify(Hash hash) {
      verified.add(hash);
      if (!slow) {
        intentHandler.chunkArrived(hash, length(hash));
      }
    }

    @Override
    public int length(Hash hash) {
      if (fails) {
        throw new ChunkStoreException(Errno.EROFS, "the index cannot be opened");
      }
      return stored.getOrDefault(hash, ChunkStore.NOT_HERE);
    }

    @Override
    public void ingest(SessionId session, ChunkPut chunk) {
      stored.put(chunk.hash(), chunk.bytes().length);
    }

    @Override
    public void storeInline(List<ChunkRef> inline, byte[] payload) {
      inline.forEach(chunk -> stored.put(chunk.hash(), chunk.length()));
    }
  }
}
