package io.hypersync.model.state;

import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * About how many bytes of a heap a state holds: nodes, names, extents, extended attributes, targets
 * of symlinks, and what the leader keeps of each orphan. Decided by the state alone, so leader and
 * workers get the same number, whatever machine they run on. It is no part of the root, and no
 * format has it.
 *
 * <p>Whoever follows the log adds {@link #change} for each entry, which looks only at the nodes
 * that the entry touches; {@link #of} walks through all. The two always agree.
 *
 * <p>The figures are the objects of a 64-bit Java machine with compressed references (heaps of up
 * to 32 GiB), the branches of the tries among them. Without compressed references the same state
 * takes up to a third more.
 */
public final class StateWeight {
  /** A branch: one for each leaf. */
  private static final int BRANCH = 64;

  /** A node, its id, its branch. */
  private static final int NODE = 80 + 32 + BRANCH;

  /** What the leader knows of a node without a name; no more than the name it had. */
  private static final int ORPHAN = 104;

  /** A directory besides its node: its content, the trie, the id of its parent. */
  private static final int DIRECTORY = 24 + 16 + 32;

  /** A name besides its bytes. */
  private static final int ENTRY = 24 + BRANCH;

  /** A file that has bytes, besides its extents. */
  private static final int CONTENT = 24 + 16;

  private static final int EXTENT = 64 + BRANCH;

  /** Besides the bytes of its name: itself, the reference to its value, and its share of a trie. */
  private static final int XATTR = 24 + 24 + 48 + 16 + BRANCH;

  private static final int SYMLINK = 16;
  private static final int SPECIAL = 16;
  private static final int ARRAY = 16;
  private static final int ALIGNMENT = 8;
  private static final int CAPABILITY =
      "security.capability".getBytes(StandardCharsets.US_ASCII).length;

  private StateWeight() {}

  /** The weight of a whole state, in bytes; as long as it takes to look at all of it. */
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
   * By how many bytes an op that was applied has changed the weight; negative if it has freed some.
   *
   * @param op as it was applied
   * @param created the node that it has made; of no meaning for others
   * @param before the state without it
   * @param after the state with it
   */
  public static long change(FsOp op, NodeId created, FsState before, FsState after) {
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
    };
  }

  /** A node without the names in it. */
  private static long of(Node node) {
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

  /** Of a file, whose bytes have changed, and which may have lost its capability with that. */
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
      return 0; // both names stay; or both were names of one file
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
