package io.hypersync.worker.install;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.fixtures.States;
import io.hypersync.model.difference.Change;
import io.hypersync.model.difference.ChangeKind;
import io.hypersync.model.difference.StateDifference;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.op.WriteMode;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.RestoredStates;
import io.hypersync.model.state.StatePages;
import io.hypersync.model.state.StateWeight;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.wire.message.LeaderMessage.SnapshotOffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Directories are moved whose children do not change. However a replica comes to the state after
 * that, it is the state of a replay: by the leader's snapshot and the entries behind it, or by a
 * restore (hypersync.md 13.2, 14.2). And the difference names what was moved.
 */
class MovedTreesTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);
  private static final int CHILDREN = 400;

  private static final NodeId A = new NodeId(1, 1);
  private static final NodeId B = new NodeId(1, 2);
  private static final NodeId IN_A = new NodeId(1, 3);
  private static final NodeId IN_B = new NodeId(1, 4);

  /**
   * What is done to {@code a/tree} and {@code b/other}.
   *
   * @param moved the paths before and after of what the difference names
   */
  record Row(String name, List<FsOp> ops, Set<String> moved) {
    @Override
    public String toString() {
      return name;
    }
  }

  private static List<Row> rows() {
    return List.of(
        new Row(
            "mv of a directory",
            List.of(move(A, "tree", B, "tree", RenameMode.NO_REPLACE)),
            Set.of("a/tree -> b/tree")),
        new Row(
            "swap of two trees",
            List.of(move(A, "tree", B, "other", RenameMode.EXCHANGE)),
            Set.of("a/tree -> b/other", "b/other -> a/tree")),
        new Row(
            "swap by three moves",
            List.of(
                move(A, "tree", FsState.ROOT, "t", RenameMode.NO_REPLACE),
                move(B, "other", A, "tree", RenameMode.NO_REPLACE),
                move(FsState.ROOT, "t", B, "other", RenameMode.NO_REPLACE)),
            Set.of("a/tree -> b/other", "b/other -> a/tree")),
        new Row(
            "move out and back",
            List.of(
                move(A, "tree", B, "tree", RenameMode.NO_REPLACE),
                move(B, "tree", A, "tree", RenameMode.NO_REPLACE)),
            Set.of()));
  }

  /** The pages of the leader, and of a worker. */
  private final Map<Hash, byte[]> leader = new HashMap<>();

  private final Map<Hash, byte[]> worker = new HashMap<>();
  private final ArrayDeque<Hash> asked = new ArrayDeque<>();
  private FsState state = FsState.genesis();
  private long index;

  /** A replica at some entry. */
  private record At(long index, FsState state) {}

  @ParameterizedTest(name = "{0}")
  @MethodSource("rows")
  void allWaysLeadToTheStateOfAReplay(Row row) throws Exception {
    At before = base();
    byte[] earlier = manifest(before);
    worker.putAll(leader); // it was there, and was away since
    At moved = after(row.ops);
    byte[] snapshot = manifest(moved);
    List<FsOp> tail = List.of(write(IN_A), write(IN_B), new FsOp.Unlink(IN_A, Name.of("f7")));
    At newest = after(tail);

    assertEquals(row.moved, moves(before.state, moved.state));
    assertEquals(Set.of(), moves(before.state, beside(before.state, before)));
    assertEquals(row.moved, moves(before.state, beside(before.state, moved)));

    long fetched = install(moved, snapshot);
    assertTrue(fetched < leader.size() / 2, fetched + " of " + leader.size() + " pages");
    PageCache cache = new PageCache(this::ofWorker, StatePages::leaves, 1, true);
    FsState installed =
        Manifest.read(snapshot, WORKSPACE, (version, _) -> cache.reader(version), cache.source())
            .state();
    At caughtUp = new At(moved.index, installed);
    assertSame(moved, caughtUp);
    for (FsOp op : tail) {
      caughtUp = next(caughtUp, op, RestoredStates.NONE);
    }
    assertSame(newest, caughtUp);

    RestoredStates stored =
        ManifestStates.lazy(WORKSPACE, installed.version(), cache); // as a worker reads them
    assertRestores(moved, caughtUp, snapshot, stored);
    assertRestores(before, caughtUp, earlier, stored);
    assertRestores(before, newest, earlier, verifying());
    assertRestores(moved, before, snapshot, verifying());
  }

  /** The tail makes no inode, so a restored state is the earlier one to the last bit. */
  private void assertRestores(At to, At from, byte[] manifest, RestoredStates stored)
      throws Exception {
    FsOp restore = new FsOp.RestoreState(manifest, List.of());
    FsState restored = next(from, restore, stored).state;
    assertSame(to, new At(to.index, restored));
    assertEquals(Set.of(), moves(to.state, restored));
  }

  /** The roots, and the manifests: what a snapshot of each would be. */
  private void assertSame(At expected, At actual) {
    assertEquals(expected.index, actual.index);
    assertEquals(expected.state.root(), actual.state.root());
    assertArrayEquals(manifest(expected), manifest(actual));
  }

  /** Two directories with many files each. */
  private At base() {
    after(List.of(mkdir(FsState.ROOT, "a"), mkdir(FsState.ROOT, "b")));
    after(List.of(mkdir(A, "tree"), mkdir(B, "other")));
    for (int i = 0; i < CHILDREN; i++) {
      after(List.of(create(IN_A, "f" + i), create(IN_B, "a longer name of a file " + i)));
    }
    return after(List.of(write(IN_A)));
  }

  private At after(List<FsOp> ops) {
    At at = new At(index, state);
    for (FsOp op : ops) {
      at = next(at, op, RestoredStates.NONE);
    }
    index = at.index;
    state = at.state;
    return at;
  }

  /** Node ids count from the first entry on, so the fourth directory is {@link #IN_B}. */
  private static At next(At at, FsOp op, RestoredStates restored) {
    long next = at.index + 1;
    return new At(next, States.after(at.state, op, next, new NodeId(1, next), restored));
  }

  /** Fetches what the worker does not have; returns how many pages that are. */
  private long install(At of, byte[] manifest) throws InstallException {
    SnapshotInstall install =
        new SnapshotInstall(
            new SnapshotOffer(of.index, of.state.root(), manifest),
            SnapshotInstall.Part.ALL,
            WORKSPACE,
            Long.MAX_VALUE,
            this::ofWorker,
            worker::containsKey,
            chunks -> chunks.forEach(chunk -> asked.add(chunk.hash())));
    while (!install.isComplete()) {
      if (!install.work(0)) {
        Hash page = asked.removeFirst();
        worker.put(page, leader.get(page));
        install.stored(page);
      }
    }
    return install.fetched();
  }

  private byte[] manifest(At at) {
    return new Manifest(WORKSPACE, at.index, at.index, StateWeight.of(at.state), at.state)
        .write(PageWriter.complete(at.state.version(), this::ofLeader))
        .bytes();
  }

  /** As {@code diff} reads a snapshot beside another state. */
  private FsState beside(FsState like, At at) throws Exception {
    return Manifest.readBeside(like, manifest(at), WORKSPACE, leader::get).state();
  }

  private RestoredStates verifying() {
    return ManifestStates.verifying(WORKSPACE, state.version(), leader::get);
  }

  private static Set<String> moves(FsState from, FsState to) throws Exception {
    Set<String> moves = new TreeSet<>();
    StateDifference.Result found =
        StateDifference.of(from, to, List.of(), Integer.MAX_VALUE, StateDifference.Limits.NONE);
    for (Change change : found.changes()) {
      if (change.kind() == ChangeKind.MOVED) {
        moves.add(change.oldPath() + " -> " + change.path());
      } else {
        moves.add(change.toString());
      }
    }
    return moves;
  }

  private Hash ofLeader(byte[] page) {
    Hash hash = Blake3.hash(page);
    leader.put(hash, page);
    return hash;
  }

  private byte[] ofWorker(Hash page) throws PageMissingException {
    byte[] bytes = worker.get(page);
    if (bytes == null) {
      throw new PageMissingException(page, "is missing");
    }
    return bytes;
  }

  private static FsOp move(NodeId from, String name, NodeId to, String newName, RenameMode mode) {
    return new FsOp.Rename(from, Name.of(name), to, Name.of(newName), mode);
  }

  private static FsOp mkdir(NodeId parent, String name) {
    return new FsOp.MakeDir(parent, Name.of(name), 0755, 1, 2);
  }

  private static FsOp create(NodeId parent, String name) {
    return new FsOp.CreateFile(parent, Name.of(name), 0644, 1, 2);
  }

  /** Overwrites the first file of a directory, wherever that is now. */
  private static FsOp write(NodeId directory) {
    byte[] text = ("in " + directory).getBytes(StandardCharsets.UTF_8);
    ChunkRef chunk = new ChunkRef(Blake3.hash(text), text.length);
    NodeId first = new NodeId(1, directory.equals(IN_A) ? 5 : 6);
    return new FsOp.Write(first, WriteMode.PWRITE, 0, List.of(chunk), false);
  }
}
