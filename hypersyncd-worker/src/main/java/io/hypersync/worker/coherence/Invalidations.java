package io.hypersync.worker.coherence;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.op.NodeType;
import io.hypersync.model.op.RenameMode;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What an entry changes that a kernel may have cached.
 *
 * @param attributes inodes whose attributes change
 * @param names names that lead elsewhere afterwards
 * @param hiddenPages inodes whose pages must be dropped before the entry is visible, since the
 *     kernel could not detect afterwards that they are old: it drops the pages of a file whose size
 *     or mtime has changed, and an mtime that is set by hand can hide a change
 * @param changedPages the pages whose bytes change, or null
 * @param growth the file that becomes longer, or null; some calls use the size that the kernel has
 *     cached without asking for it
 * @param removedDirectories inodes of directories that have no name afterwards; the kernel keeps
 *     such an inode while it has dentries of earlier lookups in it
 * @param movedDirectories directories that have another place afterwards; they may be working
 *     directories of processes, and filesystems may be mounted below
 * @param changesOwner whether a node's owner or group changes, by which the kernel judges callers
 *     without asking for attributes first; {@code attributes} is then that node alone
 */
public record Invalidations(
    List<InodeNo> attributes,
    List<CachedName> names,
    List<InodeNo> hiddenPages,
    @Nullable PageRange changedPages,
    @Nullable Growth growth,
    List<InodeNo> removedDirectories,
    List<MovedDirectory> movedDirectories,
    boolean changesOwner) {
  /** No effects. */
  public static final Invalidations NONE = ofNames(List.of());

  /**
   * Of a state that is replaced by another one: everything may change. Its lists are empty, because
   * nobody knows them; {@code VisibilityGate} asks the caches what they have.
   */
  static final Invalidations EVERYTHING = ofNames(List.of());

  /** Effects on these names only. */
  static Invalidations ofNames(List<CachedName> names) {
    return new Invalidations(List.of(), names, List.of(), null, null, List.of(), List.of(), false);
  }

  /** Computes the effects of an op from the states before and after its entry. */
  public static Invalidations of(FsOp op, FsState before, FsState after) {
    Collector found = new Collector(before, after);
    switch (op) {
      case FsOp.CreateFile create -> found.entry(create.parent(), create.name());
      case FsOp.MakeDir make -> found.entry(make.parent(), make.name());
      case FsOp.MakeSymlink make -> found.entry(make.parent(), make.name());
      case FsOp.MakeNode make -> found.entry(make.parent(), make.name());
      case FsOp.Link link -> {
        found.entry(link.newParent(), link.newName());
        found.attributes(link.node());
      }
      case FsOp.Unlink unlink -> found.entryAndTarget(unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> {
        found.entryAndTarget(remove.parent(), remove.name());
        found.removedDirectory(remove.parent(), remove.name());
      }
      case FsOp.Rename rename -> {
        found.entryAndTarget(rename.parent(), rename.name());
        found.entryAndTarget(rename.newParent(), rename.newName());
        if (rename.mode() != RenameMode.EXCHANGE) {
          found.removedDirectory(rename.newParent(), rename.newName());
        }
        found.movedDirectory(rename.newParent(), rename.newName());
        if (rename.mode() == RenameMode.EXCHANGE) {
          found.movedDirectory(rename.parent(), rename.name());
        }
      }
      case FsOp.Write write -> found.data(write.node(), write.offset(), write.length());
      case FsOp.Truncate truncate -> found.data(truncate.node(), 0, PageRange.TO_THE_END);
      case FsOp.Allocate allocate ->
          found.data(allocate.node(), allocate.offset(), allocate.length());
      case FsOp.CopyRange copy -> found.data(copy.target(), copy.targetOffset(), copy.length());
      case FsOp.LinkTemporary link -> {
        found.entry(link.newParent(), link.newName());
        found.attributes(link.node());
      }
      case SetAttributes set -> {
        found.attributes(set.node());
        found.owner(set.node());
        if ((set.mask() & SetAttributes.MTIME) != 0) {
          found.hiddenPages(set.node());
        }
      }
      case FsOp.SetXattr set -> found.attributes(set.node());
      case FsOp.RemoveXattr remove -> found.attributes(remove.node());
      case FsOp.MakeTemporary _ -> {
        // No directory changes, and no kernel has cached the new node.
      }
      // A host that still has one open has been cut off from the leader for long; its kernel must
      // not serve the node from its caches.
      case FsOp.ReapOrphans reap -> reap.nodes().forEach(found::reaped);
      case FsOp.RestoreState _ -> {
        return EVERYTHING;
      }
    }
    return found.invalidations();
  }

  /**
   * The names to which a rename moves nodes, or none for other ops. The kernel moves the dentries
   * and what is left of their cache lifetime along.
   */
  static List<CachedName> movedTo(FsOp op, Invalidations invalidations) {
    if (!(op instanceof FsOp.Rename rename)) {
      return List.of();
    }
    List<CachedName> moved = new ArrayList<>();
    for (CachedName name : invalidations.names) {
      boolean target =
          name.parent().equals(rename.newParent()) && name.name().equals(rename.newName());
      if (target || rename.mode() == RenameMode.EXCHANGE) {
        moved.add(name);
      }
    }
    return moved;
  }

  @SuppressWarnings("ReferenceEquality") // the lists of others may be empty, too
  private boolean isEverything() {
    return this == EVERYTHING;
  }

  /** Whether the entry moves this directory. */
  boolean moves(NodeId directory) {
    return movedDirectories.stream().anyMatch(moved -> moved.node().equals(directory));
  }

  boolean touchesAttributes(InodeNo inode) {
    return isEverything() || attributes.contains(inode);
  }

  boolean touchesName(InodeNo directory, Name name) {
    if (isEverything()) {
      return true;
    }
    for (CachedName changing : names) {
      if (changing.directory().equals(directory) && changing.name().equals(name)) {
        return true;
      }
    }
    return false;
  }

  private static final class Collector {
    private final FsState before;
    private final FsState after;
    private final List<InodeNo> attributes = new ArrayList<>(4);
    private final List<CachedName> names = new ArrayList<>(2);
    private final List<InodeNo> hiddenPages = new ArrayList<>(1);
    private @Nullable PageRange changedPages;
    private @Nullable Growth growth;
    private final List<InodeNo> removedDirectories = new ArrayList<>(0);
    private final List<MovedDirectory> movedDirectories = new ArrayList<>(0);
    private boolean changesOwner;

    Collector(FsState before, FsState after) {
      this.before = before;
      this.after = after;
    }

    void entry(NodeId parent, Name name) {
      Node directory = attributes(parent);
      if (directory != null) {
        names.add(new CachedName(parent, directory.inode(), name));
      }
    }

    void entryAndTarget(NodeId parent, Name name) {
      entry(parent, name);
      Node directory = before.node(parent);
      Node target = directory == null ? null : before.lookup(directory, name);
      if (target != null) {
        attributes(target.id());
      }
    }

    @Nullable Node attributes(NodeId id) {
      Node node = after.node(id);
      if (node != null && !attributes.contains(node.inode())) {
        attributes.add(node.inode());
      }
      return node;
    }

    void owner(NodeId id) {
      Node old = before.node(id);
      Node now = after.node(id);
      changesOwner =
          old != null
              && now != null
              && (old.attributes().uid() != now.attributes().uid()
                  || old.attributes().gid() != now.attributes().gid());
    }

    void reaped(NodeId id) {
      Node node = before.node(id);
      if (node != null) {
        attributes.add(node.inode());
        hiddenPages.add(node.inode());
      }
    }

    void data(NodeId id, long offset, long length) {
      Node node = attributes(id);
      if (node != null) {
        InodeNo inode = node.inode();
        changedPages = new PageRange(inode, offset, length);
        Node old = before.node(id);
        long size = node.attributes().size();
        if (old != null && old.attributes().size() < size) {
          growth = new Growth(inode, size);
        }
      }
    }

    void hiddenPages(NodeId id) {
      Node node = after.node(id);
      if (node != null) {
        hiddenPages.add(node.inode());
      }
    }

    /** Adds what the name led to before, if that was a directory. */
    void removedDirectory(NodeId parent, Name name) {
      Node removed = directoryAt(before, parent, name);
      if (removed != null) {
        removedDirectories.add(removed.inode());
      }
    }

    /** Adds what the name leads to afterwards, if that is a directory. */
    void movedDirectory(NodeId parent, Name name) {
      Node moved = directoryAt(after, parent, name);
      Node above = after.node(parent);
      if (moved != null && above != null) {
        CachedName place = new CachedName(parent, above.inode(), name);
        movedDirectories.add(new MovedDirectory(moved.id(), moved.inode(), place));
      }
    }

    private static @Nullable Node directoryAt(FsState state, NodeId parent, Name name) {
      Node above = state.node(parent);
      Node found = above == null ? null : state.lookup(above, name);
      return found == null || found.type() != NodeType.DIRECTORY ? null : found;
    }

    Invalidations invalidations() {
      return new Invalidations(
          attributes,
          names,
          hiddenPages,
          changedPages,
          growth,
          removedDirectories,
          movedDirectories,
          changesOwner);
    }
  }
}
