package io.hypersync.leader.collection;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.ManualClock;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.LeaderParts;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.StubTurns;
import io.hypersync.leader.port.CollectionPort;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.LogKeeper;
import io.hypersync.leader.port.LogKeeper.Reason;
import io.hypersync.leader.recovery.LeaderState;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.leader.session.Hellos;
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
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPolicy;
import io.hypersync.snapshot.schedule.SnapshotPort;
import io.hypersync.wire.message.WorkerMessage.ChunkPut;
import io.hypersync.wire.message.WorkerMessage.OpenLeaseAcquire;
import io.hypersync.wire.message.WorkerMessage.SubmitIntent;
import io.hypersync.wire.message.WorkerMessage.WorkerApplied;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** When a collection runs, and from what everything alive is reached (hypersync.md 14.2). */
class CollectionManagerTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 1);
  private static final WorkerId WORKER = new WorkerId("w1");
  private static final SessionId SESSION = new SessionId(1);
  private static final long INTERVAL_NS = 12_000;

  private final ManualClock clock = new ManualClock();
  private final MemoryOpLog log = new MemoryOpLog();
  private final Port port = new Port();
  private final List<Long> taking = new ArrayList<>();
  private long intents;
  private CollectionPolicy policy = CollectionPolicy.of(INTERVAL_NS, 0, Long.MAX_VALUE);
  private CollectionManager collections = CollectionManager.none();
  private SnapshotManager snapshots = snapshots(0);
  private LeaderAgent leader = leader();

  @Test
  void withoutASnapshotTheWholeLogIsKept() {
    begin(0, 0, 10);
    assertEquals(0, roots().logAfter());
  }

  /** The next start begins with the base, and applies what is behind it. */
  @Test
  void allBehindTheSnapshotThatTheNextStartBeginsWithIsKept() {
    begin(0, 7, 10, 3, 7);
    assertEquals(7, roots().logAfter());
  }

  /** A newer one is there, but could not be read at the start. */
  @Test
  void aSnapshotThatTheLeaderDidNotBeginWithDoesNotCount() {
    begin(0, 3, 10, 3, 7);
    assertEquals(3, roots().logAfter());
    begin(0, 0, 10, 3, 7);
    assertEquals(0, roots().logAfter());
  }

  @Test
  void theReplayWindowIsCountedInEntries() {
    begin(6, 9, 10, 2, 4, 7, 9); // entries 5 to 10
    assertEquals(4, roots().logAfter());
    begin(9, 9, 10, 2, 4, 7, 9);
    assertEquals(0, roots().logAfter(), "no snapshot is that old");
  }

  @Test
  void orInTimeWhicheverIsShorter() {
    policy = CollectionPolicy.of(INTERVAL_NS, Long.MAX_VALUE, 5); // an entry each nanosecond
    start(9, 10, 2, 4, 7, 9);
    assertEquals(4, roots().logAfter());
  }

  /** On a disk that is nearly full, it has ten minutes at most. */
  @Test
  void onAFullDiskTheWindowIsShorter() {
    long second = 1_000_000_000;
    policy = CollectionPolicy.of(INTERVAL_NS, Long.MAX_VALUE, 86_400 * second);
    start(3, 5, 1, 3);
    clock.set(700 * second);
    entry();
    assertEquals(0, roots().logAfter());
    end(0);
    leader.freeBytes(1 << 20);
    assertEquals(3, roots().logAfter());
  }

  @Test
  void whatAConnectedWorkerHasStillToApplyIsKept() {
    begin(0, 9, 10, 2, 4, 7, 9);
    join(0);
    report(5);
    assertEquals(4, roots().logAfter(), "and its own state is whole");
    end(1);
    report(7);
    assertEquals(7, roots().logAfter());
    end(1);
    leader.sessionClosed(SESSION, "it has gone");
    assertEquals(9, roots().logAfter());
  }

  /** What it has said in its Hello may not be visible there yet. */
  @Test
  void aWorkerThatHasNotSaidWhatItShowsIsWaitedFor() {
    begin(0, 9, 10, 2, 4, 7, 9);
    join(0);
    collections.ask(false);
    leader.doWork();
    collections.begun();
    leader.doWork();
    assertNull(port.roots);
    clock.advance(5_000_000_000L);
    leader.doWork();
    assertEquals(0, collected().logAfter(), "not for ever, and then all is kept");
  }

  @Test
  void whatAWorkerInstallsIsKept() {
    begin(0, 9, 10, 2, 4, 7, 9);
    snapshots.hold(4);
    assertEquals(4, roots().logAfter());
    end(1);
    snapshots.release(4);
    assertEquals(9, roots().logAfter());
  }

  /** Nobody can begin with what the log does not have any more. */
  @Test
  void aLogThatWasTrimmedIsReadFromTheFirstSnapshotThatItLeadsOnFrom() {
    begin(6, 9, 10, 2, 4, 7, 9);
    log.trim(4);
    assertEquals(4, roots().logAfter());
    end(1);
    log.trim(5);
    assertEquals(7, roots().logAfter(), "though the window is longer");
    end(1);
    join(0);
    report(8);
    assertEquals(7, roots().logAfter());
    end(1);
  }

  /**
   * As after each restart of a leader whose log was trimmed: a Hello does not say what it shows.
   */
  @Test
  void aWorkerWhoseReportIsLateIsWaitedForQuietly() {
    begin(0, 9, 10, 2, 4, 7, 9);
    join(0);
    log.trim(5);
    askAndBegin();
    clock.advance(30_000_000_000L);
    leader.doWork();
    assertNull(port.roots, "it counts as showing nothing");
    report(10);
    clock.advance(100_000_000);
    leader.doWork();
    assertEquals(9, collected().logAfter());
    assertEquals(List.of("begin", "collect"), port.calls);
    assertEquals(0, collections.failedSoFar());
  }

  /** Its state is not whole any more, and it is about to be told so. */
  @Test
  void aConnectedWorkerThatShowsAnOlderStateForLongEndsTheRun() {
    begin(0, 9, 10, 2, 4, 7, 9);
    join(0);
    report(6);
    assertEquals(4, roots().logAfter());
    end(1);
    log.trim(5);
    askAndBegin();
    clock.advance(59_000_000_000L);
    leader.doWork();
    assertEquals(List.of("begin", "collect", "begin"), port.calls);
    assertNull(collections.lastFailure());
    clock.advance(1_000_000_000L);
    leader.doWork();
    assertNull(port.roots);
    assertEquals(List.of("begin", "collect", "begin", "abandon"), port.calls);
    assertTrue(
        String.valueOf(collections.lastFailure()).startsWith("the log begins with entry 6, and a"),
        collections::lastFailure);
  }

  /** Of several the one that stays when all is well, then the one that is furthest behind. */
  @Test
  void itIsKnownWhoKeepsTheLog() {
    begin(0, 0, 10);
    assertKeeper(Reason.SNAPSHOT, "");
    begin(0, 9, 10, 2, 4, 7, 9);
    assertKeeper(Reason.SNAPSHOT, "");
    begin(6, 9, 10, 2, 4, 7, 9);
    assertKeeper(Reason.REPLAY_WINDOW, "");

    begin(0, 9, 10, 2, 4, 7, 9);
    join(0);
    report(5);
    assertKeeper(Reason.WORKER, "w1");
    snapshots.hold(4);
    assertKeeper(Reason.READER, "");
    snapshots.release(4);
    report(10);
    assertKeeper(Reason.SNAPSHOT, "");

    begin(6, 9, 10, 2, 4, 7, 9);
    join(0);
    report(3);
    assertKeeper(Reason.WORKER, "w1");
    report(5);
    assertKeeper(Reason.REPLAY_WINDOW, "");
    report(9);
    log.trim(5);
    assertKeeper(Reason.REPLAY_WINDOW, "");
  }

  private void assertKeeper(Reason reason, String who) {
    assertEquals(new LogKeeper(reason, who), roots().notes().log());
    end(1);
  }

  @Test
  void theOldestUploadIsKnown() {
    begin(0, 9, 10, 9);
    join(0);
    report(10);
    assertEquals(0, roots().notes().uploadsSinceNs());
    end(1);
    long since = clock.epochNs();
    byte[] ahead = {1};
    leader.received(
        SESSION, new ChunkPut(new IntentId(new ClientId(1, 42), 1_000), Blake3.hash(ahead), ahead));
    clock.advance(1_000);
    leader.received(
        SESSION, new ChunkPut(new IntentId(new ClientId(1, 42), 1_000), Blake3.hash(ahead), ahead));
    assertEquals(since, roots().notes().uploadsSinceNs());
  }

  @Test
  void whoHasFilesWithoutANameOpenIsKnown() {
    begin(0, 9, 10, 9);
    join(0);
    report(10);
    assertEquals("", roots().notes().openOn());
    end(1);
    submit(new FsOp.CreateFile(FsState.ROOT, Name.of("open"), 0644, 0, 0));
    leader.doWork();
    NodeId file = leader.sequencer().head().lookup(root(), Name.of("open")).id();
    submit(new FsOp.Unlink(FsState.ROOT, Name.of("open")));
    leader.received(SESSION, new OpenLeaseAcquire(leader.epoch(), List.of(file, FsState.ROOT)));
    leader.doWork();
    assertEquals("w1", roots().notes().openOn());
  }

  private Node root() {
    return Objects.requireNonNull(leader.sequencer().head().node(FsState.ROOT));
  }

  @Test
  void chunksThatIntentsRelyOnAreAmongTheRoots() {
    begin(0, 9, 10, 9);
    join(0);
    report(10);
    byte[] ahead = {1};
    Hash arrived = Blake3.hash(ahead);
    leader.received(
        SESSION, new ChunkPut(new IntentId(new ClientId(1, 42), 1_000), arrived, ahead));
    Hash waiting = Blake3.hash(new byte[] {2});
    FsOp write =
        new FsOp.Write(
            FsState.ROOT, WriteMode.PWRITE, 0, List.of(new ChunkRef(waiting, 60_000)), false);
    submit(write);
    assertEquals(Set.of(arrived, waiting), roots().promised());
  }

  /** Its pages are in no snapshot yet, and those that it leaves out may be in none any more. */
  @Test
  void theRootsWaitForASnapshotThatIsBeingTaken() {
    begin(0, 4, 10, 4);
    snapshots.take("now", _ -> {});
    leader.doWork();
    leader.doWork();
    assertEquals(List.of(10L), taking);
    assertEquals(Set.of(4L, 10L), snapshots.indexes());
    askAndBegin();
    assertNull(port.roots);
    snapshots.taken(snapshot(10), clock.monotonicNs());
    leader.doWork();
    assertEquals(List.of(4L, 10L), collected().snapshots().stream().map(Snapshot::index).toList());
  }

  @Test
  void workersAreToldFromTheMomentWhenChunksMayGo() {
    begin(0, 9, 10, 9);
    assertEquals(0, collections.through());
    roots();
    assertEquals(9, collections.through());
    collections.failed("for lack of room", 0, 0);
    assertEquals(0, collections.through(), "nothing was said, so nothing has gone");
    roots();
    collections.failed("for lack of room", 9, 0);
    assertEquals(9, collections.through());
  }

  @Test
  void aDryRunTellsNobody() {
    begin(0, 9, 10, 9);
    collections.ask(true);
    leader.doWork();
    collections.begun();
    leader.doWork();
    assertTrue(collected().isDryRun());
    assertEquals(0, collections.through());
  }

  @Test
  void oneIsDueAfterTheIntervalIfAnythingHasChanged() {
    begin(0, 9, 10, 9);
    clock.set(2 * INTERVAL_NS);
    leader.doWork();
    assertEquals(List.of(), port.calls, "nothing has changed since the start");
    entry();
    leader.doWork();
    assertEquals(List.of("begin"), port.calls);
    collections.begun();
    leader.doWork();
    end(1);
    entry();
    clock.set(3 * INTERVAL_NS - 1);
    leader.doWork();
    assertEquals(List.of("begin", "collect"), port.calls);
    clock.set(3 * INTERVAL_NS);
    leader.doWork();
    assertEquals(List.of("begin", "collect", "begin"), port.calls);
  }

  @Test
  void oneThatIsDueWaitsForItsTurnUnlessTheDiskIsNearlyFullOrSomebodyAsks() {
    StubTurns turns = new StubTurns();
    turns.isOurs = false;
    begin(0, 9, 10, 9);
    collections.takeTurns(turns);
    entry();
    clock.set(2 * INTERVAL_NS);
    leader.doWork();
    leader.doWork();
    assertEquals(List.of("collection"), turns.asked, "it is not asked at each turn of the loop");
    assertEquals(List.of(), port.calls);
    leader.freeBytes(1 << 20);
    leader.doWork();
    assertEquals(List.of("begin"), port.calls);
    collections.begun();
    leader.doWork();
    end(1);
    leader.freeBytes(1L << 40);

    collections.ask(false);
    leader.doWork();
    assertEquals(List.of("begin", "collect", "begin"), port.calls);
    collections.begun();
    leader.doWork();
    end(1);

    turns.isOurs = true;
    turns.ended.clear();
    entry();
    clock.set(4 * INTERVAL_NS + 2_000_000_000L);
    leader.doWork();
    assertEquals("begin", port.calls.getLast());
    assertEquals(List.of(), turns.ended);
    collections.begun();
    leader.doWork();
    end(1);
    assertEquals(List.of("collection"), turns.ended);
  }

  @Test
  void oneThatIsPutOffIsNoFailureAndIsDueSoon() {
    begin(0, 9, 10, 9);
    entry();
    clock.set(2 * INTERVAL_NS);
    leader.doWork();
    collections.begun();
    leader.doWork();
    collections.putOff(0, clock.monotonicNs());
    assertEquals(0, collections.failedSoFar());
    assertNull(collections.lastFailure());
    clock.set(2 * INTERVAL_NS + INTERVAL_NS / 12);
    leader.doWork();
    assertEquals(List.of("begin", "collect", "begin"), port.calls);
  }

  @Test
  void oneIsDueSoonerOnADiskThatIsNearlyFull() {
    begin(0, 9, 10, 9);
    leader.freeBytes(1 << 20);
    entry();
    clock.set(INTERVAL_NS / 12 - 1);
    leader.doWork();
    assertEquals(List.of(), port.calls);
    clock.set(INTERVAL_NS / 12);
    leader.doWork();
    assertEquals(List.of("begin"), port.calls);
  }

  /** A mark of everything reads all pages and much of the log. */
  @Test
  void whatIsOfNoUseIsTriedLessAndLessOften() {
    begin(0, 9, 10, 9);
    leader.freeBytes(1 << 20);
    List<Long> waits = new ArrayList<>();
    for (int i = 0; i < 9; i++) {
      entry();
      long before = clock.monotonicNs();
      while (port.roots == null) {
        clock.advance(INTERVAL_NS / 12);
        leader.doWork();
        if (port.calls.size() % 2 == 1) {
          collections.begun();
          leader.doWork();
        }
      }
      waits.add((clock.monotonicNs() - before) / (INTERVAL_NS / 12));
      if (i % 2 == 0) {
        end(0);
      } else {
        port.roots = null;
        collections.failed("a page is damaged", 0, clock.monotonicNs());
      }
    }
    assertEquals(List.of(1L, 2L, 4L, 8L, 16L, 32L, 64L, 64L, 64L), waits);
  }

  @Test
  void onADiskThatIsNearlyFullAFewBytesAreOfNoUse() {
    begin(0, 9, 10, 9);
    leader.freeBytes(1 << 20);
    assertEquals(List.of(1L, 2L, 4L), waitsAfterRunsThatFree(1 << 20, 1 << 20, 1 << 20));
    assertEquals(List.of(8L, 1L, 1L), waitsAfterRunsThatFree(64 << 20, 64 << 20, 64 << 20));
  }

  /** How long each run waits, in twelfths of the interval, if something changes all the time. */
  private List<Long> waitsAfterRunsThatFree(long... freed) {
    List<Long> waits = new ArrayList<>();
    for (long bytes : freed) {
      int before = port.calls.size();
      long waited = 0;
      while (port.calls.size() == before) {
        entry();
        clock.advance(INTERVAL_NS / 12);
        waited++;
        leader.doWork();
      }
      collections.begun();
      leader.doWork();
      waits.add(waited);
      end(bytes);
    }
    return waits;
  }

  @Test
  void aSnapshotThatSomebodyRemovesIsAReasonToLookAgain() {
    begin(0, 9, 10, 2, 4, 9);
    for (int i = 0; i < 5; i++) {
      roots();
      port.roots = null;
      collections.failed("a page is damaged", 0, 0);
    }
    clock.set(INTERVAL_NS / 12);
    leader.doWork();
    assertEquals(10, port.calls.size());
    snapshots.remove(2, _ -> {});
    leader.doWork();
    snapshots.removed(2);
    leader.doWork();
    assertEquals(11, port.calls.size());
  }

  @Test
  void whoAsksLearnsWhatBecameOfTheirRun() {
    begin(0, 9, 10, 9);
    long first = collections.ask(false);
    assertEquals(first, collections.ask(false), "they share it");
    long dry = collections.ask(true);
    askAndBegin();
    long third = collections.ask(false);
    collections.failed("for lack of room", 0, 0);
    leader.doWork();
    collections.begun();
    leader.doWork();
    end(0);
    assertEquals(
        List.of(
            new CollectionManager.Ended(first, false, "for lack of room"),
            new CollectionManager.Ended(dry, true, null)),
        collections.endedRuns());
    assertEquals(3, third);
  }

  private CollectionRoots roots() {
    askAndBegin();
    return collected();
  }

  private void askAndBegin() {
    port.roots = null;
    collections.ask(false);
    leader.doWork();
    collections.begun();
    leader.doWork();
  }

  private CollectionRoots collected() {
    CollectionRoots roots = port.roots;
    if (roots == null) {
      throw new AssertionError("no roots were taken: " + port.calls);
    }
    return roots;
  }

  private void end(long freed) {
    CollectionRoots roots = collected();
    port.roots = null;
    collections.ended(
        new CollectionReport(
            roots.isDryRun(), roots.headIndex(), 0, 0, 0, 0, 0, freed, 0, 0, 0, 0, List.of()),
        clock.monotonicNs());
  }

  /** A leader with so many entries in its window, this base, entries, and snapshots. */
  private void begin(long window, long base, int entries, long... known) {
    policy = CollectionPolicy.of(INTERVAL_NS, window, Long.MAX_VALUE);
    start(base, entries, known);
  }

  private void start(long base, int entries, long... known) {
    snapshots = snapshots(base, known);
    leader = leader();
    while (log.appendedIndex() < entries) {
      entry();
    }
    collections = new CollectionManager(port, policy, 0, log.appendedIndex(), clock.monotonicNs());
    LeaderState recovered =
        new LeaderState(
            leader.sequencer().head(),
            leader.sequencer().head().root(),
            log.appendedIndex(),
            leader.sequencer().lastTimeNs(),
            leader.sequencer().intents());
    leader = leader(recovered);
    port.calls.clear();
  }

  private void entry() {
    intents++;
    var _ =
        leader
            .intentHandler()
            .submitOwn(new FsOp.MakeDir(FsState.ROOT, Name.of("d" + intents), 0755, 0, 0));
    log.sync();
  }

  private void submit(FsOp op) {
    intents++;
    IntentId id = new IntentId(new ClientId(1, 42), intents);
    leader.received(SESSION, new SubmitIntent(id, "", OpCodec.encode(op), new byte[0], List.of()));
  }

  private void join(long applied) {
    leader.sessionOpened(SESSION, WORKER, "here");
    assertEquals(0, applied);
    leader.received(SESSION, Hellos.ofNew(WORKSPACE, WORKER, new ClientId(7, 7)));
  }

  private void report(long visible) {
    leader.received(SESSION, new WorkerApplied(visible, Hash.ZERO, true, 0, null));
  }

  private SnapshotManager snapshots(long base, long... known) {
    List<Snapshot> all = new ArrayList<>();
    for (long index : known) {
      all.add(snapshot(index));
    }
    return new SnapshotManager(
        new Snapshots(), new SnapshotPolicy(Long.MAX_VALUE, 100), WORKSPACE, all, base, 0);
  }

  private static Snapshot snapshot(long index) {
    FsState state = FsState.genesis();
    PageWriter pages = PageWriter.complete(state.version(), Blake3::hash);
    byte[] manifest = new Manifest(WORKSPACE, index, index, 1, state).write(pages).bytes();
    return new Snapshot(index, 0, 0, 0, false, "", manifest);
  }

  private LeaderAgent leader() {
    return leader(LeaderParts.genesis(IntentIndex.inMemory(IntentRetention.DEFAULT)));
  }

  private LeaderAgent leader(LeaderState recovered) {
    return new LeaderParts(WORKSPACE)
        .recovered(recovered)
        .log(log)
        .snapshots(snapshots)
        .collections(collections)
        .clock(clock)
        .agent();
  }

  private static final class Port implements CollectionPort {
    private final List<String> calls = new ArrayList<>();
    private @Nullable CollectionRoots roots;

    @Override
    public void begin() {
      calls.add("begin");
    }

    @Override
    public void collect(CollectionRoots taken) {
      calls.add("collect");
      roots = taken;
    }

    @Override
    public void abandon() {
      calls.add("abandon");
    }
  }

  private final class Snapshots implements SnapshotPort {
    @Override
    public void take(Manifest manifest, long after, String name) {
      taking.add(manifest.index());
    }

    @Override
    public void measure(Manifest newest) {
      snapshots.weighed();
    }

    @Override
    public void change(Snapshot snapshot) {}

    @Override
    public void remove(long index) {}

    @Override
    public void setAside() {}
  }
}
