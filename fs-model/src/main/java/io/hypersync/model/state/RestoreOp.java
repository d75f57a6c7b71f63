package io.hypersync.model.state;

import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.trie.MerkleTrie;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Goes back to an earlier state. Takes time in proportion to the open nodes and the orphans, not to
 * the state: everything else is taken over as it is.
 *
 * <p>Of the nodes without a name those of the state before stay, as they are, and no others. No
 * collection keeps what an earlier state has in them alone, and nobody can have open what has been
 * reaped since. Entries that were logged before this was so say that they have them.
 */
final class RestoreOp {
  private RestoreOp() {}

  static FsState restore(FsState before, FsOp.RestoreState op, Stamp stamp, RestoredStates restored)
      throws Rejected {
    FsState earlier = read(op, restored);
    if (earlier.version() != before.version()
        || Long.compareUnsigned(earlier.nextInode(), before.nextInode()) > 0) {
      throw new Rejected(Errno.EINVAL);
    }
    FsState next = earlier.withNextInode(before.nextInode());
    long keptWeight = 0;
    if (!op.withOrphans()) {
      for (Orphan orphan : earlier.orphans()) {
        Node node = Objects.requireNonNull(earlier.node(orphan.node()));
        next = next.without(node);
        keptWeight -= StateWeight.of(node);
      }
    }
    for (NodeId id : op.open()) {
      Node node = missing(before, next, id);
      if (node != null) {
        Node orphan = orphan(node, stamp.timeNs());
        next = next.with(orphan);
        keptWeight += StateWeight.of(orphan);
      }
    }
    for (Orphan orphan : before.orphans()) {
      Node node = missing(before, next, orphan.node());
      if (node != null) {
        next = next.with(node);
        keptWeight += StateWeight.of(node);
      }
    }
    long weight = earlier.knownWeight();
    return weight < 0 ? next : next.withKnownWeight(weight + keptWeight);
  }

  private static FsState read(FsOp.RestoreState op, RestoredStates restored) throws Rejected {
    try {
      return restored.read(op.manifest());
    } catch (DecodeException e) {
      throw new Rejected(Errno.EINVAL);
    }
  }

  /** The node of the state before, if it is not in the next state; else null. */
  private static @Nullable Node missing(FsState before, FsState next, NodeId id) {
    Node node = before.node(id);
    return node == null || next.node(id) != null ? null : node;
  }

  /** The node as it is when it has lost all its names, and a directory all that was in it. */
  private static Node orphan(Node node, long timeNs) {
    if (node.isOrphan()) {
      return node;
    }
    NodeAttributes nameless = node.attributes().withNlink(0);
    return node.content() instanceof NodeContent.Directory(NodeId parent, var entries)
            && !entries.isEmpty()
        ? node.with(new NodeContent.Directory(parent, MerkleTrie.empty()))
            .with(nameless.modified(timeNs))
        : node.with(nameless.changed(timeNs));
  }
}
