package io.hypersync.worker.daemon.inotify;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.worker.coherence.View;
import io.hypersync.worker.fuse.dev.InnerMounts;
import io.hypersync.worker.inotify.MountPoints;
import io.hypersync.worker.inotify.NameInDirectory;
import io.hypersync.worker.vfs.KernelInodes;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds the names on the way to what is mounted inside the workspace. The kernel shows the paths
 * that it knows, which may be those of a state before the visible one. So from where a path leads
 * to nothing in the visible state, its names are taken for what they are, in whatever directory: a
 * name too many costs an event, one too few a mount. Thread-safe.
 */
final class MountedNames implements MountPoints {
  private final InnerMounts mounts;
  private final KernelInodes inodes;
  private final Supplier<View> view;

  MountedNames(InnerMounts mounts, KernelInodes inodes, Supplier<View> view) {
    this.mounts = mounts;
    this.inodes = inodes;
    this.view = view;
  }

  @Override
  public boolean areAtOrBelow(NameInDirectory place, FsState before, FsState after) {
    if (!place.isReal()) {
      return false;
    }
    try {
      FsState now = view.get().state();
      return (isKnown(now, place) || isKnown(before, place) || isKnown(after, place))
          && mounts.any(path -> leadsThrough(now, path, place));
    } catch (PageUnreadableException e) {
      return true;
    }
  }

  /** Whether the kernel knows the node that a name leads to: something may be mounted on it. */
  private boolean isKnown(FsState state, NameInDirectory place) {
    NodeId id = inodes.node(place.directory());
    Node directory = id == null ? null : state.node(id);
    Node node = directory == null ? null : state.lookup(directory, place.name());
    return node != null && inodes.isKnown(node.inode());
  }

  private static boolean leadsThrough(FsState state, List<byte[]> path, NameInDirectory place) {
    @Nullable Node at = state.node(FsState.ROOT);
    for (byte[] bytes : path) {
      if (!Name.isWellFormed(bytes)) {
        return false; // no name of a workspace
      }
      Name name = Name.of(bytes);
      InodeNo directory = at == null ? place.directory() : at.inode();
      if (place.equals(new NameInDirectory(directory, name))) {
        return true;
      }
      at = at == null ? null : state.lookup(at, name);
    }
    return false;
  }
}
