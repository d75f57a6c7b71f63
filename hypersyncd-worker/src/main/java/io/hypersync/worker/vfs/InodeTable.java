package io.hypersync.worker.vfs;

import io.hypersync.model.id.NodeId;
import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The inodes that the kernel knows, by their numbers. Thread-safe: every number belongs to one of
 * many parts, each under a lock of its own that nobody holds for longer than it takes to look, or
 * to move a part that has become too small or too large: some 16,000 of a million.
 *
 * <p>There are as many as the kernel has room for, often as many as there are files. With numbers
 * in place, instead of an object for each number and each entry of a map, one costs some 20 bytes
 * less.
 */
final class InodeTable {
  private static final int PART_BITS = 6;

  /** Consecutive numbers are in different parts, and so spread within a part as they come. */
  private static final long SPREAD = 0x9E3779B97F4A7C15L;

  private final Part[] parts = new Part[1 << PART_BITS];

  InodeTable() {
    for (int i = 0; i < parts.length; i++) {
      parts[i] = new Part();
    }
  }

  /** The inode, or null if the kernel does not know it. */
  @Nullable KernelInode get(long inode) {
    return part(inode).get(inode);
  }

  /** The kernel is about to be told of it, once more or for the first time. */
  void lookedUp(long inode, NodeId node) {
    part(inode).lookedUp(inode, node);
  }

  /** The kernel takes so many lookups back; the last one takes the inode out. */
  void forget(long inode, long lookups) {
    part(inode).forget(inode, lookups);
  }

  /** How many there is room for. */
  int capacity() {
    int capacity = 0;
    for (Part part : parts) {
      capacity += part.capacity();
    }
    return capacity;
  }

  /** How many there are; while others look up and forget, of about now. */
  int size() {
    int size = 0;
    for (Part part : parts) {
      size += part.size();
    }
    return size;
  }

  private Part part(long inode) {
    return parts[(int) ((inode * SPREAD) >>> (Long.SIZE - PART_BITS))];
  }

  private static final class Part {
    /** Smaller ones are left as they are. */
    private static final int MIN_CAPACITY_TO_SHRINK = 1 << 10;

    private static final int EMPTY_ENOUGH_TO_SHRINK = 8;

    private final Long2ObjectHashMap<KernelInode> inodes = new Long2ObjectHashMap<>();

    synchronized @Nullable KernelInode get(long inode) {
      return inodes.get(inode);
    }

    synchronized void lookedUp(long inode, NodeId node) {
      KernelInode known = inodes.get(inode);
      if (known == null) {
        known = new KernelInode(node);
        inodes.put(inode, known);
      }
      known.lookedUp();
    }

    synchronized void forget(long inode, long lookups) {
      KernelInode known = inodes.get(inode);
      if (known != null && !known.survives(lookups)) {
        inodes.remove(inode);
        shrink();
      }
    }

    /** When the kernel drops its caches it forgets millions, one by one. */
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
