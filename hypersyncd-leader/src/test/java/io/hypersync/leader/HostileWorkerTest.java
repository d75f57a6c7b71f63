package io.hypersync.leader;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.port.NoChunks;
import io.hypersync.leader.quota.Quota;
import io.hypersync.leader.quota.WorkerQuotas;
import io.hypersync.leader.session.Hellos;
import io.hypersync.leader.session.RecordingSessionPort;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.state.FsState;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.LeaderMessage.CommitAck;
import io.hypersync.wire.message.LeaderMessage.LockResponse;
import io.hypersync.wire.message.LeaderMessage.Welcome;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.message.WorkerMessage.BarrierRequest;
import io.hypersync.wire.message.WorkerMessage.ChunkCopy;
import io.hypersync.wire.message.WorkerMessage.ChunkFetch;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.IntentStatusRequest;
import io.hypersync.wire.message.WorkerMessage.LockCancel;
import io.hypersync.wire.message.WorkerMessage.LockRelease;
import io.hypersync.wire.message.WorkerMessage.LockRenew;
import io.hypersync.wire.message.WorkerMessage.LockRequest;
import io.hypersync.wire.message.WorkerMessage.LockRequest.Wish;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRelease;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseRenew;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An enrolled worker that was compromised sends the worst of each kind of message, as many as it
 * can: what the leader keeps for it is bounded, and another worker is served as before. {@code
 * -Dhypersync.hostile.messages} is the number of ids or messages of each kind.
 */
@Tag("slow")
class HostileWorkerTest {
  private static final long ROWS = Long.getLong("hypersync.hostile.messages", 100_000);
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId BAD = new WorkerId("bad");
  private static final WorkerId GOOD = new WorkerId("good");
  private static final SessionId FROM_BAD = new SessionId(1);
  private static final SessionId FROM_GOOD = new SessionId(2);
  private static final ClientId RUN = new ClientId(7, 7);
  private static final byte[] NOTHING = {};

  /** Bound for all tables together; keeping a hundred thousand messages would exceed it. */
  private static final long MAX_GROWTH_BYTES = 8L << 20;

  /** Small enough that a hundred thousand messages exceed them. */
  private static final WorkerQuotas QUOTAS =
      new WorkerQuotas(1_000, 1_000, 100, 2_000, 4L << 20, 1L << 20, 4);

  private final ManualClock clock = new ManualClock();
  private final MemoryOpLog log = new MemoryOpLog();
  private final RecordingSessionPort port = new RecordingSessionPort();
  private long stored;
  private final LeaderAgent leader =
      new LeaderParts(WORKSPACE)
          .config(config())
          .log(log)
          .chunks(new Chunks())
          .port(port)
          .clock(clock)
          .agent();

