package io.hypersync.worker.cache;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.chunkstore.UsedChunks;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.fixtures.States;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.StateWalk;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.worker.port.CacheReport;
import io.hypersync.worker.port.CacheRoots;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a collection of a worker keeps (hypersync.md 14.2). */
class CacheCollectionTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final int FILES = 100;
  private static final int CHUNK_BYTES = 6_000;

  /** Ten of the chunks fill a segment. */
  private static final DiskChunkStoreOptions TINY =
      new DiskChunkStoreOptions(1 << 20, 64 << 10, 32 << 10, 0);

  private static final CacheLimits NO_LIMIT = new CacheLimits(1, CacheLimits.NO_LIMIT);

  private final InMemoryChunkStore store = new InMemoryChunkStore();
  private final List<Snapshot> snapshots = new ArrayList<>();
  private final List<byte[]> pasts = new ArrayList<>();
  private final List<PageCache.Needed> needed = new ArrayList<>();
  private FsState state = FsState.genesis();
  private long index;

  @Test
  void whatTheStateHasStaysAndTheRestGoes() throws Exception {
    NodeId file = create("f");
    Hash old = write(file, "old bytes");
    Hash now = write(file, "new bytes, as long");
    ChunkRef value = put("a value");
    commit(new FsOp.SetXattr(file, new byte[] {'u', '.', 'a'}, value, XattrMode.SET));
    CacheReport report = collect(false);
    assertFalse(store.contains(old));
    assertTrue(store.contains(now));
    assertTrue(store.contains(value.hash()));
    assertEquals(1, report.chunksRemoved());
  }

  /** It is open somewhere. */
  @Test
  void whatAFileWithoutANameHasStays() throws Exception {
    NodeId file = create("f");
    Hash hash = write(file, "bytes");
    commit(new FsOp.Unlink(FsState.ROOT, Name.of("f")));
    assertNotNull(state.node(file));
    collect(false);
    assertTrue(store.contains(hash));
  }

  /** The replica has been told that it is here. */
  @Test
  void whatAnEntryOnItsWayMentionsStays() throws Exception {
    Hash hash = put("of an entry that comes").hash();
    collect(false, hash);
    assertTrue(store.contains(hash));
  }

  /** The next start begins with it, and fetches what files contain if it is not here. */
  @Test
  void ofASnapshotThePagesStay() throws Exception {
    for (int i = 0; i < 300; i++) {
      create("file-" + i);
    }
    NodeId file = create("f");
    Hash then = write(file, "what it had then");
    snapshot();
    write(file, "what it has now: more");
    collect(false);
    assertNotNull(
        SnapshotReader.newest(
            snapshots,
            SnapshotReader.cache(store, Long.MAX_VALUE, true),
            WORKSPACE,
            SnapshotReader.RoomCheck.NONE,
            false));
    assertFalse(store.contains(then));
  }

  /** The set of pages that were read is bounded, and forgets. */
  @Test
  void aPageOfTwoSnapshotsIsMarkedForBoth() throws Exception {
    for (int i = 0; i < 300; i++) {
      create("file-" + i);
    }
    snapshot();
    create("one more");
    snapshot();
    collect(false);
    for (Snapshot snapshot : snapshots) {
      assertNotNull(
          SnapshotReader.newest(
              List.of(snapshot),
              SnapshotReader.cache(store, Long.MAX_VALUE, true),
              WORKSPACE,
              SnapshotReader.RoomCheck.NONE,
              false));
    }
  }

  @Test
  void aPageThatIsMissingEndsTheRunAndRemovesNothing() throws Exception {
    for (int i = 0; i < 300; i++) {
      create("file-" + i);
    }
    Hash dead = put("dead").hash();
    snapshot();
    InMemoryChunkStore other = new InMemoryChunkStore();
    other.put(dead, "dead".getBytes(StandardCharsets.UTF_8));
    CacheCollection collection = begin(other, NO_LIMIT, UsedChunks.none(), false);
    assertThrows(PageMissingException.class, () -> all(collection));
    assertTrue(other.contains(dead));
    other.beginCollection().close(); // the run has ended
  }

  @Test
  void aLimitLeavesWhatWasStoredOrUsedLast(@TempDir Path directory) throws Exception {
    List<Hash> hashes = new ArrayList<>();
    try (DiskChunkStore disk = DiskChunkStore.open(directory, TINY)) {
      for (int i = 0; i < FILES; i++) {
        byte[] bytes = new byte[CHUNK_BYTES];
        bytes[0] = (byte) i;
        Hash hash = Blake3.hash(bytes);
        disk.put(hash, bytes);
        hashes.add(hash);
        ChunkRef ref = new ChunkRef(hash, CHUNK_BYTES);
        commit(new FsOp.Write(create("f" + i), WriteMode.PWRITE, 0, List.of(ref), false));
      }
      UsedChunks recent = new UsedChunks(10 * CHUNK_BYTES, 10);
      recent.used(hashes.getFirst(), CHUNK_BYTES);
      CacheLimits limits = new CacheLimits(1, FILES * CHUNK_BYTES / 2);
      CacheReport report = all(begin(disk, limits, recent, true));
      assertTrue(report.evicted());
      assertTrue(report.freedBytes() > FILES * CHUNK_BYTES / 2, report::toString);
      assertTrue(disk.contains(hashes.getFirst()), "it was used");
      assertFalse(disk.contains(hashes.get(1)), "it was not");
      assertTrue(disk.contains(hashes.getLast()), "it was stored last");
      assertTrue(disk.stats().liveBytes() < limits.maxBytes(), () -> disk.stats().toString());
    }
  }

  /** Somebody looks at it; what is not here is fetched. */
  @Test
  void ofAMountedStateStaysWhatIsHere() throws Exception {
    for (int i = 0; i < 300; i++) {
      create("file-" + i);
    }
    NodeId file = create("f");
    Hash then = write(file, "what it had then");
    snapshot();
    byte[] manifest = snapshots.removeFirst().manifest();
    write(file, "what it has now: more");
    pasts.add(manifest);
    collect(false);
    assertTrue(store.contains(then));
    pasts.clear();
    collect(false);
    assertFalse(store.contains(then));
    pasts.add(manifest);
    collect(false); // though its pages are gone
  }

  /** Such as a page of an install that has ended early, because a newer snapshot came. */
  @Test
  void ofAnOlderStateInMemoryStaysWhatIsHere() throws Exception {
    for (int i = 0; i < 300; i++) {
      create("file-" + i);
    }
    snapshot();
    PageCache memory = SnapshotReader.cache(store, 0, false);
    assertNotNull(
        SnapshotReader.newest(snapshots, memory, WORKSPACE, SnapshotReader.RoomCheck.NONE, false));
    snapshots.clear();
    needed.addAll(memory.needed());
    assertFalse(needed.isEmpty());
    Hash here = needed.getFirst().page();
    Hash dead = put("dead").hash();
    Hash never = Blake3.hash("a page that was never here".getBytes(StandardCharsets.UTF_8));
    needed.addFirst(new PageCache.Needed(never, needed.getFirst().kind()));
    for (int i = 0; i < 300; i++) {
      commit(new FsOp.Unlink(FsState.ROOT, Name.of("file-" + i)));
    }
    collect(false);
    assertTrue(store.contains(here));
    assertFalse(store.contains(dead));
  }

  private CacheReport collect(boolean evicts, Hash... mentioned)
      throws DecodeException, PageMissingException {
    return all(begin(store, NO_LIMIT, UsedChunks.none(), evicts, mentioned));
  }

  private CacheCollection begin(
      ChunkStore chunks, CacheLimits limits, UsedChunks recent, boolean evicts, Hash... mentioned) {
    return new CacheCollection(
        chunks.beginCollection(),
        new CacheRoots(
            1, new StateWalk(state), Set.of(mentioned), snapshots, List.copyOf(pasts), evicts),
        new CacheCollection.Environment(
            chunks, WORKSPACE, limits, recent, () -> needed, 2, RateLimit.NONE));
  }

  private static CacheReport all(CacheCollection collection)
      throws DecodeException, PageMissingException {
    while (collection.step()) {}
    return collection.result(0, 0);
  }

  private NodeId create(String name) {
    commit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0));
    return new NodeId(9, index);
  }

  private Hash write(NodeId file, String text) {
    ChunkRef ref = put(text);
    commit(new FsOp.Write(file, WriteMode.PWRITE, 0, List.of(ref), false));
    return ref.hash();
  }

  private void commit(FsOp op) {
    index++;
    state = States.after(state, op, index, new NodeId(9, index));
  }

  private ChunkRef put(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Hash hash = Blake3.hash(bytes);
    store.put(hash, bytes);
    return new ChunkRef(hash, bytes.length);
  }

  private void snapshot() throws IOException {
    Manifest manifest = new Manifest(WORKSPACE, index, index, StateWeight.of(state), state);
    SnapshotTask task =
        new SnapshotTask(
            manifest,
            "",
            0,
            store,
            new Catalog(),
            RateLimit.NONE,
            SnapshotReader.cache(store, Long.MAX_VALUE, true));
    while (task.step()) {}
  }

  private final class Catalog implements SnapshotCatalog {
    @Override
    public List<Snapshot> list() {
      return snapshots;
    }

    @Override
    public List<Long> indexes() {
      return snapshots.stream().map(Snapshot::index).toList();
    }

    @Override
    public void put(Snapshot snapshot) {
      snapshots.add(snapshot);
    }

    @Override
    public void setAside() {
      throw new AssertionError("nobody asks for it");
    }

    @Override
    public void remove(long removed) {
      throw new AssertionError("nobody asks for it");
    }
  }
}
