package io.hypersync.leader.recovery;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.daemon.RootThread;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.sequencer.IntentIndex;
import io.hypersync.leader.sequencer.IntentRetention;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.Snapshot;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A log that differs from its replay is refused, naming the first entry that differs. */
class LogReplayTest {
  private static final byte[] NOTHING = {};

  /** A root that is not known before it is awaited. */
  private record RootWhenAwaited(FsState state) implements RootHashing.Root {
    @Override
    public boolean isKnown() {
      return false;
    }

    @Override
    public Hash await() {
      return state.root();
    }
  }

  private final InMemoryChunkStore chunks = new InMemoryChunkStore();
  private LogReplay replay = replay(LogReplay.LONG_RUNS);
  private FsState state = FsState.genesis();
  private long index;

  @Test
  void whatIsReplayedIsTheStateThatWasLogged() {
    theStateIsTheOneThatWasLogged();
  }

  @Test
  void theStateIsTheSameIfRootsAreComputedBesideTheReplay() {
    try (RootThread hashing = new RootThread()) {
      replay = replay(LogReplay.LONG_RUNS, hashing);
      theStateIsTheOneThatWasLogged();
    }
  }

  private void theStateIsTheOneThatWasLogged() {
    for (int i = 0; i < 10_000; i++) {
      assertEquals(Verdict.KEEP, next(logged()));
    }
    replay.ended();
    LeaderState result = replay.result();
    assertEquals(10_000, result.index());
    assertEquals(state.root(), result.root());
    assertEquals(state.root(), result.state().root());
  }

  @ParameterizedTest
  @CsvSource({
    // the first wrong root, how many entries follow
    "1, 0",
    "1, 6000",
    "4000, 50",
    "4096, 0",
    "4096, 1",
    "4097, 9000",
    "5000, 4000",
  })
  void theFirstEntryWithAnotherRootIsNamed(int wrong, int more) {
    theFirstIsNamed(wrong, more);
  }

  /** A wrong root may be detected one run later, but the same entry is named. */
  @ParameterizedTest
  @CsvSource({"1, 0", "1, 6000", "4096, 0", "4096, 1", "4097, 9000", "5000, 0"})
  void theSameEntryIsNamedIfRootsAreComputedBesideTheReplay(int wrong, int more) {
    try (RootThread hashing = new RootThread()) {
      replay = replay(LogReplay.LONG_RUNS, hashing);
      theFirstIsNamed(wrong, more);
    }
  }

  @Test
  void aRunIsComparedBeforeTheNextOneIs() {
    AtomicInteger begun = new AtomicInteger();
    replay =
        replay(
            LogReplay.LONG_RUNS,
            after -> {
              begun.incrementAndGet();
              return new RootWhenAwaited(after);
            });
    for (int i = 1; i <= 2 * LogReplay.LONG_RUNS - 1; i++) {
      next(i < 7 ? logged() : withRoot(Hash.ZERO));
    }
    assertEquals(1, begun.get(), "one run is under way");
    assertNamed(7, () -> next(withRoot(Hash.ZERO)));
    assertEquals(1, begun.get(), "the second run is not compared any more");
  }

  @Test
  void theLastRunIsWaitedFor() {
    replay = replay(LogReplay.LONG_RUNS, RootWhenAwaited::new);
    for (int i = 1; i <= LogReplay.LONG_RUNS; i++) {
      next(i < 9 ? logged() : withRoot(Hash.ZERO));
    }
    assertThrows(IllegalStateException.class, replay::result, "its root is not known yet");
    assertNamed(9, replay::ended);
  }

  @Test
  void whatWasFoundWrongStaysWrong() {
    next(withRoot(Hash.ZERO));
    for (int i = 0; i < 2; i++) {
      assertNamed(1, replay::ended);
      assertThrows(IllegalStateException.class, replay::result);
    }
  }

