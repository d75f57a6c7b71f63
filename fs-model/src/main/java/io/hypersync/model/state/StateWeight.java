package io.hypersync.model.state;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * Estimates how many bytes of heap a state takes: nodes, names, extents, extended attributes,
 * symlink targets, and what the leader keeps for each orphan. Computed from the state alone, so
 * leader and workers get the same number on any machine. It is not part of the Merkle root nor of
 * any persisted format.
 *
 * <p>Code that follows the log keeps the weight up to date by {@link #step} for each entry, which
 * looks only at the nodes that the entry touches; {@link #of} walks the whole state. The two always
 * agree.
 *
 * <p>The constants are object sizes on a 64-bit JVM with compressed references (heaps of up to 32
 * GiB), inner nodes of tries included. Without compressed references the same state takes up to a
 * third more.
 */
public final class StateWeight {
  /** An inner node of a trie; a trie has one per leaf. */
  private static final int INNER_NODE = 64;

  /** A node: the object, its id and its inner node. */
  private static final int NODE = 80 + 32 + INNER_NODE;

  /**
   * The leader's bookkeeping for an orphan. No more than the weight of the name it had, so that
   * removing a name never increases the weight.
   */
  private static final int ORPHAN = 104;

  /** A directory, in addition to its node: the content, the trie and the parent's id. */
  private static final int DIRECTORY = 24 + 16 + 32;

  /** A directory entry, in addition to the array with the name. */
  private static final int ENTRY = 24 + INNER_NODE;

  /** The content of a file that has extents, in addition to the extents. */
  private static final int CONTENT = 24 + 16;

  private static final int EXTENT = 64 + INNER_NODE;

  /**
   * An extended attribute, in addition to the array with the name: the object, the reference to its
   * value, and its share of a trie.
   */
  private static final int XATTR = 24 + 24 + 48 + 16 + INNER_NODE;

  private static final int SYMLINK = 16;
  private static final int SPECIAL = 16;
  private static final int ARRAY = 16;
  private static final int ALIGNMENT = 8;
  private static final int CAPABILITY =
      "security.capability".getBytes(StandardCharsets.US_ASCII).length;

  private StateWeight() {}

  /**
   * The weight of a whole state, in bytes. Visits every node, so it takes time in proportion to the
   * state.
   */
  public static long of(FsState state) {
    long sum = 0;
    for (Node node : state.nodes()) {
      sum += of(node);
      if (node.content() instanceof NodeContent.Directory directory) {
        for (DirEntry entry : directory.entries()) {
          sum += entry(entry.name());
        }
      }
    }
    return sum;
  }

  /**
   * What an op has done to the weight.
   *
   * @param weight of the state after it, in bytes
   * @param change of the weight, in bytes; negative if it freed memory
   * @param fresh how many bytes it has added, at most, that no page has; 0 or more. It is the
   *     change, as a rule, unless that is negative; what a restored state has is in pages
   */
  public record Step(long weight, long change, long fresh) {}

  /**
   * What an op that has been applied has done to the weight.
   *
   * @param weight of the state before, in bytes
   * @param op the op, resolved
   * @param created the id of the node that the op created; ignored for ops that create none
   * @param before the state before the op
   * @param after the state after the op, as the state machine has returned it
   */
  public static Step step(long weight, FsOp op, NodeId created, FsState before, FsState after) {
    if (op instanceof FsOp.RestoreState restore) {
      long known = after.knownWeight();
      long next = known < 0 ? of(after) : known;
      return new Step(next, next - weight, kept(restore, before, after));
    }
    long change = change(op, created, before, after);
    return new Step(weight + change, change, Math.max(change, 0));
  }

  /** The orphans that a restored state may have from the state before. */
  private static long kept(FsOp.RestoreState restore, FsState before, FsState after) {
    long sum = 0;
    for (NodeId id : restore.open()) {
      sum += orphanOf(id, after);
    }
    for (Orphan orphan : before.orphans()) {
      sum += orphanOf(orphan.node(), after);
    }
    return sum;
  }

  private static long orphanOf(NodeId id, FsState after) {
    Node node = after.node(id);
    return node != null && node.isOrphan() ? of(node) : 0;
  }

  private static long change(FsOp op, NodeId created, FsState before, FsState after) {
    return switch (op) {
      case FsOp.CreateFile make -> created(after, created) + entry(make.name());
      case FsOp.MakeDir make -> created(after, created) + entry(make.name());
      case FsOp.MakeSymlink make -> created(after, created) + entry(make.name());
      case FsOp.MakeNode make -> created(after, created) + entry(make.name());
      case FsOp.MakeTemporary _ -> created(after, created);
      case FsOp.Link link -> entry(link.newName());
      case FsOp.LinkTemporary link -> entry(link.newName()) - orphan(before, link.node());
      case FsOp.Unlink unlink -> nameGone(before, after, unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> nameGone(before, after, remove.parent(), remove.name());
      case FsOp.Rename rename -> renamed(rename, before, after);
      case FsOp.Write write -> changed(write.node(), before, after);
      case FsOp.Truncate truncate -> changed(truncate.node(), before, after);
      case FsOp.Allocate allocate -> changed(allocate.node(), before, after);
      case FsOp.CopyRange copy -> changed(copy.target(), before, after);
      case FsOp.SetAttributes set ->
          mayTakeCapability(set) ? changed(set.node(), before, after) : 0;
      case FsOp.SetXattr set -> {
        boolean added = xattrs(after, set.node()) > xattrs(before, set.node());
        yield added ? xattr(set.name().length) : 0;
      }
      case FsOp.RemoveXattr remove -> -xattr(remove.name().length);
      case FsOp.ReapOrphans reap -> {
        long freed = 0;
        for (NodeId id : reap.nodes()) {
          Node node = before.node(id);
          freed += node == null ? 0 : of(node);
        }
        yield -freed;
      }
      case FsOp.RestoreState _ ->
          throw new IllegalArgumentException("a restored state has a weight of its own");
    };
  }

  /** The weight of a node; for a directory, without its entries. */
  static long of(Node node) {
    long sum = (long) NODE + (node.isOrphan() ? ORPHAN : 0);
    for (Xattr xattr : node.xattrs()) {
      sum += xattr(xattr.name().length);
    }
    return sum
        + switch (node.content()) {
          case FileContent file -> content(file);
          case NodeContent.Directory _ -> DIRECTORY;
          case NodeContent.Symlink(byte[] target) -> SYMLINK + array(target.length);
          case NodeContent.Special _ -> SPECIAL;
        };
  }

  private static long created(FsState after, NodeId id) {
    Node node = after.node(id);
    return node == null ? 0 : of(node);
  }

  /**
   * The change of a file's weight by an op on its content, which may also have removed its file
   * capabilities.
   */
  private static long changed(NodeId id, FsState before, FsState after) {
    Node was = before.node(id);
    Node is = after.node(id);
    if (was == null || is == null) {
      return 0;
    }
    long lost = (long) (was.xattrs().size() - is.xattrs().size()) * xattr(CAPABILITY);
    return content(is) - content(was) - lost;
  }

  private static boolean mayTakeCapability(FsOp.SetAttributes set) {
    int taking =
        FsOp.SetAttributes.UID | FsOp.SetAttributes.GID | FsOp.SetAttributes.KILL_PRIVILEGES;
    return (set.mask() & taking) != 0;
  }

  private static long renamed(FsOp.Rename rename, FsState before, FsState after) {
    if (rename.mode() == RenameMode.EXCHANGE || before == after) {
      return 0; // both names stay, or both lead to the same file
    }
    Node replaced = target(before, rename.newParent(), rename.newName());
    return replaced == null
        ? entry(rename.newName()) - entry(rename.name())
        : orphaned(after, replaced) - entry(rename.name());
  }

  private static long nameGone(FsState before, FsState after, NodeId parent, Name name) {
    Node target = target(before, parent, name);
    return (target == null ? 0 : orphaned(after, target)) - entry(name);
  }

  private static long orphaned(FsState after, Node target) {
    boolean last = target.type() == NodeType.DIRECTORY || target.attributes().nlink() == 1;
    return last && after.node(target.id()) != null ? ORPHAN : 0;
  }

  private static long orphan(FsState state, NodeId id) {
    Node node = state.node(id);
    return node != null && node.isOrphan() ? ORPHAN : 0;
  }

  private static @Nullable Node target(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    return directory == null ? null : state.lookup(directory, name);
  }

  private static int xattrs(FsState state, NodeId id) {
    Node node = state.node(id);
    return node == null ? 0 : node.xattrs().size();
  }

  private static long content(Node node) {
    return node.content() instanceof FileContent file ? content(file) : 0;
  }

  private static long content(FileContent file) {
    int extents = file.extents().size();
    return extents == 0 ? 0 : CONTENT + (long) extents * EXTENT;
  }

  private static long entry(Name name) {
    return ENTRY + array(name.bytes().length);
  }

  private static long xattr(int nameBytes) {
    return XATTR + array(nameBytes);
  }

  private static long array(int bytes) {
    return ARRAY + (bytes + ALIGNMENT - 1) / ALIGNMENT * (long) ALIGNMENT;
  }
}
