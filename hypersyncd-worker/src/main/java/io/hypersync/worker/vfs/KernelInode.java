package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import org.jspecify.annotations.Nullable;

/**
 * An inode that the kernel knows, and what it may keep of it. Thread-safe. There may be millions,
 * and most are files: what only directories have is elsewhere.
 */
final class KernelInode {
  private final NodeId node;

  /** Null until a name in it is kept or changed, or its listing is. */
  private volatile @Nullable KernelDirectory directory;

  private volatile boolean attributes;
  private volatile boolean pages;

  /** Lookups that the kernel has not taken back; changed under the lock of {@link InodeTable}. */
  private long lookups;

  KernelInode(NodeId node) {
    this.node = node;
  }

  NodeId node() {
    return node;
  }

  void lookedUp() {
    lookups++;
  }

  /** Whether the kernel still knows the inode after it has taken so many lookups back. */
  boolean survives(long takenBack) {
    lookups -= Math.min(lookups, takenBack < 0 ? Long.MAX_VALUE : takenBack);
    return lookups > 0;
  }

  /** What the kernel may keep of the names in it, or null if that is nothing yet. */
  @Nullable KernelDirectory knownDirectory() {
    return directory;
  }

  /** What the kernel may keep of the names in it. */
  KernelDirectory directory() {
    KernelDirectory known = directory;
    return known == null ? newDirectory() : known;
  }

  private synchronized KernelDirectory newDirectory() {
    KernelDirectory known = directory;
    if (known == null) {
      known = new KernelDirectory();
      directory = known;
    }
    return known;
  }

  void noteAttributes() {
    if (!attributes) {
      attributes = true;
    }
  }

  boolean takeAttributes() {
    // Not cleared unless it was seen: a note that comes now is for the next one to take. If it
    // was, a note that comes now is for an answer that the kernel will find to be too old.
    if (!attributes) {
      return false;
    }
    attributes = false;
    return true;
  }

  void notePages() {
    if (!pages) {
      pages = true;
    }
  }

  boolean mayHavePages() {
    return pages;
  }

  boolean takePages() {
    if (!pages) {
      return false;
    }
    pages = false;
    return true;
  }
}