  /**
   * A kind of message at its worst.
   *
   * @param messages how many are sent
   * @param message builds the message with a given number
   * @param rows how much the leader keeps because of them
   * @param most how much it may keep
   * @param refused the quota that must count refusals; null if the messages have no effect or are
   *     harmless
   */
  record Kind(
      String name,
      long messages,
      LongFunction<WorkerMessage> message,
      ToLongFunction<HostileWorkerTest> rows,
      long most,
      @Nullable Quota refused) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Kind> kinds() {
    long batches = ROWS / Protocol.MAX_NODES_PER_MESSAGE + 1;
    return Stream.of(
        new Kind(
            "leases of nodes that do not exist",
            batches,
            i -> new OpenLeaseAcquire(epoch, nodes(i)),
            test -> test.leader.leases().size(),
            0,
            Quota.LEASE_OF_UNKNOWN_NODE),
        new Kind(
            "renewals of leases of nodes that do not exist",
            batches,
            i -> new OpenLeaseRenew(epoch, nodes(i)),
            test -> test.leader.leases().size(),
            0,
            Quota.LEASE_OF_UNKNOWN_NODE),
        new Kind(
            "locks of nodes that do not exist",
            ROWS,
            i -> lock(i, new NodeId(77, i), 1, LockRange.WHOLE, Wish.TRY),
            test -> test.leader.locks().counters().held(),
            0,
            Quota.LOCK_OF_UNKNOWN_NODE),
        new Kind(
            "locks of many owners",
            ROWS,
            i -> lock(i, FsState.ROOT, i, LockRange.WHOLE, Wish.TRY),
            test -> test.leader.locks().kept(BAD),
            QUOTAS.locks() + QUOTAS.unconfirmedAnswers() + 1,
            Quota.LOCKS),
        new Kind(
            "locks of single bytes",
            ROWS,
            i -> lock(i, FsState.ROOT, 1, new LockRange(2 * i, 2 * i), Wish.TRY),
            test -> test.leader.locks().kept(BAD),
            QUOTAS.locks() + QUOTAS.unconfirmedAnswers() + 1,
            Quota.LOCKS),
        new Kind(
            "waits for a lock",
            ROWS,
            i -> i == 1 ? exclusive(i, 1, Wish.TRY) : exclusive(i, i, Wish.WAIT),
            test -> test.leader.locks().kept(BAD),
            QUOTAS.lockWaits() + QUOTAS.unconfirmedAnswers() + 2,
            Quota.LOCK_WAITS),
        new Kind(
            "tests whose answers are never confirmed",
            ROWS,
            i -> lock(i, FsState.ROOT, 1, LockRange.WHOLE, Wish.TEST),
            test -> test.leader.locks().kept(BAD),
            QUOTAS.unconfirmedAnswers(),
            Quota.UNCONFIRMED_ANSWERS),
        new Kind(
            "intents that wait for thousands of chunks",
            Math.max(200, ROWS / 500), // 150 KB each
            HostileWorkerTest::writeOfManyChunks,
            test -> test.leader.intentHandler().pendingBytes(),
            QUOTAS.pendingIntentBytes(),
            Quota.PENDING_INTENT_BYTES),
        new Kind(
            "chunks that no intent mentions",
            Math.max(2_000, ROWS),
            i -> new ChunkPut(intent(i), new Hash(1, 2, 3, i), new byte[1_024]),
            test -> test.stored,
            QUOTAS.unrequestedBytes(),
            Quota.UNREQUESTED_CHUNKS),
        new Kind(
            "fetches of chunks that nobody has",
            20,
            i -> {
              List<ChunkRef> invented = new ArrayList<>();
              for (long j = 0; j < 4_096; j++) {
                invented.add(new ChunkRef(new Hash(6, i, j, 0), 1));
              }
              return new ChunkFetch(invented);
            },
            test -> test.leader.recovery().searches(),
            512,
            null),
        new Kind(
            "copies that nobody has asked for",
            2_000,
            i -> new ChunkCopy(new Hash(7, 2, 3, i), new byte[1_024]),
            test -> test.stored,
            0,
            null),
        new Kind(
            "intents that wait for a chunk",
            ROWS,
            i -> write(i, List.of(new ChunkRef(new Hash(5, 5, i, 0), 64 << 10))),
            test -> test.leader.intentHandler().pendingBytes(),
            QUOTAS.pendingIntentBytes(),
            null),
        new Kind(
            "intents whose payload is not there",
            ROWS,
            i -> write(i, List.of(absent(i, 0))),
            test -> test.leader.intentHandler().pendingBytes(),
            0,
            Quota.SENSELESS_INTENTS),
        new Kind(
            "intents that are no ops",
            ROWS,
            i -> new SubmitIntent(intent(i), "", new byte[] {99, 1, 2}, NOTHING, List.of()),
            test -> test.leader.intentHandler().pendingBytes(),
            0,
            Quota.SENSELESS_INTENTS),
        harmless("questions after intents", i -> new IntentStatusRequest(intent(i))),
        harmless("barriers", BarrierRequest::new),
        harmless("questions for chunks", i -> new ChunkFetch(List.of(absent(i, 0)))),
        harmless(
            "releases of locks that nobody has",
            i -> new LockRelease(new IntentId(RUN, i), FsState.ROOT, LockSpace.POSIX, i)),
        harmless("cancels of nothing", i -> new LockCancel(new IntentId(RUN, i), i + 7)),
        harmless("renewals of locks", i -> new LockRenew(RUN, epoch, 0)),
        harmless("renewals of another run", i -> new LockRenew(new ClientId(i, i), epoch, i)),
        harmless(
            "releases of leases", i -> new OpenLeaseRelease(epoch, List.of(new NodeId(77, i)))));
  }

  /** Messages that leave nothing behind but answers. */
  private static Kind harmless(String name, LongFunction<WorkerMessage> message) {
    return new Kind(
        name,
        ROWS,
        message,
        test -> test.leader.locks().kept(BAD),
        QUOTAS.unconfirmedAnswers() + 1,
        null);
  }

  private static long epoch;

