package io.hypersync.worker.vfs;

import io.hypersync.model.hazard.CallPaths;
import io.hypersync.model.hazard.Hazard;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.inotify.NameInDirectory;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The paths by which calls name what they change. The kernel has looked up each name on the way,
 * and holds the directories above what it holds, so they are found without a search. What other
 * hosts rename is followed when it becomes visible. A name may still be wrong for a moment, or if a
 * file has several: the leader checks paths before it uses them.
 */
final class KernelPaths {
  /** Deeper than any path that a call can name. */
  private static final int MOST_NAMES = Hazard.MAX_PATH_BYTES / 2;

  private static final byte[] UNKNOWN = {};

  private final KernelInodes inodes;
  private final Supplier<View> view;

  KernelPaths(KernelInodes inodes, Supplier<View> view) {
    this.inodes = inodes;
    this.view = view;
  }

  /** The paths of a call that asks for this op; none if what leads to them cannot be read now. */
  CallPaths of(FsOp op) {
    try {
      return of(op, view.get().state());
    } catch (PageUnreadableException e) {
      return CallPaths.NONE;
    }
  }

  private CallPaths of(FsOp op, FsState state) {
    return switch (op) {
      case FsOp.Write write -> file(state, write.node());
      case FsOp.Truncate cut -> file(state, cut.node());
      case FsOp.Allocate allocate -> file(state, allocate.node());
      case FsOp.CopyRange copy -> file(state, copy.target());
      case FsOp.SetAttributes change -> file(state, change.node());
      case FsOp.SetXattr change -> file(state, change.node());
      case FsOp.RemoveXattr change -> file(state, change.node());
      case FsOp.CreateFile make -> name(state, make.parent(), make.name());
      case FsOp.MakeDir make -> name(state, make.parent(), make.name());
      case FsOp.MakeSymlink make -> name(state, make.parent(), make.name());
      case FsOp.MakeNode make -> name(state, make.parent(), make.name());
      case FsOp.Link link -> name(state, link.newParent(), link.newName());
      case FsOp.LinkTemporary link -> name(state, link.newParent(), link.newName());
      case FsOp.Unlink unlink -> name(state, unlink.parent(), unlink.name());
      case FsOp.RemoveDir remove -> name(state, remove.parent(), remove.name());
      case FsOp.Rename rename ->
          new CallPaths(
              path(state, rename.parent(), rename.name()),
              path(state, rename.newParent(), rename.newName()));
      case FsOp.MakeTemporary _, FsOp.ReapOrphans _, FsOp.RestoreState _ -> CallPaths.NONE;
    };
  }

  /** A call has been made: its names lead elsewhere now. */
  void committed(FsOp op, FsState state) {
    try {
      renamed(op, state);
    } catch (PageUnreadableException e) {
      // The path stays what it was, and the leader does not believe it.
    }
  }

  /**
   * An entry has become visible. What it has moved is known by its new name: a process that stands
   * in a directory that another host has renamed looks up no name above it again.
   */
  void shown(FsOp op, FsState after) {
    if (op instanceof FsOp.Rename || op instanceof FsOp.Link) {
      committed(op, after);
    }
  }

  private void renamed(FsOp op, FsState state) {
    switch (op) {
      case FsOp.CreateFile make -> named(state, make.parent(), make.name());
      case FsOp.MakeDir make -> named(state, make.parent(), make.name());
      case FsOp.MakeSymlink make -> named(state, make.parent(), make.name());
      case FsOp.MakeNode make -> named(state, make.parent(), make.name());
      case FsOp.Link link -> named(state, link.newParent(), link.newName());
      case FsOp.LinkTemporary link -> named(state, link.newParent(), link.newName());
      case FsOp.Rename rename -> {
        named(state, rename.newParent(), rename.newName());
        named(state, rename.parent(), rename.name()); // if the two were exchanged
      }
      default -> {}
    }
  }

  private void named(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    Node node = directory == null ? null : state.lookup(directory, name);
    if (directory != null && node != null) {
      inodes.named(node.inode(), new NameInDirectory(directory.inode(), name));
    }
  }

  private CallPaths file(FsState state, NodeId id) {
    Node node = state.node(id);
    return node == null ? CallPaths.NONE : new CallPaths(path(node.inode(), null), UNKNOWN);
  }

  private CallPaths name(FsState state, NodeId parent, Name name) {
    return new CallPaths(path(state, parent, name), UNKNOWN);
  }

  private byte[] path(FsState state, NodeId parent, Name name) {
    Node directory = state.node(parent);
    return directory == null ? UNKNOWN : path(directory.inode(), name);
  }

  /** The path of an inode, and a name in it if there is one; nothing if it is not known. */
  private byte[] path(InodeNo inode, @Nullable Name last) {
    List<byte[]> names = new ArrayList<>();
    if (last != null) {
      names.add(last.bytes());
    }
    InodeNo at = inode;
    while (!at.equals(InodeNo.ROOT)) {
      NameInDirectory place = inodes.place(at);
      if (place == null || names.size() == MOST_NAMES) {
        return UNKNOWN;
      }
      names.add(place.name().bytes());
      at = place.directory();
    }
    return joined(names.reversed());
  }

  private static byte[] joined(List<byte[]> names) {
    ByteArrayOutputStream path = new ByteArrayOutputStream();
    for (byte[] name : names) {
      if (path.size() > 0) {
        path.write('/');
      }
      path.writeBytes(name);
    }
    return path.size() > Hazard.MAX_PATH_BYTES ? UNKNOWN : path.toByteArray();
  }
}
