package io.hypersync.model.difference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.snapshot.LargeHistory;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.model.trie.PageReader;
import io.hypersync.model.trie.PageStore;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.model.trie.RootVersion;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Differences of random histories against two whole walks; snapshots read beside other states. */
class RandomDifferencesTest {
  private static final WorkspaceId WORKSPACE = new WorkspaceId(1, 2);

  private record Named(NodeId parent, String name, NodeId node) {}

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void findsWhatTwoWholeWalksFind(long seed) throws Exception {
    LargeHistory history = new LargeHistory(seed);
    List<FsState> states = new ArrayList<>();
    for (int ops : new int[] {20, 500, 3, 1_000}) {
      states.add(history.run(ops).state());
    }
    for (FsState from : states) {
      for (FsState to : states) {
        compare(from, to, "seed " + seed);
      }
    }
  }

  private static void compare(FsState from, FsState to, String where) throws Exception {
    StateDifference.Result all =
        StateDifference.of(from, to, List.of(), Integer.MAX_VALUE, StateDifference.Limits.NONE);
    StateDifference.Result parts =
        StateDifference.of(from, to, List.of(), Integer.MAX_VALUE, StateDifference.Limits.NONE, 50);
    assertEquals(all, parts, where + ": in parts");

    // The first state as its snapshot beside the second one, and the other way round.
    assertEquals(
        all,
        StateDifference.of(beside(to, from), to, List.of(), 1 << 30, StateDifference.Limits.NONE));
    assertEquals(
        all,
        StateDifference.of(
            from, beside(from, to), List.of(), 1 << 30, StateDifference.Limits.NONE));

    Set<Named> before = names(from);
    Set<Named> after = names(to);
    Set<Named> gone = new HashSet<>(before);
    gone.removeAll(after);
    Set<Named> come = new HashSet<>(after);
    come.removeAll(before);
    long moved = count(all, ChangeKind.MOVED);
    long replaced =
        all.changes().stream().filter(c -> c.aspects().contains(Aspect.REPLACED)).count();
    assertEquals(
        gone.size(),
        count(all, ChangeKind.REMOVED) + count(all, ChangeKind.UNLINKED) + moved + replaced,
        where);
    assertEquals(
        come.size(),
        count(all, ChangeKind.ADDED) + count(all, ChangeKind.LINKED) + moved + replaced,
        where);
    long other = 0;
    for (Node node : from.nodes()) {
      Node now = to.node(node.id());
      if (now != null && !node.isOrphan() && !now.isOrphan()) {
        boolean isFile = node.type() != NodeType.DIRECTORY;
        boolean differs =
            node.attributes().mode() != now.attributes().mode()
                || node.attributes().uid() != now.attributes().uid()
                || !node.xattrs().root(from.version()).equals(now.xattrs().root(from.version()))
                || (isFile && node.attributes().mtimeNs() != now.attributes().mtimeNs());
        other += differs ? 1 : 0;
      }
    }
    assertEquals(
        other,
        all.changes().stream()
            .filter(c -> !c.aspects().isEmpty() && !c.aspects().contains(Aspect.REPLACED))
            .count(),
        where);
  }

  private static long count(StateDifference.Result result, ChangeKind kind) {
    return result.changes().stream().filter(change -> change.kind() == kind).count();
  }

  private static Set<Named> names(FsState state) {
    Set<Named> names = new HashSet<>();
    for (Node node : state.nodes()) {
      if (node.content() instanceof Directory(_, var entries)) {
        for (DirEntry entry : entries) {
          names.add(new Named(node.id(), entry.name().toString(), entry.node()));
        }
      }
    }
    return names;
  }

  private static FsState beside(FsState like, FsState written) throws Exception {
    PageStore store = new PageStore();
    byte[] manifest =
        new Manifest(WORKSPACE, 1, 1, 1, written)
            .write(PageWriter.complete(RootVersion.LATEST, store))
            .bytes();
    FsState read = Manifest.readBeside(like, manifest, WORKSPACE, store).state();
    FsState whole = Manifest.read(manifest, WORKSPACE, PageReader::verifying, store).state();
    assertEquals(whole.nodes().root(whole.version()), read.nodes().root(read.version()));
    assertEquals(whole.orphans().size(), read.orphans().size());
    assertEquals(whole.allocated(), read.allocated());
    return read;
  }

  @Test
  void readsOnlyThePagesThatDiffer() throws Exception {
    LargeHistory history = new LargeHistory(5).run(8_000);
    PageStore store = new PageStore();
    byte[] manifest =
        new Manifest(WORKSPACE, 1, 1, 1, history.state())
            .write(PageWriter.complete(RootVersion.LATEST, store))
            .bytes();
    FsState later = history.run(3).state();
    int[] read = {0};
    FsState old =
        Manifest.readBeside(
                later,
                manifest,
                WORKSPACE,
                page -> {
                  read[0]++;
                  return store.get(page);
                })
            .state();
    assertTrue(old.nodes().size() > 2_000, old.nodes().size() + " nodes");
    assertTrue(read[0] > 0 && read[0] <= 30, read[0] + " of " + store.pages().size() + " pages");
  }

  @Test
  void aPageThatIsMissingIsNamed() {
    LargeHistory history = new LargeHistory(6).run(3_000);
    PageStore store = new PageStore();
    byte[] manifest =
        new Manifest(WORKSPACE, 1, 1, 1, history.state())
            .write(PageWriter.complete(RootVersion.LATEST, store))
            .bytes();
    store.pages().clear();
    FsState other = new LargeHistory(7).run(3_000).state();
    assertThrows(
        PageMissingException.class, () -> Manifest.readBeside(other, manifest, WORKSPACE, store));
  }
}