  @BeforeEach
  void join() {
    turn();
    open(FROM_BAD, BAD);
    open(FROM_GOOD, GOOD);
    turn();
    port.sent.clear();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("kinds")
  void whatIsKeptIsBoundedAndOthersAreServed(Kind kind) {
    long before = usedHeapBytes();
    for (long i = 1; i <= kind.messages; i++) {
      leader.received(FROM_BAD, kind.message.apply(i));
      port.sent.clear();
      if (i % 64 == 0) {
        turn();
      }
    }
    assertTrue(
        kind.rows.applyAsLong(this) <= kind.most,
        () -> kind.rows.applyAsLong(this) + " of at most " + kind.most);
    assertTrue(kind.refused == null || leader.violations().of(kind.refused) > 0, "counted");
    port.sent.clear();
    long grown = usedHeapBytes() - before;
    assertTrue(grown <= MAX_GROWTH_BYTES, () -> "the heap has grown by " + grown + " bytes");

    // One turn serves the other worker, however much of the hostile one's is waiting.
    port.sent.clear();
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("good"), 0755, 0, 0);
    leader.received(
        FROM_GOOD,
        new SubmitIntent(
            new IntentId(new ClientId(2, 2), 1), "", OpCodec.encode(op), NOTHING, List.of()));
    turn();
    CommitAck ack = (CommitAck) toGood(CommitAck.class).getFirst();
    assertNull(ack.errno());
    leader.received(
        FROM_GOOD,
        new LockRequest(
            new IntentId(RUN, 1),
            new NodeId(0, 1),
            LockKind.FCNTL_READ,
            1,
            1,
            new LockRange(1L << 40, 1L << 40),
            Wish.TEST));
    assertEquals(1, toGood(LockResponse.class).size());
  }

  /** A correct worker that was too fast sends again what was not taken. */
  @Test
  void whoConfirmsAfterAllIsAskedToBeginAnew() {
    for (long i = 1; i <= QUOTAS.unconfirmedAnswers() + 10; i++) {
      leader.received(FROM_BAD, lock(i, FsState.ROOT, 1, LockRange.WHOLE, Wish.TEST));
    }
    assertEquals(10, leader.violations().of(Quota.UNCONFIRMED_ANSWERS));
    leader.received(FROM_BAD, new WorkerMessage.LockRenew(RUN, epoch, 1_000));
    assertNull(leader.sessions().of(BAD), "it connects again");
    open(FROM_BAD, BAD);
    port.sent.clear();
    for (long i = QUOTAS.unconfirmedAnswers() - 5L; i <= QUOTAS.unconfirmedAnswers() + 10; i++) {
      leader.received(FROM_BAD, lock(i, FsState.ROOT, 1, LockRange.WHOLE, Wish.TEST));
    }
    assertEquals(10, sent(FROM_BAD, LockResponse.class).size(), "those that were not taken");
  }

  @Test
  void connectionsThatSayNothingAreFew() {
    for (int i = 0; i < 100; i++) {
      leader.sessionOpened(new SessionId(100 + i), BAD, "there");
    }
    long silent =
        leader.sessions().all().stream().filter(session -> !session.isEstablished()).count();
    assertEquals(QUOTAS.silentSessions(), silent);
    assertEquals(96, leader.violations().of(Quota.SILENT_SESSIONS));
  }

  /** Only ops that enlarge the state may be refused; those that free space always succeed. */
  @Test
  void aStateThatIsFullTakesNoMoreAndLetsGo() {
    List<Errno> errors = new ArrayList<>();
    for (int i = 1; i <= 2_000; i++) {
      errors.add(commit(i, new FsOp.MakeDir(FsState.ROOT, Name.of("d" + i), 0755, 0, 0)));
    }
    int first = errors.indexOf(Errno.ENOSPC);
    assertTrue(first > 100 && first < 2_000, "refused from " + first + " on");
    assertTrue(leader.sequencer().weight() <= leader.sequencer().maxStateBytes());
    long head = leader.sequencer().headIndex();
    assertEquals(
        Errno.ENOSPC,
        commit(3_000, new FsOp.MakeDir(FsState.ROOT, Name.of("a".repeat(255)), 0755, 0, 0)));
    assertEquals(head, leader.sequencer().headIndex(), "nothing is logged");
    assertNull(commit(3_001, new FsOp.RemoveDir(FsState.ROOT, Name.of("d1"))));
    assertNull(commit(3_002, new FsOp.RemoveDir(FsState.ROOT, Name.of("d2"))));
    assertNull(
        commit(
            3_003, new FsOp.SetAttributes(FsState.ROOT, FsOp.SetAttributes.MODE, 0700, 0, 0, 0)));
  }

