package io.hypersync.model.state;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.OpCodec;
import io.hypersync.model.op.XattrMode;
import io.hypersync.model.snapshot.ManifestStates;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A restore of everything gives the earlier tree, and takes nothing that somebody has open. */
class RestoreStateTest {
  private static final int OPS = 1_500;
  private static final int KEPT_EVERY = 60;
  private static final int RESTORED_EVERY = 45;
  private static final Stamp NOW = new Stamp(Scenario.NOW, new NodeId(0, 0));

  private final StoredStates earlier = new StoredStates();

  @Test
  void theTreeIsWhatItWas() {
    Scenario fs = new Scenario().dir("/d").file("/d/f").file("/gone").remember("@gone", "/gone");
    fs.did(fs.write("/d/f", 0, fs.chunk("old", 3)));
    FsState then = fs.state();
    byte[] manifest = earlier.add(then);
    fs.did(fs.write("/d/f", 0, fs.chunk("newer", 5))).did(fs.unlink("/gone"));
    fs.did(fs.reap("@gone")).file("/new");

    FsState after = restored(fs.state(), manifest);
    assertEquals(nodes(then), nodes(after));
    assertEquals(then.allocated(), after.allocated());
    assertEquals(fs.state().nextInode(), after.nextInode(), "no number is used twice");
    Fsck.check(after, "restored");
  }

  @Test
  void whatIsOpenAndWasNotThereStaysWithoutAName() {
    Scenario fs = new Scenario();
    byte[] manifest = earlier.add(fs.state());
    fs.dir("/d").file("/d/f").link("/d/l", "target").dir("/empty").file("/closed");
    fs.did(fs.write("/d/f", 0, fs.chunk("content", 7)))
        .did(fs.setXattr("/d/f", "user.a", fs.chunk("value", 3), XattrMode.SET));
    FsState before = fs.state();
    NodeId directory = fs.at("/d");
    NodeId file = fs.at("/d/f");
    NodeId link = fs.at("/d/l");
    NodeId empty = fs.at("/empty");

    FsState after = restored(before, manifest, directory, file, link, empty);
    Fsck.check(after, "restored");
    assertEquals(Set.of(directory, file, link, empty), orphans(after));
    assertEquals(5, after.nodes().size(), "these and the root");
    assertEquals(7, after.allocated());
    for (NodeId kept : List.of(directory, file, link, empty)) {
      Node was = node(before, kept);
      Node is = node(after, kept);
      NodeAttributes expected = was.attributes().withNlink(0).changed(Scenario.NOW);
      assertEquals(
          kept.equals(directory) ? expected.modified(Scenario.NOW) : expected, is.attributes());
      assertEquals(was.inode(), is.inode());
      assertSame(was.xattrs(), is.xattrs());
      if (!kept.equals(directory)) {
        assertSame(was.content(), is.content());
      }
    }
  }

  /** Nobody has kept the content of then of what had no name. */
  @Test
  void orphansOfNowStayAsTheyAreAndThoseOfThenDoNotComeBack() {
    Scenario fs = new Scenario().orphan("@both").orphan("@reaped").removedDir("@removed");
    byte[] manifest = earlier.add(fs.state());
    fs.did(fs.reap("@reaped")).orphan("@later");
    fs.did(fs.write("@both", 0, fs.chunk("of now", 6)));
    FsState before = fs.state();

    FsState after = restored(before, manifest, fs.at("@later"));
    Fsck.check(after, "restored");
    assertEquals(Set.of(fs.at("@both"), fs.at("@removed"), fs.at("@later")), orphans(after));
    for (NodeId kept : orphans(after)) {
      assertSame(node(before, kept), node(after, kept));
    }
    assertEquals(6, after.allocated());
  }

  /** What was logged before this was so gives the state that it gave then. */
  @Test
  void orphansOfThenComeBackByEntriesThatSaySo() {
    Scenario fs = new Scenario().orphan("@both").orphan("@reaped");
    byte[] manifest = earlier.add(fs.state());
    fs.did(fs.reap("@reaped"));
    FsOp op = new FsOp.RestoreState(manifest, List.of(), true);
    FsState after =
        assertInstanceOf(Outcome.Applied.class, FsStateMachine.apply(fs.state(), op, NOW, earlier))
            .state();
    assertEquals(Set.of(fs.at("@both"), fs.at("@reaped")), orphans(after));
    Fsck.check(after, "restored");
  }

