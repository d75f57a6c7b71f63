package io.hypersync.leader.collection;

import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.fixtures.Entries;
import io.hypersync.fixtures.States;
import io.hypersync.leader.MemoryOpLog;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.port.PinNotes;
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
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StateWalk;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.snapshot.StoredPages;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/** A leader's log, chunks and snapshots in memory, on which runs of a collection are tested. */
final class Collected {
  static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  final InMemoryChunkStore chunks = new InMemoryChunkStore();
  final MemoryOpLog log = new MemoryOpLog();
  final TreeMap<Long, Snapshot> catalog = new TreeMap<>();
  final List<String> events = new ArrayList<>();
  final Set<Long> known = new HashSet<>();
  final List<HeldState> pasts = new ArrayList<>();
  final List<HeldRestore> restores = new ArrayList<>();
  final List<String> strays = new ArrayList<>();
  PinNotes notes = PinNotes.NONE;
  PageCache memory = SnapshotReader.cache(chunks, Long.MAX_VALUE, true);
  long marked;
  boolean markFails;
  private FsState state = FsState.genesis();
  private long index;

  /** Commits an op. */
  long commit(FsOp op) {
    index++;
    NodeId created = new NodeId(9, index);
    state = States.after(state, op, index, created, restored());
    try {
      log.append(
          index,
          Entries.of(index, op).at(index).creating(created).root(state.root()).encoded(),
          true);
    } catch (OpLogFullException e) {
      throw new IllegalStateException(e);
    }
    log.sync();
    return index;
  }

  /** Creates a file. */
  NodeId create(String name) {
    return new NodeId(9, commit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0)));
  }

  /** Puts the bytes of a text into the store, and overwrites the beginning of a file with them. */
  Hash write(NodeId file, String text) {
    return write(file, text, 0);
  }

  /** The same, somewhere in the file. */
  Hash write(NodeId file, String text, long offset) {
    ChunkRef ref = put(text);
    var _ = commit(new FsOp.Write(file, WriteMode.PWRITE, offset, List.of(ref), false));
    return ref.hash();
  }

  /** Goes on with the state as the snapshot has it, of which as little as may be is in memory. */
  void forget(Snapshot snapshot) throws Exception {
    memory = SnapshotReader.cache(chunks, 1, true);
    state =
        Manifest.read(
                snapshot.manifest(),
                WORKSPACE,
                (version, _) -> memory.reader(version),
                memory.source())
            .state();
    catalog.clear();
    known.clear();
  }

  /** Sets an extended attribute. */
  Hash attribute(NodeId file, String text) {
    ChunkRef ref = put(text);
    var _ = commit(new FsOp.SetXattr(file, new byte[] {'u', '.', 'a'}, ref, XattrMode.SET));
    return ref.hash();
  }

  /** Puts the bytes of a text into the store. */
  ChunkRef put(String text) {
    byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
    Hash hash = Blake3.hash(bytes);
    chunks.put(hash, bytes);
    return new ChunkRef(hash, bytes.length);
  }

  /** Takes a snapshot of the newest state, which the leader knows. */
  Snapshot snapshot() throws IOException {
    Manifest manifest = new Manifest(WORKSPACE, index, index, StateWeight.of(state), state);
    SnapshotTask task =
        new SnapshotTask(
            manifest,
            "",
            0,
            chunks,
            new Catalog(),
            RateLimit.NONE,
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
    while (task.step()) {}
    known.add(index);
    return task.result();
  }

  /** Reads what entries restore from the store, all of it. */
  RestoredStates restored() {
    return ManifestStates.verifying(
        WORKSPACE, RootVersion.LATEST, new StoredPages(chunks, RateLimit.NONE));
  }

  FsState state() {
    return state;
  }

  long index() {
    return index;
  }

  /** The roots that the present state, and all snapshots that are known, make. */
  CollectionRoots roots(long logAfter, boolean isDryRun, Hash... promised) {
    return new CollectionRoots(
        new StateWalk(state),
        index,
        catalog.values().stream().filter(each -> known.contains(each.index())).toList(),
        List.copyOf(pasts),
        List.copyOf(restores),
        logAfter,
        Set.of(promised),
        isDryRun,
        notes);
  }

  /** A run that has just begun. */
  CollectionTask begin(CollectionRoots roots) {
    return new CollectionTask(chunks.beginCollection(), roots, environment());
  }

  /** Does a whole run. */
  void collect(long logAfter, Hash... promised) throws IOException {
    CollectionTask task = begin(roots(logAfter, false, promised));
    while (task.step()) {}
  }

  CollectionTask.Environment environment() {
    return new CollectionTask.Environment(
        log,
        chunks,
        new Catalog(),
        () -> Set.copyOf(known),
        new Mark(),
        WORKSPACE,
        memory,
        1_000,
        RateLimit.NONE);
  }

  boolean has(Hash hash) throws IOException {
    return chunks.get(hash) != null;
  }

  private final class Mark implements CollectionMark {
    @Override
    public long through() {
      return marked;
    }

    @Override
    public void raise(long mark) throws IOException {
      if (markFails) {
        throw new IOException("No space left on device");
      }
      marked = Math.max(marked, mark);
      events.add("said " + mark + " with " + chunks.stats().approximateChunks() + " chunks");
    }
  }

  private final class Catalog implements SnapshotCatalog {
    @Override
    public List<Snapshot> list() {
      return List.copyOf(catalog.values());
    }

    @Override
    public List<Long> indexes() {
      return List.copyOf(catalog.keySet());
    }

    @Override
    public List<String> strays() {
      return List.copyOf(strays);
    }

    @Override
    public void put(Snapshot snapshot) {
      catalog.put(snapshot.index(), snapshot);
    }

    @Override
    public void setAside() {
      throw new AssertionError("a leader does not");
    }

    @Override
    public void remove(long removed) {
      catalog.remove(removed);
    }
  }
}
