package io.hypersync.worker.replica;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.log.LogEntryCodec;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.wire.message.WorkerMessage.ApplyError;
import io.hypersync.worker.dataplane.ReceivedBlock;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Ordered apply, and only with all chunks (hypersync.md 12.3, 6.4.1). */
class ReplicaTest {
  private static final byte[] NOTHING = {};

  private final LocalChunks chunks = new LocalChunks();
  private final List<Long> applied = new ArrayList<>();
  private final Replica replica =
      new Replica(chunks, (entry, _, _) -> () -> applied.add(entry.index()), RootVersion.LATEST);
  private FsState state = FsState.genesis();
  private long index;

  @Test
  void entriesAreAppliedInOrderAndOnce() throws DecodeException {
    byte[] one = setXattr(1, true);
    byte[] two = setXattr(2, true);
    replica.offer(List.of(one, two));
    replica.offer(List.of(one, two));
    assertEquals(4, replica.apply(100, Long.MAX_VALUE));
    assertEquals(List.of(1L, 2L), applied);
    assertEquals(state.root(), replica.applied().root());
    assertEquals(2, replica.applied().index());
  }

  @Test
  void anEntryWithoutItsPayloadGetsItFromWhoHasKeptIt() throws DecodeException {
    replica.takePayloadsFrom(entry -> entry.index() == 1 ? value(1) : null);
    byte[] sent = LogEntryCodec.withoutPayload(setXattr(1, true), 1);
    assertEquals(List.of(), replica.offer(List.of(sent)), "its chunk is not asked for");
    replica.apply(100, Long.MAX_VALUE);
    assertEquals(List.of(1L), applied);
    assertEquals(state.root(), replica.applied().root());
    assertTrue(chunks.stored.contains(ref(1).hash()));
  }

  @Test
  void ifNobodyHasKeptItTheConnectionIsOfNoUse() throws DecodeException {
    byte[] one = setXattr(1, true);
    byte[] two = setXattr(2, true);
    replica.offer(List.of(one));
    PayloadGoneException gone =
        assertThrows(
            PayloadGoneException.class,
            () -> replica.offer(List.of(LogEntryCodec.withoutPayload(two, 1))));
    assertEquals("entry 2 came without the bytes of a call that was given up", gone.getMessage());
    replica.forgetNotDurable();
    replica.offer(List.of(one, two));
    replica.apply(100, Long.MAX_VALUE);
    assertEquals(List.of(1L, 2L), applied, "the next connection brings it whole");
  }

  /** It reports the error before the heap is full, and goes on serving what it has. */
  @Test
  void aStateThatIsTooLargeForThisMachineStopsIt() throws DecodeException {
    long limit = StateWeight.of(FsState.genesis()) + 10;
    Replica small = new Replica(chunks, (_, _, _) -> () -> {}, RootVersion.LATEST, limit);
    small.offer(List.of(setXattr(1, true), setXattr(2, true)));
    small.apply(100, Long.MAX_VALUE);
    ApplyError error = Objects.requireNonNull(small.error());
    assertEquals(1, error.logIndex());
    assertEquals(Errno.ENOMEM, error.errno());
    assertEquals(0, small.applied().index());
  }