  @Test
  void anEntryOfTheRunBeforeIsNamedIfALaterOneCannotBeReplayed() {
    replay = replay(LogReplay.LONG_RUNS, RootWhenAwaited::new);
    for (int i = 1; i <= LogReplay.LONG_RUNS + 5; i++) {
      next(i < 9 ? logged() : withRoot(Hash.ZERO));
    }
    assertNamed(9, () -> next(new byte[] {1, 2, 3}));
  }

  /**
   * Otherwise, if that entry was acknowledged, the missing chunks would be reported instead of the
   * wrong root before it.
   */
  @Test
  void anEntryWithAnotherRootIsNamedBeforeALaterOneWithoutItsChunksIsCut() {
    next(logged());
    next(withRoot(Hash.ZERO));
    ChunkRef lost = new ChunkRef(Blake3.hash(new byte[] {9}), 1);
    FsOp write = new FsOp.Write(new NodeId(1, 2), WriteMode.PWRITE, 0, List.of(lost), false);
    assertNamed(2, () -> next(entry(write, Hash.ZERO)));
  }

  private void theFirstIsNamed(int wrong, int more) {
    assertNamed(
        wrong,
        () -> {
          for (int i = 1; i <= wrong + more; i++) {
            next(i < wrong ? logged() : withRoot(Hash.ZERO));
          }
          replay.ended();
        });
  }

  @Test
  void aWrongRootThatLedToARightOneIsLeftToWhoComparesEveryEntry() {
    for (int i = 1; i <= 10; i++) {
      next(i == 5 ? loggedWrong() : logged());
    }
    replay.ended();
    assertEquals(state.root(), replay.result().state().root());
  }

  @Test
  void whoComparesEveryEntryNamesIt() {
    LogReplay every = replay(LogReplay.EVERY_ENTRY);
    every.onRecord(1, logged());
    byte[] wrong = loggedWrong();
    assertNamed(2, () -> every.onRecord(2, wrong));
  }

  @Test
  void aReplayFromASnapshotAppliesWhatIsBehindIt() {
    List<byte[]> log = logOf(30);
    LeaderState whole = replayed(log, ReplayStart.genesis(RootVersion.LATEST));
    for (int at : new int[] {0, 1, 17, 30}) {
      LeaderState fromSnapshot = replayed(log, startAt(log, at));
      assertEquals(whole.root(), fromSnapshot.root(), "from entry " + at);
      assertEquals(whole.state().root(), fromSnapshot.state().root());
      assertEquals(whole.index(), fromSnapshot.index());
      assertEquals(whole.lastTimeNs(), fromSnapshot.lastTimeNs());
      assertEquals(whole.weight(), fromSnapshot.weight());
      assertEquals(30, fromSnapshot.intents().inMemory(), "intents of all entries");
    }
  }

