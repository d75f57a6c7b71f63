package io.hypersync.worker.daemon.local;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.Name;
import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.HostStat;
import io.hypersync.worker.local.HostId;
import io.hypersync.worker.local.LocalNode;
import io.hypersync.worker.local.LocalNodes;
import io.hypersync.worker.local.LocalParent;
import io.hypersync.worker.local.LocalPath;
import io.hypersync.worker.local.LocalPlace;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import org.jspecify.annotations.Nullable;

/**
 * Opens local nodes by their paths in the {@link LocalStore}. A path is right because names change
 * only through {@link #rename} here, which holds the lock while disk and table differ. What it
 * leads to is compared all the same, and nothing on the way may be a link or another filesystem.
 * Thread-safe.
 */
final class HostTree {
  /** A path is opened in pieces of at most so many bytes: the kernel takes 4,095. */
  private static final int MAX_PIECE_BYTES = 3_500;

  private final LocalStore store;
  private final LocalNodes nodes;
  private final OpenLocalFiles open;
  private final ReadWriteLock names = new ReentrantReadWriteLock();

  HostTree(LocalStore store, LocalNodes nodes, OpenLocalFiles open) {
    this.store = store;
    this.nodes = nodes;
    this.open = open;
  }

  /** Uses a descriptor. */
  @FunctionalInterface
  interface Use<T> {
    T of(int fd, HostStat stat) throws HostCallFailed;
  }

  static HostId id(HostStat stat) {
    return new HostId(stat.device(), stat.inode(), stat.bornNs());
  }

  /**
   * Uses a reference to a node: ESTALE if it is not found any more, and nobody has it open. The
   * kernel then walks the path of the call again.
   */
  <T> T with(LocalNode node, Use<T> use) throws HostCallFailed {
    int fd;
    try {
      fd = openByPath(node);
    } catch (HostCallFailed e) {
      OpenLocalFiles.Open opened = open.anyOf(node);
      if (opened == null) {
        throw isGone(e.errno()) ? new HostCallFailed(Errno.ESTALE) : e;
      }
      try (opened) {
        return use.of(opened.fd(), HostFiles.stat(opened.fd()));
      }
    }
    try {
      return use.of(fd, HostFiles.stat(fd));
    } finally {
      HostFiles.close(fd);
    }
  }

  private static boolean isGone(Errno errno) {
    return errno == Errno.ENOENT || errno == Errno.ENOTDIR || errno == Errno.ELOOP;
  }

  /**
   * Uses the directory that local names are in.
   *
   * @throws HostCallFailed ENOENT if it is a replicated one that has none
   */
  <T> T within(LocalParent parent, Use<T> use) throws HostCallFailed {
    switch (parent) {
      case LocalNode node -> {
        return with(node, use);
      }
      case LocalParent.Replicated(var directory) -> {
        int fd = store.open(directory);
        try {
          return use.of(fd, HostFiles.stat(fd));
        } finally {
          HostFiles.close(fd);
        }
      }
    }
  }

  private int openByPath(LocalNode node) throws HostCallFailed {
    names.readLock().lock();
    try {
      LocalPath path = nodes.path(node);
      if (path == null) {
        throw new HostCallFailed(Errno.ESTALE);
      }
      int fd = open(path);
      if (!id(HostFiles.stat(fd)).equals(node.host())) {
        HostFiles.close(fd);
        throw new HostCallFailed(Errno.ENOENT); // another file has this name now
      }
      return fd;
    } finally {
      names.readLock().unlock();
    }
  }

  private int open(LocalPath path) throws HostCallFailed {
    int at = store.root();
    ByteArrayOutputStream piece = new ByteArrayOutputStream();
    piece.writeBytes(LocalStore.names(path.directory()));
    for (Name name : path.names()) {
      if (piece.size() > MAX_PIECE_BYTES) {
        at = goOn(at, piece.toByteArray());
        piece.reset();
      }
      if (piece.size() > 0) {
        piece.write('/');
      }
      piece.writeBytes(name.bytes());
    }
    return goOn(at, piece.toByteArray());
  }

  /** Opens what is below a descriptor, which is closed unless it is the store's. */
  private int goOn(int from, byte[] piece) throws HostCallFailed {
    try {
      return HostFiles.openBelow(from, piece);
    } finally {
      if (from != store.root()) {
        HostFiles.close(from);
      }
    }
  }

  /**
   * Moves a name.
   *
   * @param flags bits of {@link io.hypersync.worker.fuse.abi.FuseFlags.Rename}
   */
  void rename(LocalPlace from, LocalPlace to, int flags, boolean exchange) throws HostCallFailed {
    byte[] oldName = from.name().bytes();
    byte[] newName = to.name().bytes();
    Use<Boolean> move =
        (source, _) ->
            within(
                to.parent(),
                (target, _) -> {
                  move(source, oldName, target, newName, flags, from, to, exchange);
                  return true;
                });
    var _ = within(from.parent(), move);
  }

  private void move(
      int source,
      byte[] oldName,
      int target,
      byte[] newName,
      int flags,
      LocalPlace from,
      LocalPlace to,
      boolean exchange)
      throws HostCallFailed {
    names.writeLock().lock();
    try {
      HostStat moved = HostFiles.stat(source, oldName);
      HostStat there = statIfThere(target, newName);
      HostFiles.rename(source, oldName, target, newName, flags);
      if (there != null && id(there).equals(id(moved))) {
        return; // two names of one file: nothing has happened
      }
      nodes.moved(id(moved), to);
      if (exchange && there != null) {
        nodes.moved(id(there), from);
      } else if (there != null) {
        gone(there);
      }
    } finally {
      names.writeLock().unlock();
    }
  }

  private static @Nullable HostStat statIfThere(int directory, byte[] name) throws HostCallFailed {
    try {
      return HostFiles.stat(directory, name);
    } catch (HostCallFailed e) {
      if (e.errno() == Errno.ENOENT) {
        return null;
      }
      throw e;
    }
  }

  /** Removes a name. */
  void remove(LocalPlace place, boolean ofDirectory) throws HostCallFailed {
    byte[] name = place.name().bytes();
    var _ =
        within(
            place.parent(),
            (directory, _) -> {
              HostStat stat = HostFiles.stat(directory, name);
              HostFiles.remove(directory, name, ofDirectory);
              gone(stat);
              return true;
            });
  }

  /** A name of a file is gone, as it was just before. */
  private void gone(HostStat before) {
    if (before.isDirectory() || before.links() <= 1) {
      nodes.removed(id(before));
    }
  }
}