  @Test
  void whatHadNoNameThenAndHasOneNowIsGoneUnlessItIsOpen() {
    Scenario fs = new Scenario().orphan("@open").orphan("@closed");
    byte[] manifest = earlier.add(fs.state());
    for (String name : List.of("open", "closed")) {
      fs.did(new FsOp.LinkTemporary(fs.at("@" + name), FsState.ROOT, Name.of(name)));
    }
    fs.did(fs.write("/open", 0, fs.chunk("of now", 6)));
    FsState before = fs.state();

    FsState after = restored(before, manifest, fs.at("@open"));
    Fsck.check(after, "restored");
    assertEquals(Set.of(fs.at("@open")), orphans(after));
    assertSame(node(before, fs.at("@open")).content(), node(after, fs.at("@open")).content());
    assertEquals(2, after.nodes().size(), "this and the root");
  }

  /** Its content is the earlier one: whoever has it open sees that, as after any other write. */
  @Test
  void whatIsOpenAndWasThereIsWhatItWas() {
    Scenario fs = new Scenario().file("/f").remember("@f", "/f");
    byte[] manifest = earlier.add(fs.state());
    Hash then = nodes(fs.state());
    fs.did(fs.write("/f", 0, fs.chunk("x", 1))).did(fs.unlink("/f"));
    assertEquals(then, nodes(restored(fs.state(), manifest, fs.at("@f"))));
  }

  @Test
  void whatIsListedTwiceOrNowhereIsPassedOver() {
    Scenario fs = new Scenario();
    byte[] manifest = earlier.add(fs.state());
    fs.file("/f").orphan("@o");
    NodeId file = fs.at("/f");
    NodeId orphan = fs.at("@o");
    FsState after =
        restored(fs.state(), manifest, file, orphan, file, orphan, fs.at("@nowhere"), FsState.ROOT);
    assertEquals(Set.of(file, orphan), orphans(after));
    Fsck.check(after, "restored");
  }

  @Test
  void whatCannotBeTheEarlierStateIsInvalid() throws DecodeException {
    Scenario fs = new Scenario().file("/f");
    FsState state = fs.state();
    byte[] manifest = earlier.add(state);
    fs.file("/g");
    byte[] later = earlier.add(fs.state());
    byte[] version1 = earlier.add(FsState.genesis(RootVersion.V1));
    RestoredStates another =
        ManifestStates.verifying(new WorkspaceId(1, 1), RootVersion.LATEST, earlier.pages());

    assertEquals(Errno.EINVAL, refused(state, later, earlier), "of later");
    assertEquals(Errno.EINVAL, refused(state, version1, earlier), "other roots");
    assertEquals(Errno.EINVAL, refused(state, new byte[] {1}, earlier), "no manifest");
    assertEquals(Errno.EINVAL, refused(state, manifest, another), "another workspace");
    assertEquals(Errno.EINVAL, refused(state, manifest, RestoredStates.NONE), "nobody can read it");
    FsOp op = new FsOp.RestoreState(manifest, List.of());
    assertEquals(new Outcome.Failed(Errno.EINVAL), FsStateMachine.apply(state, op, NOW));
    assertEquals(nodes(state), nodes(restored(state, manifest)), "of now");
  }

  /** An entry of a log, with what is expected of it. */
  private record Entry(FsOp op, Stamp stamp, Hash root) {}

  /**
   * Histories with restores to any earlier state. Restores are of states behind other restores,
   * too: nodes that were gone come back, and have the numbers that they had.
   */
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
  void aHistoryWithRestores(long seed) throws DecodeException {
    RandomOps ops = new RandomOps(seed);
    List<Entry> log = new ArrayList<>();
    List<FsState> states = new ArrayList<>();
    FsState state = FsState.genesis();
    int kept = 0;
    int cameBack = 0;
    Map<Long, NodeId> numbers = new HashMap<>();
    for (int i = 0; i < OPS; i++) {
      if (i % KEPT_EVERY == 0) {
        earlier.add(state);
        states.add(state);
      }
      boolean restores = i % RESTORED_EVERY == RESTORED_EVERY - 1;
      FsOp op =
          restores ? ops.restore(earlier.manifests()) : FsStateMachine.resolve(state, ops.next());
      Stamp stamp = ops.stamp(1 + i);
      String where = "seed " + seed + " op " + i + " " + op;
      if (!(FsStateMachine.apply(state, op, stamp, earlier) instanceof Outcome.Applied(var next))) {
        assertFalse(restores, where);
        continue;
      }
      ops.applied(op, stamp);
      log.add(new Entry(op, stamp, next.root()));
      if (op instanceof FsOp.RestoreState restore) {
        FsState then = states.get(position(restore.manifest()));
        kept += checkRestored(restore, then, state, next, where);
        FsState before = state;
        for (Node node : then.nodes()) {
          cameBack += before.node(node.id()) == null ? 1 : 0;
        }
      }
      for (Node node : next.nodes()) {
        NodeId owner = numbers.putIfAbsent(node.inode().value(), node.id());
        assertTrue(owner == null || owner.equals(node.id()), where + ": a number is used twice");
      }
      state = next;
    }
    assertTrue(kept > 10, kept + " nodes were kept");
    assertTrue(cameBack > 10, cameBack + " nodes came back");
    replay(log, earlier);
    replay(log, ManifestStates.beside(StoredStates.WORKSPACE, state, earlier.pages()));
    replay(log, lazy());
  }

