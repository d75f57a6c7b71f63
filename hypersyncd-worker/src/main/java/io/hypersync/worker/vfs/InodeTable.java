package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.worker.incarnation.KnownInodes;
import io.hypersync.worker.inotify.NameInDirectory;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The inodes that the kernel holds (lookup count above 0), by inode number. Thread-safe: each
 * number belongs to one of 64 parts, each with a lock of its own. A lock is held for one lookup, or
 * while the map of its part is resized: some 16,000 entries if the table has a million.
 *
 * <p>The kernel holds as many inodes as it has memory for, often one for each file. A map with
 * primitive keys saves some 20 bytes per inode compared with boxed keys and entry objects.
 */
final class InodeTable {
  private static final int PART_BITS = 6;

  /**
   * Multiplier that puts consecutive inode numbers into different parts, so that the numbers within
   * each part are spread as well.
   */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final Part[] parts = new Part[1 << PART_BITS];

  InodeTable() {
    this(null);
  }

  /**
   * A table whose inodes are kept elsewhere, too.
   *
   * @param kept is told of each lookup before the kernel is; null for nobody
   */
  InodeTable(@Nullable KnownInodes kept) {
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new Part(kept);
    }
  }

  /** The inode, or null if the kernel does not hold it. */
  @Nullable KernelInode get(InodeNo inode) {
    return part(inode).get(inode.value());
  }

  /** Raises the lookup count, adding the inode if it is new. Called before the reply is sent. */
  void lookedUp(InodeNo inode, NodeId node, boolean directory) {
    part(inode).lookedUp(inode, node, directory);
  }

  /** Adds an inode that the kernel holds since an earlier process has answered. */
  void inherit(KnownInodes.Row row) {
    part(row.inode()).inherit(row);
  }

  /** Notes a name that leads to an inode now, if the kernel holds it. */
  void named(InodeNo inode, NameInDirectory place) {
    part(inode).named(inode.value(), place);
  }

  /** A name that has led to an inode; null if none is known. */
  @Nullable NameInDirectory place(InodeNo inode) {
    return part(inode).place(inode.value());
  }

  /**
   * Lowers the lookup count (FORGET); at 0 the inode is removed.
   *
   * @return whether it is known no more
   */
  boolean forget(InodeNo inode, long lookups) {
    return part(inode).forget(inode.value(), lookups);
  }

  /** Tells of all inodes, one part of the table after the other; no lock is held meanwhile. */
  void forEach(BiConsumer<InodeNo, KernelInode> inode) {
    for (Part part : parts) {
      part.all().forEach(each -> inode.accept(new InodeNo(each.number), each.inode));
    }
  }

  private record Numbered(long number, KernelInode inode) {}

  /** The number of inodes that the maps have room for. */
  int capacity() {
    int capacity = 0;
    for (Part part : parts) {
      capacity += part.capacity();
    }
    return capacity;
  }

  /** The number of inodes; approximate while other threads look up and forget. */
  int size() {
    int size = 0;
    for (Part part : parts) {
      size += part.size();
    }
    return size;
  }

  private Part part(InodeNo inode) {
    return parts[(int) ((inode.value() * SPREAD) >>> (Long.SIZE - PART_BITS))];
  }

  /** A map with primitive keys: see above. */
  private static final class Part {
    /** Maps with a smaller capacity are never shrunk. */
    private static final int MIN_CAPACITY_TO_SHRINK = 1 << 10;

    private static final int EMPTY_ENOUGH_TO_SHRINK = 8;

    private final Long2ObjectHashMap<KernelInode> inodes = new Long2ObjectHashMap<>();
    private final @Nullable KnownInodes kept;

    Part(@Nullable KnownInodes kept) {
      this.kept = kept;
    }

    synchronized @Nullable KernelInode get(long inode) {
      return inodes.get(inode);
    }

    synchronized void lookedUp(InodeNo inode, NodeId node, boolean directory) {
      KernelInode known = inodes.get(inode.value());
      if (known == null) {
        int row = kept == null ? KnownInodes.NO_ROW : kept.add(inode, node, directory);
        inodes.put(inode.value(), KernelInode.lookedUp(node, row));
      } else {
        long lookups = known.lookedUp();
        if (kept != null) {
          kept.count(known.row(), lookups);
        }
      }
    }

    synchronized void inherit(KnownInodes.Row row) {
      inodes.put(row.inode().value(), KernelInode.inherited(row));
    }

    synchronized void named(long inode, NameInDirectory place) {
      KernelInode known = inodes.get(inode);
      if (known != null) {
        known.named(place.directory().value(), place.name());
      }
    }

    synchronized @Nullable NameInDirectory place(long inode) {
      KernelInode known = inodes.get(inode);
      return known == null ? null : known.place();
    }

    synchronized boolean forget(long inode, long lookups) {
      KernelInode known = inodes.get(inode);
      if (known == null) {
        return true;
      }
      long left = known.takenBack(lookups);
      if (left > 0) {
        if (kept != null) {
          kept.count(known.row(), left);
        }
        return false;
      }
      inodes.remove(inode);
      if (kept != null) {
        kept.remove(known.row());
      }
      shrink();
      return true;
    }

    synchronized List<Numbered> all() {
      List<Numbered> all = new ArrayList<>(inodes.size());
      inodes.forEachLong((number, inode) -> all.add(new Numbered(number, inode)));
      return all;
    }

    /** Shrinks the map: a kernel that drops its caches forgets millions of inodes one by one. */
    private void shrink() {
      int capacity = inodes.capacity();
      if (capacity >= MIN_CAPACITY_TO_SHRINK && inodes.size() < capacity / EMPTY_ENOUGH_TO_SHRINK) {
        inodes.compact();
      }
    }

    synchronized int capacity() {
      return inodes.capacity();
    }

    synchronized int size() {
      return inodes.size();
    }
  }
}
