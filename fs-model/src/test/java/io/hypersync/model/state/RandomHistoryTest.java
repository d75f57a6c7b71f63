package io.hypersync.model.state;

import static io.hypersync.model.state.SideBySide.errno;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Seeded random histories of ops, most of which succeed (hypersync.md 5.2(4), 22.2). */
@Tag("slow")
class RandomHistoryTest {
  private static final int HISTORIES = 220;
  private static final int OPS = 1_000;
  private static final int COMPARE_EVERY = 50;

  private record Step(FsOp op, Stamp stamp) {}

  static LongStream seeds() {
    return LongStream.rangeClosed(1, HISTORIES);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void doesWhatThePlainTreeDoes(long seed) {
    SideBySide.run(
        seed,
        RootVersion.LATEST,
        OPS,
        COMPARE_EVERY,
        (reference, state, ops, where) -> {
          assertEquals(
              String.join("\n", VisibleState.of(reference)),
              String.join("\n", VisibleState.of(state, ops.chunks())),
              where);
          Fsck.check(state, where);
        });
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("fewSeeds")
  void replayGivesTheSameRoots(long seed) throws DecodeException {
    List<Step> log = new ArrayList<>();
    List<Hash> roots = new ArrayList<>();
    FsState state = FsState.genesis();
    RandomOps ops = new RandomOps(seed);
    for (int i = 0; i < OPS; i++) {
      Step step = new Step(FsStateMachine.resolve(state, ops.next()), ops.stamp(i));
      Outcome outcome = FsStateMachine.apply(state, step.op, step.stamp);
      state = next(state, outcome);
      if (errno(outcome) == null) {
        ops.applied(step.op, step.stamp);
        log.add(step);
        roots.add(state.root());
      }
    }
    FsState replayed = FsState.genesis();
    FsState lazy = FsState.genesis(); // its root is not computed until the end
    for (int i = 0; i < log.size(); i++) {
      FsOp op = OpCodec.decode(OpCodec.encode(log.get(i).op));
      replayed = next(replayed, FsStateMachine.apply(replayed, op, log.get(i).stamp));
      assertEquals(roots.get(i), replayed.root(), "seed " + seed + " entry " + i);
      lazy = next(lazy, FsStateMachine.apply(lazy, op, log.get(i).stamp));
    }
    assertEquals(roots.getLast(), lazy.root(), "seed " + seed);
    assertEquals(
        state.nodes().root(state.version()),
        rebuilt(state, new Random(seed)).root(state.version()),
        "seed " + seed + " rebuilt");
  }

  static LongStream fewSeeds() {
    return LongStream.rangeClosed(1, 40);
  }

  /**
   * Guards the tests above: they would be weaker if the generator no longer reached an op or an
   * errno.
   */
  @Test
  void theHistoriesReachEveryOpAndErrno() {
    Map<String, Integer> counts = new TreeMap<>();
    for (long seed = 1; seed <= 20; seed++) {
      RandomOps ops = new RandomOps(seed);
      FsState state = FsState.genesis();
      for (int i = 0; i < OPS; i++) {
        FsOp op = FsStateMachine.resolve(state, ops.next());
        Stamp stamp = ops.stamp(i);
        Outcome outcome = FsStateMachine.apply(state, op, stamp);
        Errno errno = errno(outcome);
        counts.merge(
            op.getClass().getSimpleName() + (errno == null ? "" : " fails"), 1, Integer::sum);
        counts.merge(errno == null ? "done" : errno.name(), 1, Integer::sum);
        if (errno == null) {
          ops.applied(op, stamp);
        }
        state = next(state, outcome);
      }
    }
    for (Class<?> op : FsOp.class.getPermittedSubclasses()) {
      if (op == FsOp.RestoreState.class) {
        continue; // RestoreStateTest
      }
      assertTrue(counts.getOrDefault(op.getSimpleName(), 0) > 20, op + " in " + counts);
      assertTrue(counts.getOrDefault(op.getSimpleName() + " fails", 0) > 20, op + " in " + counts);
    }
    for (Errno errno :
        List.of(
            Errno.EPERM,
            Errno.ENOENT,
            Errno.EEXIST,
            Errno.ENOTDIR,
            Errno.EISDIR,
            Errno.EINVAL,
            Errno.ENOTEMPTY,
            Errno.EFBIG,
            Errno.ENODATA)) {
      assertTrue(counts.getOrDefault(errno.name(), 0) > 20, errno + " in " + counts);
    }
    assertTrue(counts.getOrDefault("done", 0) > 20 * OPS / 4, "too few ops succeed: " + counts);
  }

  /** The same nodes inserted into an empty trie, in another order and without cached hashes. */
  private static MerkleTrie<Node> rebuilt(FsState state, Random random) {
    MerkleTrie<Node> rebuilt = MerkleTrie.empty();
    for (Node node : shuffled(state.nodes(), random)) {
      NodeContent content =
          switch (node.content()) {
            case FileContent file -> {
              MerkleTrie<Extent> extents = MerkleTrie.empty();
              for (Extent e : shuffled(file.extents(), random)) {
                extents = extents.with(e.part(0, e.length()));
              }
              yield new FileContent(extents, file.allocated());
            }
            case NodeContent.Directory directory -> {
              MerkleTrie<DirEntry> entries = MerkleTrie.empty();
              for (DirEntry e : shuffled(directory.entries(), random)) {
                entries = entries.with(new DirEntry(e.name(), e.node(), e.type()));
              }
              yield new NodeContent.Directory(directory.parent(), entries);
            }
            case NodeContent.Symlink symlink -> symlink;
            case NodeContent.Special special -> special;
          };
      MerkleTrie<Xattr> xattrs = MerkleTrie.empty();
      for (Xattr xattr : shuffled(node.xattrs(), random)) {
        xattrs = xattrs.with(new Xattr(xattr.name(), xattr.value()));
      }
      long inode = node.inode().value();
      rebuilt =
          rebuilt.with(new Node(node.id(), inode, node.type(), node.attributes(), content, xattrs));
    }
    return rebuilt;
  }

  private static <L extends Leaf> List<L> shuffled(MerkleTrie<L> trie, Random random) {
    List<L> leaves = new ArrayList<>();
    trie.forEach(leaves::add);
    Collections.shuffle(leaves, random);
    return leaves;
  }

  private static FsState next(FsState state, Outcome outcome) {
    return switch (outcome) {
      case Outcome.Applied(FsState next) -> next;
      case Outcome.Failed _ -> state;
    };
  }
}