  @Test
  void anEntryWaitsForASnapshotIfTooMuchIsInNone() throws DecodeException {
    PageCache pages =
        new PageCache(
            page -> {
              throw new PageMissingException(page, "is not stored");
            },
            StatePages::leaves,
            1 << 20,
            true);
    byte[] first = setXattr(1, true);
    long change = StateWeight.of(state) - StateWeight.of(FsState.genesis());
    List<Long> passedOn = new ArrayList<>();
    Replica small =
        new Replica(
            chunks,
            (entry, _, _) -> () -> passedOn.add(entry.index()),
            Manifest.genesis(new WorkspaceId(0, 0), RootVersion.LATEST),
            change + change / 2,
            pages.dirty(),
            RestoredStates.NONE);
    FsOp another =
        new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'b'}, ref(2), XattrMode.SET);
    state = States.after(state, another, index + 1, LogEntry.NO_NODE);
    small.offer(List.of(first, encode(another, value(2), state.root())));
    small.apply(100, Long.MAX_VALUE);
    assertEquals(List.of(1L), passedOn);
    assertTrue(small.takesTooMuch());
    assertEquals(0, small.apply(100, Long.MAX_VALUE));
    assertNull(small.error(), "it will go on");
    pages.measured(pages.dirty().bytes(), 0);
    small.apply(100, Long.MAX_VALUE);
    assertEquals(List.of(1L, 2L), passedOn);
  }

  @Test
  void noMoreThanTheLimitAtOnce() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, true), setXattr(3, true)));
    assertEquals(4, replica.apply(2, Long.MAX_VALUE));
    assertEquals(2, replica.apply(2, Long.MAX_VALUE));
    assertEquals(0, replica.apply(2, Long.MAX_VALUE));
  }

  @Test
  void aGapIsRefused() {
    setXattr(1, true);
    byte[] two = setXattr(2, true);
    assertThrows(DecodeException.class, () -> replica.offer(List.of(two)));
  }

  @Test
  void anEntryWaitsForItsChunkAndHoldsUpThoseBehindIt() throws DecodeException {
    List<ChunkRef> fetch = replica.offer(List.of(setXattr(1, false), setXattr(2, true)));
    assertEquals(List.of(ref(1)), fetch);
    assertEquals(1, replica.missingChunks());
    assertEquals(0, replica.apply(100, Long.MAX_VALUE));
    chunks.stored.add(ref(1).hash());
    replica.chunkStored(ref(1).hash());
    assertEquals(4, replica.apply(100, Long.MAX_VALUE));
  }

  /** The leader has collected what only the past had; a backfill fetches the rest. */
  @Test
  void entriesOfACollectedRangeAreAppliedWithoutTheirChunks() throws DecodeException {
    replica.collectedThrough(1);
    List<ChunkRef> fetch = replica.offer(List.of(setXattr(1, false), setXattr(2, false)));
    assertEquals(List.of(ref(2)), fetch, "behind the range chunks are waited for");
    assertEquals(2, replica.apply(100, Long.MAX_VALUE));
    assertEquals(List.of(1L), applied);
  }

  @Test
  void aChunkIsFetchedOnceForAllWhoNeedIt() throws DecodeException {
    assertEquals(1, replica.offer(List.of(setXattr(1, false), setXattr(1, false))).size());
  }

  @Test
  void aChunkThatIsHereIsNotFetched() throws DecodeException {
    chunks.stored.add(ref(1).hash());
    assertEquals(List.of(), replica.offer(List.of(setXattr(1, false))));
    assertEquals(2, replica.apply(100, Long.MAX_VALUE));
  }

  @Test
  void onANewConnectionEverythingUnappliedComesAgain() throws DecodeException {
    byte[] one = setXattr(1, true);
    byte[] two = setXattr(2, false);
    replica.offer(List.of(one, two));
    replica.apply(100, Long.MAX_VALUE);
    replica.forgetNotDurable();
    assertEquals(0, replica.missingChunks());
    assertEquals(List.of(ref(2)), replica.offer(List.of(two)), "asked for again");
    chunks.stored.add(ref(2).hash());
    replica.chunkStored(ref(2).hash());
    replica.apply(100, Long.MAX_VALUE);
    assertEquals(List.of(1L, 2L), applied);
  }

  @Test
  void whatIsNotDurableIsAppliedAheadAndToldOfLater() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, true), setXattr(3, true)));
    assertEquals(4, replica.apply(100, 1));
    assertEquals(List.of(1L), applied);
    assertEquals(1, replica.applied().index());
    assertEquals(0, replica.apply(100, 1));
    assertEquals(2, replica.apply(100, 3));
    assertEquals(List.of(1L, 2L, 3L), applied);
    assertEquals(state.root(), replica.applied().root());
  }

  @Test
  void aLeaderThatHasForgottenAnEntryCommitsAnotherInItsPlace() throws DecodeException {
    byte[] one = setXattr(1, true);
    FsState afterOne = state;
    byte[] lost = setXattr(2, true);
    replica.offer(List.of(one, lost));
    replica.apply(100, 1);
    replica.forgetNotDurable();
    state = afterOne;
    index = 1;
    byte[] instead = setXattr(3, true);
    replica.offer(List.of(instead));
    assertEquals(2, replica.apply(100, 2));
    assertNull(replica.error());
    assertEquals(state.root(), replica.applied().root());
  }

  @Test
  void aChunkThatCannotBeHadForAnEntryThatIsForgottenStopsNothing() throws DecodeException {
    byte[] one = setXattr(1, true);
    FsState afterOne = state;
    replica.offer(List.of(one, setXattr(2, false)));
    replica.chunkFailed(ref(2).hash(), Errno.EIO, "gone");
    replica.apply(100, 1);
    assertNull(replica.error());
    assertEquals(List.of(1L), applied, "what comes before it goes on");
    replica.forgetNotDurable();
    state = afterOne;
    index = 1;
    replica.offer(List.of(setXattr(3, true)));
    replica.apply(100, 2);
    assertNull(replica.error());
    assertEquals(List.of(1L, 2L), applied);
  }

  @Test
  void butItStopsItWhenTheEntryTurnsOutToBeDurable() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 0);
    replica.chunkFailed(ref(2).hash(), Errno.EIO, "gone");
    replica.apply(100, 2);
    assertNotNull(replica.error());
    assertEquals(2, Objects.requireNonNull(replica.error()).logIndex());
    assertEquals(List.of(1L), applied, "what was applied before is told of");
  }

  @Test
  void oneThatHasStoppedStaysSoWhateverALaterLeaderCallsDurable() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 2);
    replica.chunkFailed(ref(2).hash(), Errno.EIO, "gone");
    for (int connection = 0; connection < 2; connection++) {
      replica.forgetNotDurable();
      replica.apply(100, 1);
      assertNotNull(replica.error());
    }
  }

  /** Its readers get EIO, and nobody else is concerned. */
  @Test
  void anEntryWhoseChunkNobodyHasIsAppliedWithoutIt() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false), setXattr(2, false)));
    assertEquals(2, replica.apply(100, 3));
    assertTrue(replica.chunkLost(ref(2).hash()));
    assertEquals(4, replica.apply(100, 3));
    assertNull(replica.error());
    assertEquals(state.root(), replica.applied().root());
    assertFalse(replica.chunkLost(ref(2).hash()), "nothing waits for it any more");
  }

  @Test
  void whatCannotBeAppliedStopsItOnlyWhenItIsDurable() throws DecodeException {
    FsOp impossible = new FsOp.RemoveXattr(FsState.ROOT, new byte[] {'u', '.', 'z'});
    replica.offer(List.of(encode(impossible, NOTHING, Hash.ZERO)));
    assertEquals(0, replica.apply(100, 0));
    assertNull(replica.error());
    assertEquals(0, replica.apply(100, 1));
    assertNotNull(replica.error());
  }

  @Test
  void anotherRootThanTheLogsStopsIt() throws DecodeException {
    byte[] wrong = encode(op(1), ref(1).length() == 0 ? NOTHING : value(1), Hash.ZERO);
    byte[] next = setXattr(2, true);
    replica.offer(List.of(wrong, next));
    assertEquals(0, replica.apply(100, Long.MAX_VALUE));
    assertNotNull(replica.error());
    assertEquals(1, replica.error().logIndex());
    assertEquals(Errno.EIO, replica.error().errno());
    assertEquals(0, replica.applied().index());
    assertEquals(0, replica.apply(100, Long.MAX_VALUE));
  }

  @Test
  void theRootThatCameOfItIsToldWithTheError() throws DecodeException {
    setXattr(1, true);
    byte[] wrong = wrong();
    replica.offer(List.of(wrong));
    replica.apply(100, 1);
    assertEquals(state.root(), Objects.requireNonNull(replica.error()).root());
  }

  /** The log was repaired; the root shows whether the entries that come now fit the state here. */
  @Test
  void afterAnotherRootARightEntryOfTheNextConnectionIsApplied() throws DecodeException {
    byte[] right = setXattr(1, true);
    byte[] wrong = wrong();
    for (int connection = 0; connection < 2; connection++) {
      replica.offer(List.of(wrong));
      replica.apply(100, 1);
      assertNotNull(replica.error(), "as long as the leader has that entry");
      replica.forgetNotDurable();
    }
    replica.offer(List.of(right));
    replica.apply(100, 1);
    assertNull(replica.error());
    assertEquals(state.root(), replica.applied().root());
  }

  @Test
  void aChunkOfAnEarlierRunIsVerifiedBeforeItsEntryIsApplied() throws DecodeException {
    chunks.old.add(ref(1).hash());
    assertEquals(List.of(), replica.offer(List.of(setXattr(1, false))));
    assertEquals(List.of(ref(1)), chunks.verified);
    assertEquals(0, replica.apply(100, 1));
    assertTrue(replica.isWaitingFor(ref(1).hash()));
    replica.chunkStored(ref(1).hash());
    assertEquals(2, replica.apply(100, 1));
  }

  @Test
  void aChunkForWhichThereWasNoRoomIsFetchedAgain() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 2);
    assertEquals(List.of(), replica.tryAgain());
    replica.chunkFailed(ref(2).hash(), Errno.ENOSPC, "full");
    assertEquals(Errno.ENOSPC, Objects.requireNonNull(replica.error()).errno());
    for (int i = 0; i < 2; i++) {
      assertEquals(List.of(ref(2)), replica.tryAgain());
      assertEquals(List.of(), replica.tryAgain(), "it is on its way");
      replica.chunkFailed(ref(2).hash(), Errno.ENOSPC, "full");
      assertNotNull(replica.error(), "until it is stored");
    }
    assertEquals(List.of(ref(2)), replica.tryAgain());
    replica.chunkStored(ref(2).hash());
    assertNull(replica.error());
    replica.apply(100, 2);
    assertEquals(List.of(1L, 2L), applied);
  }

  /** Otherwise nothing would ask for it again, and apply would stand still on an empty disk. */
  @Test
  void aChunkForWhichThereWasNoRoomAndThatNobodyHasAnyMoreStopsNothing() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 2);
    replica.chunkFailed(ref(2).hash(), Errno.ENOSPC, "full");
    assertEquals(List.of(ref(2)), replica.tryAgain());
    assertTrue(replica.chunkLost(ref(2).hash()));
    assertNull(replica.error());
    replica.apply(100, 2);
    assertEquals(List.of(1L, 2L), applied);
  }

  @Test
  void anEntryForWhoseBytesThereWasNoRoomIsTriedAgain() throws DecodeException {
    chunks.full = true;
    replica.offer(List.of(setXattr(1, true), setXattr(2, true)));
    replica.apply(100, 2);
    assertNotNull(replica.error());
    assertEquals(List.of(), replica.tryAgain());
    assertNotNull(replica.error(), "it is full still");
    chunks.full = false;
    replica.tryAgain();
    replica.apply(100, 2);
    assertNull(replica.error());
    assertEquals(List.of(1L, 2L), applied);
  }

  @Test
  void anOpThatFailsHereStopsIt() throws DecodeException {
    FsOp impossible = new FsOp.RemoveXattr(FsState.ROOT, new byte[] {'u', '.', 'z'});
    replica.offer(List.of(encode(impossible, NOTHING, Hash.ZERO)));
    replica.apply(100, Long.MAX_VALUE);
    assertNotNull(replica.error());
  }

  @Test
  void aFullDiskStopsItWithItsErrno() throws DecodeException {
    chunks.full = true;
    replica.offer(List.of(setXattr(1, true)));
    replica.apply(100, Long.MAX_VALUE);
    assertNotNull(replica.error());
    assertEquals(Errno.ENOSPC, replica.error().errno());
  }

  @Test
  void aDiskThatWasFullBeforeTheEntryWasDurableStopsNothing() throws DecodeException {
    chunks.full = true;
    replica.offer(List.of(setXattr(1, true)));
    assertEquals(0, replica.apply(100, 0));
    chunks.full = false;
    assertEquals(2, replica.apply(100, 1), "applied, and told of");
    assertNull(replica.error());
    assertEquals(List.of(1L), applied);
  }

  /** It stalls at the entry before the one that cannot be applied, not earlier (6.4.1). */
  @Test
  void whatComesBeforeAFailureIsAppliedThoughItHadToWait() throws DecodeException {
    chunks.full = true;
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    assertEquals(0, replica.apply(100, 0));
    replica.chunkFailed(ref(2).hash(), Errno.ENOSPC, "full");
    chunks.full = false;
    replica.apply(100, 2);
    assertEquals(List.of(1L), applied);
    assertNotNull(replica.error());
    assertEquals(2, replica.error().logIndex());
  }

  @Test
  void butIfThatFailsTooItStopsThere() throws DecodeException {
    chunks.full = true;
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 0);
    replica.chunkFailed(ref(2).hash(), Errno.ENOSPC, "full");
    replica.apply(100, 2);
    assertEquals(List.of(), applied);
    assertNotNull(replica.error());
    assertEquals(1, replica.error().logIndex());
  }

  @Test
  void bytesThatAreNotAsLongAsTheChunksStopIt() throws DecodeException {
    byte[] three = {1, 2, 3};
    replica.offer(List.of(encode(op(1), three, Hash.ZERO)));
    assertEquals(0, replica.apply(100, Long.MAX_VALUE));
    assertNotNull(replica.error());
    assertEquals("the entry brings 3 bytes for chunks of 1", replica.error().message());
  }

  @Test
  void aChunkThatCannotBeHadStopsItAtTheFirstEntryThatNeedsIt() throws DecodeException {
    replica.offer(List.of(setXattr(1, true), setXattr(2, false)));
    replica.apply(100, 2);
    replica.chunkFailed(ref(9).hash(), Errno.EIO, "nobody needs it");
    assertNull(replica.error());
    replica.chunkFailed(ref(2).hash(), Errno.EIO, "gone");
    assertNotNull(replica.error());
    assertEquals(2, replica.error().logIndex());
    assertTrue(replica.error().message().contains("gone"));
  }

  private byte[] setXattr(int value, boolean inline) {
    FsOp op = op(value);
    state = States.after(state, op, index + 1, LogEntry.NO_NODE);
    return encode(op, inline ? value(value) : NOTHING, state.root());
  }

  /** Entry 1 with a root that differs from the computed one. */
  private byte[] wrong() {
    index = 0;
    return encode(op(1), value(1), Hash.ZERO);
  }

  private byte[] encode(FsOp op, byte[] inline, Hash root) {
    index++;
    return Entries.of(index, op).root(root).inline(inline).encoded();
  }

  private static FsOp op(int value) {
    return new FsOp.SetXattr(FsState.ROOT, new byte[] {'u', '.', 'a'}, ref(value), XattrMode.SET);
  }

  private static byte[] value(int value) {
    return new byte[] {(byte) value};
  }

  private static ChunkRef ref(int value) {
    return new ChunkRef(Blake3.hash(value(value)), 1);
  }

  private static final class LocalChunks implements WorkerChunks {
    private final Set<Hash> stored = new HashSet<>();

    /** Stored by an earlier run, and not verified since. */
    private final Set<Hash> old = new HashSet<>();

    private final List<ChunkRef> verified = new ArrayList<>();
    private boolean full;

    @Override
    public Presence presence(Hash hash) {
      if (old.contains(hash)) {
        return Presence.UNVERIFIED;
      }
      return stored.contains(hash) ? Presence.VERIFIED : Presence.MISSING;
    }

    @Override
    public void verify(ChunkRef chunk) {
      verified.add(chunk);
    }

    @Override
    public void read(Hash hash) {}

    @Override
    public void storeInline(List<ChunkRef> inline, byte[] payload) {
      if (full) {
        throw new ChunkStoreException(Errno.ENOSPC, "full");
      }
      inline.forEach(chunk -> stored.add(chunk.hash()));
    }

    @Override
    public void ingest(Hash hash, byte[] bytes) {
      stored.add(hash);
    }

    @Override
    public void decode(ReceivedBlock block) {
      stored.add(block.chunk());
    }
  }
}
