package io.hypersync.leader.scrub;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.InMemoryChunkStore;
import io.hypersync.fixtures.ManualClock;
import io.hypersync.fixtures.States;
import io.hypersync.leader.scrub.ScrubReport.Kind;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageVisitor;
import io.hypersync.model.trie.PageWalker;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotReader;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.snapshot.StoredPages;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** A leader's snapshots, and its store, in which things rot; what workers have comes back. */
final class RottingStore implements ScrubPort {
  static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  /** How long recovery takes to say that something is hopeless, if nobody has it. */
  private static final long HOPELESS_NS = 2_000_000_000L;

  final ManualClock clock = new ManualClock();
  final InMemoryChunkStore chunks = new InMemoryChunkStore();
  final TreeMap<Long, Snapshot> snapshots = new TreeMap<>();

  /** What is damaged, or not there. */
  final Set<Hash> rotten = new LinkedHashSet<>();

  final Set<Hash> missing = new LinkedHashSet<>();

  /** Bytes that pass for those of a hash: what a wrong program may have written. */
  final Map<Hash, byte[]> replaced = new HashMap<>();

  /** What workers have, and when they have sent it. */
  final Map<Hash, Long> comesAtNs = new HashMap<>();

  /** Recovery never says that something is hopeless: too many are looked for, perhaps. */
  boolean isRecoveryFull;

  final List<Hash> reads = new ArrayList<>();
  final Map<Hash, Integer> told = new LinkedHashMap<>();
  final List<String> holds = new ArrayList<>();
  @Nullable Errno failsWith;
  long spent;
  int asksForHead;
  boolean isHeadKnown = true;
  private final Map<Hash, Long> firstToldNs = new HashMap<>();
  private final Set<Long> held = new HashSet<>();
  private FsState state = FsState.genesis();
  private long index;

  long index() {
    return index;
  }

  FsState state() {
    return state;
  }

  private void commit(FsOp op) {
    index++;
    state = States.after(state, op, index, new NodeId(9, index));
  }

  /** Makes a file; returns its chunk. */
  Hash file(String name, String content) {
    return file(name, content.getBytes(StandardCharsets.UTF_8));
  }

  /** Makes a file with the bytes of something else. */
  void copyOf(byte[] bytes) {
    var _ = file("copy" + index, bytes);
  }

  private Hash file(String name, byte[] bytes) {
    commit(new FsOp.CreateFile(FsState.ROOT, Name.of(name), 0644, 0, 0));
    ChunkRef ref = new ChunkRef(Blake3.hash(bytes), bytes.length);
    chunks.put(ref.hash(), bytes);
    NodeId node = new NodeId(9, index);
    commit(new FsOp.Write(node, WriteMode.PWRITE, 0, List.of(ref), false));
    return ref.hash();
  }

  /** Makes so many files that the state has many pages. */
  void files(String prefix, int count) {
    for (int i = 0; i < count; i++) {
      var _ = file(prefix + i, prefix + " content " + i);
    }
  }

  void remove(String name) {
    commit(new FsOp.Unlink(FsState.ROOT, Name.of(name)));
    List<NodeId> orphans = new ArrayList<>();
    state.orphans().forEach(orphan -> orphans.add(orphan.node()));
    commit(new FsOp.ReapOrphans(orphans));
  }

  Snapshot snapshot() throws Exception {
    Manifest manifest = new Manifest(WORKSPACE, index, index, StateWeight.of(state), state);
    SnapshotTask task =
        new SnapshotTask(
            manifest,
            "",
            0,
            chunks,
            new NoCatalog(),
            RateLimit.NONE,
            SnapshotReader.cache(chunks, Long.MAX_VALUE, true));
    while (task.step()) {}
    Snapshot taken = task.result();
    snapshots.put(taken.index(), taken);
    return taken;
  }

  /** Everything that a snapshot leads to. */
  Set<Hash> all(Snapshot snapshot, Kind kind) throws Exception {
    return all(snapshot, kind, Hash.ZERO);
  }

  /** Everything that it leads to beside one page. */
  Set<Hash> all(Snapshot snapshot, Kind kind, Hash without) throws Exception {
    Set<Hash> found = new LinkedHashSet<>();
    PageWalker walker =
        new PageWalker(
            new StoredPages(chunks, RateLimit.NONE),
            new PageVisitor() {
              private final Set<Hash> pages = new HashSet<>();

              @Override
              public boolean page(Hash page) {
                if (kind == Kind.PAGE) {
                  found.add(page);
                }
                return pages.add(page) && !page.equals(without);
              }

              @Override
              public void chunk(Hash chunk) {
                if (kind == Kind.CHUNK) {
                  found.add(chunk);
                }
              }
            });
    Manifest.walk(snapshot.manifest(), WORKSPACE, walker);
    while (walker.step()) {}
    return found;
  }

  ScrubRun begin(int mostPages, int mostChunks) {
    return new ScrubRun(
        this,
        List.copyOf(snapshots.values()),
        WORKSPACE,
        mostPages,
        mostChunks,
        bytes -> spent += bytes);
  }

  /** Does a whole run; time goes by only where the run waits. */
  ScrubReport scrub() {
    ScrubRun run = begin(10_000, 10_000);
    finish(run);
    return run.report();
  }

  void finish(ScrubRun run) {
    while (!run.isDone()) {
      clock.advance(run.step(clock.monotonicNs()));
    }
    run.end();
  }

  @Override
  public byte @Nullable [] read(Hash hash) {
    if (failsWith != null) {
      throw new ChunkStoreException(failsWith, "it does not say");
    }
    reads.add(hash);
    Long comesNs = comesAtNs.get(hash);
    if (comesNs != null && told.containsKey(hash) && clock.monotonicNs() >= comesNs) {
      rotten.remove(hash);
      missing.remove(hash);
    }
    if (missing.contains(hash)) {
      return null;
    }
    if (rotten.contains(hash)) {
      throw new ChunkStoreException(Errno.EIO, "it is damaged");
    }
    byte[] other = replaced.get(hash);
    return other == null ? chunks.getVerified(hash) : other;
  }

  @Override
  public boolean lost(Hash hash) {
    told.merge(hash, 1, Integer::sum);
    long firstNs = firstToldNs.computeIfAbsent(hash, _ -> clock.monotonicNs());
    return !isRecoveryFull
        && !comesAtNs.containsKey(hash)
        && clock.monotonicNs() - firstNs >= HOPELESS_NS;
  }

  @Override
  public @Nullable Iterator<Node> head() {
    asksForHead++;
    return isHeadKnown ? state.nodes().iterator() : null;
  }

  @Override
  public boolean hold(long snapshot) {
    if (!snapshots.containsKey(snapshot)) {
      return false;
    }
    holds.add("+" + snapshot);
    held.add(snapshot);
    return true;
  }

  @Override
  public void release(long snapshot) {
    holds.add("-" + snapshot);
    if (!held.remove(snapshot)) {
      throw new AssertionError("the snapshot of entry " + snapshot + " is not held");
    }
  }

  boolean holdsNothing() {
    return held.isEmpty();
  }

  private static final class NoCatalog implements SnapshotCatalog {
    @Override
    public List<Snapshot> list() {
      return List.of();
    }

    @Override
    public List<Long> indexes() {
      return List.of();
    }

    @Override
    public void put(Snapshot snapshot) {}

    @Override
    public void setAside() {}

    @Override
    public void remove(long removed) {}
  }
}
