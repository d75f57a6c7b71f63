package io.hypersync.worker.coherence;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.fixtures.States;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import org.junit.jupiter.api.Test;

/**
 * What a kernel is told when another state takes the place of the one that it knows. The old state
 * has the directories d (inode 2) and e (3), and in d the files f (4), g (5) and the directory s
 * (6).
 */
class StateChangeTest {
  private static final NodeId D = new NodeId(7, 1);
  private static final NodeId E = new NodeId(7, 2);
  private static final NodeId F = new NodeId(7, 3);
  private static final NodeId G = new NodeId(7, 4);
  private static final NodeId SUB = new NodeId(7, 5);

  private final TreeMap<Long, NodeId> known = new TreeMap<>();
  private FsState state = FsState.genesis();
  private long index;
  private boolean isInTime = true;
  private final FsState before;

  StateChangeTest() {
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("d"), 0755, 0, 0));
    apply(new FsOp.MakeDir(FsState.ROOT, Name.of("e"), 0755, 0, 0));
    apply(new FsOp.CreateFile(D, Name.of("f"), 0644, 0, 0));
    apply(new FsOp.CreateFile(D, Name.of("g"), 0644, 0, 0));
    apply(new FsOp.MakeDir(D, Name.of("s"), 0755, 0, 0));
    before = state;
    known.put(1L, FsState.ROOT);
    for (NodeId node : List.of(D, E, F, G, SUB)) {
      known.put(before.node(node).inode().value(), node);
    }
  }

  @Test
  void nothingOfWhatIsTheSame() {
    apply(new FsOp.CreateFile(E, Name.of("new"), 0644, 0, 0));
    assertEquals("rewritten [3] grown [] owned [] moved [] misleading []", told());
  }

  @Test
  void theLengthOfWhatIsLongerAndThePagesOfWhatIsNotTheSame() {
    apply(new FsOp.Truncate(F, 9, false));
    apply(new FsOp.Truncate(G, 9, false));
    apply(new FsOp.Truncate(G, 0, false));
    assertEquals("rewritten [4] grown [4 is 9] owned [] moved [] misleading []", told());
  }

  @Test
  void whoOwnsItNow() {
    apply(new FsOp.SetAttributes(F, SetAttributes.UID, 0, 1000, 0, 0));
    assertEquals("rewritten [] grown [] owned [4] moved [] misleading []", told());
  }

  @Test
  void whereADirectoryIsAndNotThatItsOldNameIsGone() {
    apply(new FsOp.Rename(D, Name.of("s"), E, Name.of("t"), RenameMode.REPLACE));
    assertEquals("rewritten [2, 3] grown [] owned [] moved [6 at 3/t] misleading []", told());
    apply(new FsOp.Rename(E, Name.of("t"), D, Name.of("s"), RenameMode.REPLACE));
    assertEquals("rewritten [] grown [] owned [] moved [] misleading []", told(), "and back");
    apply(new FsOp.Rename(D, Name.of("s"), D, Name.of("t"), RenameMode.REPLACE));
    assertEquals("rewritten [2] grown [] owned [] moved [6 at 2/t] misleading []", told());
  }

  @Test
  void namesThatLeadElsewhereOrNowhereOrSomewhereAtLast() {
    apply(new FsOp.Unlink(D, Name.of("f")));
    apply(new FsOp.Rename(D, Name.of("g"), D, Name.of("f"), RenameMode.REPLACE));
    apply(new FsOp.CreateFile(D, Name.of("missing"), 0644, 0, 0));
    assertEquals("rewritten [2] grown [] owned [] moved [] misleading [f, g, missing]", told());
  }

  @Test
  void whatIsNotKnownInTimeCountsAsDifferent() {
    isInTime = false;
    assertEquals(
        "rewritten [1, 2, 3, 4, 5, 6] grown [] owned [] moved []"
            + " misleading [d, f, g, missing, nowhere, s]",
        told());
  }

  private void apply(FsOp op) {
    index++;
    state = States.after(state, op, index, new NodeId(7, index));
  }

  private String told() {
    StateChange change = new StateChange(new Caches(), before, state, () -> isInTime);
    List<CachedName> names = new ArrayList<>();
    names.add(new CachedName(FsState.ROOT, InodeNo.ROOT, Name.of("d")));
    for (String name : List.of("f", "g", "missing", "nowhere", "s")) {
      names.add(new CachedName(D, new InodeNo(2), Name.of(name)));
    }
    change.find(names);
    List<String> grown =
        change.grown().stream().map(each -> each.inode() + " is " + each.size()).toList();
    List<String> moved =
        change.moved().stream()
            .map(to -> to.inode() + " at " + to.place().directory() + "/" + to.place().name())
            .toList();
    List<Name> misleading = change.misleading().stream().map(CachedName::name).toList();
    return "rewritten "
        + change.rewritten()
        + " grown "
        + grown
        + " owned "
        + change.owned()
        + " moved "
        + moved
        + " misleading "
        + misleading;
  }

  /** A kernel that knows the nodes of the old state, and may have pages of all. */
  private final class Caches implements KernelCaches {
    @Override
    public boolean isKnown(InodeNo inode) {
      return known.containsKey(inode.value());
    }

    @Override
    public void forEachKnown(BiConsumer<InodeNo, NodeId> inode) {
      known.forEach((number, node) -> inode.accept(new InodeNo(number), node));
    }

    @Override
    public boolean takeAttributes(InodeNo inode) {
      return false;
    }

    @Override
    public boolean takeListing(InodeNo inode) {
      return false;
    }

    @Override
    public void listingDropped(InodeNo inode) {}

    @Override
    public boolean takeName(CachedName name) {
      return false;
    }

    @Override
    public boolean mayHavePages(InodeNo inode) {
      return true;
    }

    @Override
    public boolean takePages(InodeNo inode) {
      return false;
    }

    @Override
    public void noteName(CachedName name) {}
  }
}