  private @Nullable Errno commit(long seqNo, FsOp op) {
    port.sent.clear();
    leader.received(
        FROM_GOOD,
        new SubmitIntent(
            new IntentId(new ClientId(3, 3), seqNo), "", OpCodec.encode(op), NOTHING, List.of()));
    turn();
    return ((CommitAck) toGood(CommitAck.class).getFirst()).errno();
  }

  private static long usedHeapBytes() {
    System.gc();
    Runtime machine = Runtime.getRuntime();
    return machine.totalMemory() - machine.freeMemory();
  }

  private void open(SessionId session, WorkerId worker) {
    leader.sessionOpened(session, worker, "here");
    leader.received(session, Hellos.ofNew(WORKSPACE, worker, RUN));
    epoch = ((Welcome) sent(session, Welcome.class).getLast()).leaderEpoch();
  }

  private void turn() {
    leader.doWork();
    log.sync();
    leader.doWork();
  }

  private List<LeaderMessage> toGood(Class<? extends LeaderMessage> kind) {
    return sent(FROM_GOOD, kind);
  }

  private List<LeaderMessage> sent(SessionId to, Class<? extends LeaderMessage> kind) {
    List<LeaderMessage> messages = new ArrayList<>();
    port.sent.forEach(
        sent -> {
          if (sent.session().equals(to) && kind.isInstance(sent.message())) {
            messages.add(sent.message());
          }
        });
    return messages;
  }

  private static LeaderConfig config() {
    LeaderConfig defaults = LeaderConfig.of(WORKSPACE);
    return new LeaderConfig(
        WORKSPACE,
        defaults.heartbeatNs(),
        defaults.workerTimeoutNs(),
        defaults.partialUploadTtlNs(),
        defaults.windowEntries(),
        defaults.maxPendingIntents(),
        defaults.maxUnsyncedEntries(),
        defaults.rateLimits(),
        defaults.tailCacheBytes(),
        defaults.lockTtlNs(),
        defaults.lockGraceNs(),
        defaults.openLeaseTtlNs(),
        defaults.presenceLeaseNs(),
        500_000,
        defaults.catchUp(),
        QUOTAS,
        defaults.dataPlane(),
        defaults.placement(),
        defaults.params());
  }

  private static List<NodeId> nodes(long batch) {
    List<NodeId> nodes = new ArrayList<>();
    for (int i = 0; i < Protocol.MAX_NODES_PER_MESSAGE; i++) {
      nodes.add(new NodeId(batch, 1_000 + i));
    }
    return nodes;
  }

  private static WorkerMessage exclusive(long seqNo, long owner, Wish wish) {
    return new LockRequest(
        new IntentId(RUN, seqNo),
        FsState.ROOT,
        LockKind.FCNTL_WRITE,
        owner,
        1,
        LockRange.WHOLE,
        wish);
  }

  private static WorkerMessage lock(
      long seqNo, NodeId node, long owner, LockRange range, Wish wish) {
    return new LockRequest(
        new IntentId(RUN, seqNo), node, LockKind.FCNTL_READ, owner, 1, range, wish);
  }

  /** None of the chunks is in the store. */
  private static WorkerMessage writeOfManyChunks(long seqNo) {
    List<ChunkRef> refs = new ArrayList<>();
    for (int i = 0; i < FsOp.Write.MAX_CHUNKS; i++) {
      refs.add(absent(seqNo, i));
    }
    return write(seqNo, refs);
  }

  private static ChunkRef absent(long file, int number) {
    return new ChunkRef(new Hash(5, 5, file, number), 16);
  }

  private static WorkerMessage write(long seqNo, List<ChunkRef> refs) {
    FsOp op = new FsOp.Write(new NodeId(9, 9), WriteMode.PWRITE, 0, refs, false);
    return new SubmitIntent(intent(seqNo), "", OpCodec.encode(op), NOTHING, List.of());
  }

  private static IntentId intent(long seqNo) {
    return new IntentId(new ClientId(1, 1), seqNo);
  }

  /** A store without chunks that counts the bytes it is given. */
  private final class Chunks extends NoChunks {
    @Override
    public void ingest(SessionId session, ChunkPut put) {
      stored += put.bytes().length;
    }

    @Override
    public void ingest(SessionId session, ChunkCopy chunk) {
      stored += chunk.bytes().length;
    }

    @Override
    public void serve(SessionId session, List<ChunkRef> chunks) {
      for (ChunkRef chunk : chunks) {
        leader.chunkMissing(session, chunk, Errno.ENOENT, "not here");
      }
    }
  }
}