  @ParameterizedTest(name = "snapshot of {0}, intents up to {1}, the log begins at {2}: {3}")
  @CsvSource({
    "0, 0, 1, 1",
    "0, 30, 1, 1",
    "20, 30, 1, 20",
    "20, 20, 1, 20",
    "20, 10, 1, 10",
    "20, 10, 10, 10",
    "20, 10, 11, 11",
    "20, 30, 21, 21",
    "20, 10, 12, IntentStoreException",
    "20, 30, 22, ReplayException"
  })
  void whatIsNeededOfTheLog(int snapshot, int stored, long first, String expected) {
    List<byte[]> log = logOf(30);
    ReplayStart start = startAt(log, snapshot);
    IntentIndex intents =
        replayed(log.subList(0, stored), ReplayStart.genesis(RootVersion.LATEST)).intents();
    intents.persist(stored);
    LogReplay from =
        new LogReplay(
            start,
            chunks,
            intents,
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    if (expected.endsWith("Exception")) {
      RuntimeException refused =
          assertThrows(RuntimeException.class, () -> from.firstNeeded(first));
      assertEquals(expected, refused.getClass().getSimpleName());
    } else {
      assertEquals(Long.parseLong(expected), from.firstNeeded(first));
    }
  }

  /** What was durable when the snapshot was taken is missing. */
  @Test
  void aLogThatEndsBeforeTheSnapshotIsRefused() {
    List<byte[]> log = logOf(30);
    ReplayStart start = startAt(log, 20);
    ReplayException refused =
        assertThrows(ReplayException.class, () -> replayed(log.subList(0, 19), start));
    assertEquals(
        "log entry 19 cannot be replayed: it is the last one of the log, but there is a snapshot of"
            + " entry 20",
        refused.getMessage());
  }

  /** It was durable with all its chunks once; nothing needs them any more. */
  @Test
  void anEntryWhoseChunksWereCollectedIsReplayed() {
    List<byte[]> log = logOf(3);
    for (int i = 4; i <= 6; i++) {
      ChunkRef gone = new ChunkRef(Blake3.hash(new byte[] {(byte) i}), 1);
      byte[] name = {'u', '.', 'x'};
      FsOp op = new FsOp.SetXattr(FsState.ROOT, name, gone, XattrMode.SET);
      state = States.after(state, op, i, new NodeId(1, 1));
      log.add(Entries.of(i, op).at(i).root(state.root()).encoded());
    }
    LogReplay from = replayFrom(ReplayStart.genesis(RootVersion.LATEST).collectedThrough(5));
    for (int i = 0; i < 6; i++) {
      assertEquals(i < 5 ? Verdict.KEEP : Verdict.CUT, from.onRecord(i + 1, log.get(i)), "" + i);
    }
    from.ended();
    assertEquals(5, from.result().index());
    assertEquals(1, from.lostChunks(), "of the two, the state has the newer one");
  }

  @Test
  void aLogThatEndsBeforeWhatWasCollectedIsRefused() {
    List<byte[]> log = logOf(10);
    ReplayStart start = ReplayStart.genesis(RootVersion.LATEST).collectedThrough(8);
    ReplayException refused =
        assertThrows(ReplayException.class, () -> replayed(log.subList(0, 7), start));
    assertEquals(
        "log entry 7 cannot be replayed: it is the last one of the log, but chunks of entries up to"
            + " 8 were collected",
        refused.getMessage());
    assertEquals(8, replayed(log.subList(0, 8), start).index());
  }

  /** Its record proves that the entry was durable, even if its pages are gone. */
  @Test
  void aLogThatEndsBeforeASnapshotThatCannotBeReadIsRefused() {
    List<byte[]> log = logOf(30);
    Snapshot unreadable = new Snapshot(25, 0, 0, 0, false, "", new byte[0]);
    ReplayStart start = startAt(log, 10).provenBy(List.of(unreadable));
    assertThrows(ReplayException.class, () -> replayed(log.subList(0, 24), start));
    assertEquals(25, replayed(log.subList(0, 25), start).index());
    ReplayStart genesis = ReplayStart.genesis(RootVersion.LATEST).provenBy(List.of(unreadable));
    assertThrows(ReplayException.class, () -> replayed(log.subList(0, 24), genesis));
  }

  @Test
  void aSnapshotOfAnotherHistoryIsRefused() {
    List<byte[]> log = logOf(30);
    FsState other = States.after(FsState.genesis(), op(99), 1, new NodeId(1, 2));
    ReplayStart start = new ReplayStart(other, 20, 20, 0, 20, 0);
    assertThrows(ReplayException.class, () -> replayed(log, start));
  }

  private List<byte[]> logOf(int entries) {
    List<byte[]> log = new ArrayList<>();
    for (int i = 0; i < entries; i++) {
      log.add(logged());
    }
    return log;
  }

  private ReplayStart startAt(List<byte[]> log, int at) {
    LeaderState then = replayed(log.subList(0, at), ReplayStart.genesis(RootVersion.LATEST));
    return new ReplayStart(
        then.state(), then.index(), then.lastTimeNs(), then.weight(), then.index(), 0);
  }

  private LogReplay replayFrom(ReplayStart start) {
    return new LogReplay(
        start,
        chunks,
        IntentIndex.inMemory(IntentRetention.DEFAULT),
        LogReplay.LONG_RUNS,
        RootHashing.AT_ONCE,
        Long.MAX_VALUE,
        _ -> {});
  }

  private LeaderState replayed(List<byte[]> log, ReplayStart start) {
    LogReplay from = replayFrom(start);
    for (int i = 0; i < log.size(); i++) {
      assertEquals(Verdict.KEEP, from.onRecord(i + 1, log.get(i)));
    }
    from.ended();
    return from.result();
  }

  /** The log has the bytes and their checksum. */
  @Test
  void aSmallChunkThatHasRottenIsRestoredFromTheLog() {
    byte[] bytes = {1, 2, 3};
    ChunkRef chunk = new ChunkRef(Blake3.hash(bytes), bytes.length);
    chunks.put(chunk.hash(), new byte[] {1, 2, 4});
    FsOp op = new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'x'}, chunk, XattrMode.SET);
    assertEquals(Verdict.KEEP, next(entry(op, Hash.ZERO, bytes)));
    assertArrayEquals(bytes, chunks.getVerified(chunk.hash()));
  }

  /** Its ops stay in memory until the run ends. */
  @Test
  void aRunOfOpsWithManyChunksEndsEarly() {
    byte[] bytes = {1};
    ChunkRef chunk = new ChunkRef(Blake3.hash(bytes), 1);
    chunks.putAll(List.of(new Chunk(chunk.hash(), bytes)));
    next(entry(new FsOp.CreateFile(FsState.ROOT, Name.of("f"), 0644, 0, 0), Hash.ZERO));
    List<ChunkRef> many = Collections.nCopies(FsOp.Write.MAX_CHUNKS, chunk);
    FsOp write = new FsOp.Write(new NodeId(1, 2), WriteMode.PWRITE, 0, many, false);
    assertNamed(
        1,
        () -> {
          while (index < LogReplay.LONG_RUNS) {
            next(entry(write, Hash.ZERO));
          }
        });
    assertEquals(1 + 16_384 / FsOp.Write.MAX_CHUNKS, index, "so many entries were read");
  }

  @Test
  void nothingIsMadeOfALogThatWasNotComparedToItsEnd() {
    next(logged());
    assertThrows(IllegalStateException.class, replay::result);
  }

  @Test
  void anEntryWithAnotherRootIsNamedBeforeALaterOneThatCannotBeReplayed() {
    next(logged());
    next(withRoot(Hash.ZERO));
    NodeId nowhere = new NodeId(7, 7);
    FsOp impossible = new FsOp.MakeDir(nowhere, Name.of("x"), 0, 0, 0);
    assertNamed(2, () -> next(entry(impossible, Hash.ZERO)));
  }

  @Test
  void aReplayMayBeginFromAStateThatIsKnown() {
    for (int i = 0; i < 99; i++) {
      assertEquals(Verdict.KEEP, next(logged()));
    }
    byte[] last = logged();
    assertEquals(Verdict.KEEP, next(last));
    replay.ended();
    LeaderState known = replay.result();
    known.intents().persist(100);
    replay =
        new LogReplay(
            new ReplayStart(known.state(), 100, known.lastTimeNs(), known.weight(), 100, 0),
            chunks,
            known.intents(),
            LogReplay.LONG_RUNS,
            RootHashing.AT_ONCE,
            Long.MAX_VALUE,
            _ -> {});
    assertEquals(100, replay.firstNeeded(1));
    assertEquals(known.root(), replay.result().root(), "before the first entry");
    List<byte[]> entries = new ArrayList<>();
    for (int i = 0; i < 10; i++) {
      entries.add(logged());
    }
    assertEquals(Verdict.KEEP, replay.onRecord(100, last));
    assertNamed(102, () -> replay.onRecord(102, entries.get(1)));
    for (int i = 0; i < 10; i++) {
      assertEquals(Verdict.KEEP, replay.onRecord(101 + i, entries.get(i)));
    }
    replay.ended();
    LeaderState result = replay.result();
    assertEquals(110, result.index());
    assertEquals(state.root(), result.state().root());
    assertEquals(110, result.lastTimeNs());
    assertEquals(StateWeight.of(state), result.weight());
  }

  /** Asserts that the replay is refused and names this entry. */
  private static void assertNamed(int entry, Executable replaying) {
    ReplayException refused = assertThrows(ReplayException.class, replaying);
    assertTrue(refused.getMessage().startsWith("log entry " + entry + " "), refused::getMessage);
  }

  /** A leader that is killed again and again during its start makes progress each time. */
  @Test
  void statesThatAreReachedAreStoredBehindFullSegments() {
    List<byte[]> log = logOf(30);
    List<String> saved = new ArrayList<>();
    LogReplay from = replayFrom(startAt(log, 5).collectedThrough(8));
    from.saveTo(
        new ReplaySaver() {
          @Override
          public boolean isDue(long index) {
            return index != 15;
          }

          @Override
          public void save(FsState reached, long index, long lastTimeNs, long weight) {
            LeaderState right =
                replayed(log.subList(0, (int) index), ReplayStart.genesis(RootVersion.LATEST));
            assertEquals(right.root(), reached.root());
            assertEquals(right.lastTimeNs(), lastTimeNs);
            assertEquals(right.weight(), weight);
            saved.add("entry " + index);
          }
        });
    for (int i = 1; i <= 30; i++) {
      assertEquals(Verdict.KEEP, from.onRecord(i, log.get(i - 1)));
      if ((i % 5 == 0 && i < 30) || i == 7) {
        from.sealed(i);
      }
    }
    from.ended();
    assertEquals(
        List.of("entry 10", "entry 20", "entry 25"),
        saved,
        "5 was known, content of 7 may be gone, 15 was not due, 30 is in no full segment");
    assertEquals(
        replayed(log, ReplayStart.genesis(RootVersion.LATEST)).root(), from.result().root());
  }

  @Test
  void aStateWhoseRootIsWrongIsNotStored() {
    List<byte[]> log = logOf(10);
    LogReplay from = replayFrom(ReplayStart.genesis(RootVersion.LATEST));
    from.saveTo(
        new ReplaySaver() {
          @Override
          public boolean isDue(long index) {
            return true;
          }

          @Override
          public void save(FsState reached, long index, long lastTimeNs, long weight) {
            throw new AssertionError("stored");
          }
        });
    for (int i = 1; i <= 9; i++) {
      var _ = from.onRecord(i, log.get(i - 1));
    }
    index = 9;
    FsOp op = new FsOp.MakeDir(FsState.ROOT, Name.of("other"), 0755, 0, 0);
    var _ = from.onRecord(10, entry(op, Hash.ZERO));
    assertNamed(10, () -> from.sealed(10));
  }

  private LogReplay replay(int runEntries) {
    return replay(runEntries, RootHashing.AT_ONCE);
  }

  private LogReplay replay(int runEntries, RootHashing hashing) {
    return new LogReplay(
        ReplayStart.genesis(RootVersion.LATEST),
        chunks,
        IntentIndex.inMemory(IntentRetention.DEFAULT),
        runEntries,
        hashing,
        Long.MAX_VALUE,
        _ -> {});
  }

  private Verdict next(byte[] payload) {
    return replay.onRecord(index, payload);
  }

  /** Logs the creation of a directory. */
  private byte[] logged() {
    FsOp op = applied();
    return entry(op, state.root());
  }

  /** The same with a wrong root. */
  private byte[] loggedWrong() {
    return entry(applied(), Hash.ZERO);
  }

  /** Creates a directory without logging it. */
  private FsOp applied() {
    FsOp op = op(index + 1);
    state = States.after(state, op, index + 1, new NodeId(1, index + 2));
    return op;
  }

  private byte[] withRoot(Hash root) {
    return entry(op(index + 1), root);
  }

  private static FsOp op(long number) {
    return new FsOp.MakeDir(FsState.ROOT, Name.of("d" + number), 0755, 0, 0);
  }

  private byte[] entry(FsOp op, Hash root) {
    return entry(op, root, NOTHING);
  }

  private byte[] entry(FsOp op, Hash root, byte[] inline) {
    index++;
    return Entries.of(index, op)
        .creating(new NodeId(1, index + 1))
        .root(root)
        .inline(inline)
        .encoded();
  }
}