  /** Compares node by node with what the definition says; returns how many were kept. */
  private int checkRestored(
      FsOp.RestoreState op, FsState then, FsState before, FsState after, String where) {
    Fsck.check(after, where);
    Set<NodeId> kept = new HashSet<>(op.open());
    kept.addAll(orphans(before));
    kept.removeIf(id -> before.node(id) == null || then.hasNamed(id));
    assertEquals(kept, orphans(after), where);
    FsState without = after;
    for (NodeId id : kept) {
      Node is = node(after, id);
      assertTrue(is.isOrphan(), where);
      if (is.content() instanceof FileContent file) {
        assertSame(node(before, id).content(), file, where);
      }
      without = without.without(is);
    }
    FsState named = then;
    for (NodeId orphan : orphans(then)) {
      named = named.without(node(then, orphan));
    }
    assertEquals(nodes(named), nodes(without), where);
    assertEquals(before.nextInode(), after.nextInode(), where);
    Set<NodeId> followed = orphans(before);
    OrphanChanges.report(
        op,
        FsState.ROOT,
        before,
        after,
        new OrphanChanges.Listener() {
          @Override
          public void orphaned(Node node) {
            assertTrue(followed.add(node.id()), where);
          }

          @Override
          public void orphanGone(NodeId node) {
            assertTrue(followed.remove(node), where);
          }
        });
    assertEquals(orphans(after), followed, where);
    return kept.size();
  }

  private static void replay(List<Entry> log, RestoredStates restored) throws DecodeException {
    FsState state = FsState.genesis();
    for (Entry entry : log) {
      FsOp op = OpCodec.decode(OpCodec.encode(entry.op));
      state =
          assertInstanceOf(
                  Outcome.Applied.class, FsStateMachine.apply(state, op, entry.stamp, restored))
              .state();
      assertEquals(entry.root, state.root(), () -> "replayed: " + entry);
    }
  }

  /** As a replica that keeps nothing in memory which is in a page. */
  private RestoredStates lazy() {
    PageCache cache = new PageCache(earlier.pages(), StatePages::leaves, 1, true);
    return ManifestStates.lazy(StoredStates.WORKSPACE, RootVersion.LATEST, cache);
  }

  private int position(byte[] manifest) {
    for (int i = 0; i < earlier.manifests().size(); i++) {
      if (Arrays.equals(earlier.manifests().get(i), manifest)) {
        return i;
      }
    }
    throw new AssertionError("no such manifest");
  }

  private FsState restored(FsState before, byte[] manifest, NodeId... open) {
    FsOp op = new FsOp.RestoreState(manifest, List.of(open));
    return assertInstanceOf(Outcome.Applied.class, FsStateMachine.apply(before, op, NOW, earlier))
        .state();
  }

  private static Errno refused(FsState before, byte[] manifest, RestoredStates restored) {
    FsOp op = new FsOp.RestoreState(manifest, List.of());
    return assertInstanceOf(Outcome.Failed.class, FsStateMachine.apply(before, op, NOW, restored))
        .errno();
  }

  private static Node node(FsState state, NodeId id) {
    return Objects.requireNonNull(state.node(id));
  }

  /** Stands for everything but the counter. */
  private static Hash nodes(FsState state) {
    return state.nodes().root(state.version());
  }

  private static Set<NodeId> orphans(FsState state) {
    Set<NodeId> orphans = new HashSet<>();
    state.orphans().forEach(orphan -> orphans.add(orphan.node()));
    return orphans;
  }
}
