package io.hypersync.leader.history;

import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.StateChunks;
import io.hypersync.model.trie.MerkleTrie;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Counts what a restore of a whole state changes, node by node: what is equal is passed over by its
 * hash. Files are all nodes that are no directories. Nodes without a name do not count.
 */
public final class WholeDifference {
  private final Limits limits;
  private final Predicate<Hash> isStored;
  private final Counts files = new Counts();
  private final Counts directories = new Counts();
  private long lostFiles;

  /** How many nodes of one kind differ. */
  public static final class Counts {
    private long backs;
    private long gone;
    private long changed;

    /** What the state has that is restored, and the newest one has not. */
    public long backs() {
      return backs;
    }

    /** What the newest state has, and the one that is restored has not. */
    public long gone() {
      return gone;
    }

    /** What both have, with other attributes, content or entries. */
    public long changed() {
      return changed;
    }
  }

  private WholeDifference(Limits limits, Predicate<Hash> isStored) {
    this.limits = limits;
    this.isStored = isStored;
  }

  /**
   * Compares two states.
   *
   * @param isStored asked for each chunk of what comes back or changes
   */
  public static WholeDifference of(
      FsState newest, FsState restored, Limits limits, Predicate<Hash> isStored) {
    WholeDifference difference = new WholeDifference(limits, isStored);
    MerkleTrie.compare(newest.nodes(), restored.nodes(), newest.version(), difference::differs);
    return difference;
  }

  private void differs(@Nullable Node before, @Nullable Node after) {
    limits.step();
    Node was = before == null || before.isOrphan() ? null : before;
    Node is = after == null || after.isOrphan() ? null : after;
    if (is != null) {
      Counts counts = of(is);
      if (was == null) {
        counts.backs++;
      } else {
        counts.changed++;
      }
      look(is);
    } else if (was != null) {
      of(was).gone++;
    }
  }

  private Counts of(Node node) {
    return node.type() == NodeType.DIRECTORY ? directories : files;
  }

  private void look(Node node) {
    boolean[] isLost = {false};
    StateChunks.forEach(node, chunk -> isLost[0] |= !isStored.test(chunk));
    lostFiles += isLost[0] ? 1 : 0;
  }

  /** What are no directories. */
  public Counts files() {
    return files;
  }

  /** Directories. */
  public Counts directories() {
    return directories;
  }

  /** How many nodes come back or change that have chunks which are not stored. */
  public long lostFiles() {
    return lostFiles;
  }
}
