package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.Name;
import io.hypersync.model.id.NodeId;
import io.hypersync.worker.incarnation.KnownInodes;
import io.hypersync.worker.inotify.NameInDirectory;
import org.jspecify.annotations.Nullable;

/**
 * An inode that the kernel holds, and what it may have cached of it. Thread-safe. There may be
 * millions, and most are files, so what only directories need is in {@link KernelDirectory}.
 */
final class KernelInode {
  private final NodeId node;

  /** Where the next process finds it; {@link KnownInodes#NO_ROW} if it does not. */
  private final int row;

  /** Whether an earlier process has counted lookups, so that there may be fewer. */
  private final boolean inherited;

  /** Null until a name in this directory is cached or changed, or its listing is cached. */
  private volatile @Nullable KernelDirectory directory;

  private volatile boolean attributes;
  private volatile boolean pages;

  /**
   * A name that has led to the inode; null until one is known. Guarded like the lookup count. The
   * directory's number and its name are apart, because there may be millions of these.
   */
  private @Nullable Name name;

  private long directoryNumber;

  /**
   * Lookup count: lookups that the kernel has not taken back with FORGET. Guarded by the lock of
   * its part of {@link InodeTable}.
   */
  private long lookups;

  private KernelInode(NodeId node, int row, long lookups, boolean inherited) {
    this.node = node;
    this.row = row;
    this.lookups = lookups;
    this.inherited = inherited;
  }

  /** An inode that was looked up for the first time. */
  static KernelInode lookedUp(NodeId node, int row) {
    return new KernelInode(node, row, 1, false);
  }

  /** An inode of which an earlier process has told the kernel. */
  static KernelInode inherited(KnownInodes.Row row) {
    return new KernelInode(row.node(), row.row(), row.lookups(), true);
  }

  int row() {
    return row;
  }

  /**
   * Whether the kernel may have counted fewer lookups than are counted here: an earlier process was
   * killed between an answer, or a FORGET, and its count (decision 066).
   */
  boolean isInherited() {
    return inherited;
  }

  NodeId node() {
    return node;
  }

  /** Counts a lookup; returns the count. */
  long lookedUp() {
    return ++lookups;
  }

  /** Notes a name that leads to the inode now. */
  void named(long inDirectory, Name now) {
    directoryNumber = inDirectory;
    name = now;
  }

  @Nullable NameInDirectory place() {
    return name == null ? null : new NameInDirectory(new InodeNo(directoryNumber), name);
  }

  /** Lowers the lookup count, to 0 at least; returns it. */
  long takenBack(long taken) {
    lookups -= Math.min(lookups, taken < 0 ? Long.MAX_VALUE : taken);
    return lookups;
  }

  /** The names and listing that the kernel may have cached, or null if none yet. */
  @Nullable KernelDirectory knownDirectory() {
    return directory;
  }

  /** The names and listing that the kernel may have cached; created on first use. */
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
    // If the flag is not set, nothing is written, so that a note made meanwhile stays for the next
    // caller. If it is set, a note made before the clearing is lost; it belongs to an answer that
    // the kernel will discard as older than the invalidation.
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
    // As in takeAttributes; a note that is lost belongs to a READ in flight, and the drop that
    // follows waits for its pages.
    if (!pages) {
      return false;
    }
    pages = false;
    return true;
  }
}
