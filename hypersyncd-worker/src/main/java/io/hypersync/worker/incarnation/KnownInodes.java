package io.hypersync.worker.incarnation;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.Consumer;
import org.agrona.collections.IntArrayList;

/**
 * The inodes that the kernel holds, with their lookup counts. A row, 32 bytes:
 *
 * <pre>
 *  0           8            24                      32
 *  +-----------+------------+-----------------------+
 *  | inode     | node id    | lookup count * 2,     |
 *  | 0: free   | 16 B       | + 1 for a directory   |
 *  +-----------+------------+-----------------------+
 * </pre>
 *
 * <p>A count is raised before the answer that the kernel counts, and lowered when its FORGET was
 * read. So a process that is killed leaves counts that are right or too high, never too low
 * (decision 066).
 *
 * <p>A row's first word is written last, and cleared first, with release semantics: a process that
 * is killed leaves it either whole or free.
 *
 * <p>Thread-safe: rows are taken under a lock, and each is then of one owner.
 */
public final class KnownInodes {
  /** Most inodes that are kept; with more the mount ends with its process. */
  static final int MAX_INODES = 1 << 25;

  /** The row of what is not kept. */
  public static final int NO_ROW = -1;

  static final int ROW_BYTES = 32;
  static final int AT = LockRecords.AT + LockRecords.BYTES;
  static final int BYTES = MAX_INODES * ROW_BYTES;

  private static final int NODE = 8;
  private static final int COUNT = 24;
  private static final long DIRECTORY = 1;
  private static final VarHandle WORDS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final IntArrayList free = new IntArrayList();
  private int beyond;

  KnownInodes(ByteBuffer memory) {
    this.memory = memory;
  }

  /**
   * An inode that the kernel holds.
   *
   * @param row for {@link #count} and {@link #remove}
   * @param lookups as many as the kernel has counted, or more
   */
  public record Row(int row, InodeNo inode, NodeId node, long lookups, boolean directory) {}

  /**
   * The kernel will hold this inode, with one lookup; to be called before the reply that makes it
   * so, and only for one that has no row.
   *
   * @return its row
   */
  public int add(InodeNo inode, NodeId node, boolean directory) {
    int row = take();
    if (row == NO_ROW) {
      memory.putLong(MountMemory.INODES_LOST, 1);
      return NO_ROW;
    }
    int at = at(row);
    memory
        .putLong(at + NODE, node.high())
        .putLong(at + NODE + Long.BYTES, node.low())
        .putLong(at + COUNT, 1L << 1 | (directory ? DIRECTORY : 0));
    WORDS.setRelease(memory, at, inode.value());
    return row;
  }

  /**
   * The inode of this row has so many lookups now; to be called before the reply that raises them.
   *
   * @param lookups more than 0
   */
  public void count(int row, long lookups) {
    if (row != NO_ROW) {
      int at = at(row) + COUNT;
      WORDS.setRelease(memory, at, lookups << 1 | (memory.getLong(at) & DIRECTORY));
    }
  }

  /** The kernel has forgotten the inode of this row. */
  public void remove(int row) {
    if (row == NO_ROW) {
      return;
    }
    WORDS.setRelease(memory, at(row), 0L);
    synchronized (this) {
      free.addInt(row);
    }
  }

  /** Whether the inode of this row is a directory. */
  public boolean isDirectory(int row) {
    return row != NO_ROW && (memory.getLong(at(row) + COUNT) & DIRECTORY) != 0;
  }

  /**
   * Tells of the inodes that an earlier process has left with the kernel. To be called before the
   * first {@link #add}.
   */
  public synchronized void inherit(Consumer<Row> receiver) {
    free.clear();
    beyond = Math.clamp(memory.getLong(MountMemory.INODE_ROWS), 0, MAX_INODES);
    for (int row = 0; row < beyond; row++) {
      int at = at(row);
      long inode = memory.getLong(at);
      if (inode == 0) {
        free.addInt(row);
      } else {
        long count = memory.getLong(at + COUNT);
        receiver.accept(
            new Row(
                row,
                new InodeNo(inode),
                new NodeId(memory.getLong(at + NODE), memory.getLong(at + NODE + Long.BYTES)),
                count >>> 1,
                (count & DIRECTORY) != 0));
      }
    }
  }

  /** A free row; {@link #NO_ROW} if there is none. */
  synchronized int take() {
    if (!free.isEmpty()) {
      return free.removeAt(free.size() - 1);
    }
    if (beyond == MAX_INODES) {
      return NO_ROW;
    }
    beyond++;
    memory.putLong(MountMemory.INODE_ROWS, beyond);
    return beyond - 1;
  }

  private static int at(int row) {
    return AT + row * ROW_BYTES;
  }
}
