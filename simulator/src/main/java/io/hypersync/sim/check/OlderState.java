package io.hypersync.sim.check;

import io.hypersync.model.state.FileContent;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent;
import io.hypersync.model.state.Xattr;
import io.hypersync.model.trie.Leaf;
import io.hypersync.model.trie.MerkleTrie;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.sim.world.Prng;
import java.util.function.BooleanSupplier;

/**
 * Somebody who holds a state for a while, as a reader of a long listing does, and then looks at all
 * of it: whatever of it is not in memory must still be stored, however many snapshots and
 * collections there were since.
 */
public final class OlderState {
  private static final long MOST_ENTRIES = 30;

  private final Prng prng;
  private final BooleanSupplier isDamaged;
  private FsState held = FsState.genesis();
  private long left;
  private long looks;

  /**
   * Holds nothing yet.
   *
   * @param prng draws how long it holds a state
   * @param isDamaged whether what is stored may be damaged, so that it cannot be read any more
   */
  public OlderState(Prng prng, BooleanSupplier isDamaged) {
    this.prng = prng;
    this.isDamaged = isDamaged;
  }

  /**
   * There is a newer state.
   *
   * @throws Violation if the one that is held is not whole any more
   */
  public void next(FsState newer) {
    if (left-- > 0) {
      return;
    }
    try {
      look();
    } catch (PageUnreadableException e) {
      if (!isDamaged.getAsBoolean()) {
        throw e;
      }
    }
    held = newer;
    left = prng.scale(1, MOST_ENTRIES);
  }

  /** How often an older state was looked at. */
  public long looks() {
    return looks;
  }

  private void look() {
    long nodes = 0;
    for (Node node : held.nodes()) {
      nodes++;
      int parts = node.xattrs().size() + parts(node.content()).size();
      for (Xattr _ : node.xattrs()) {
        parts--;
      }
      for (Leaf _ : parts(node.content())) {
        parts--;
      }
      if (parts != 0) {
        throw new Violation("node " + node.id() + " of an older state lacks " + parts + " parts");
      }
    }
    if (nodes != held.nodes().size()) {
      throw new Violation("a state of " + held.nodes().size() + " nodes has " + nodes);
    }
    looks++;
  }

  private static MerkleTrie<? extends Leaf> parts(NodeContent content) {
    return switch (content) {
      case NodeContent.Directory directory -> directory.entries();
      case FileContent file -> file.extents();
      case NodeContent.Symlink _, NodeContent.Special _ -> MerkleTrie.empty();
    };
  }
}
