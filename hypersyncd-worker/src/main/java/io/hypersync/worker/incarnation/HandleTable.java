package io.hypersync.worker.incarnation;

import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.agrona.collections.IntArrayList;
import org.jspecify.annotations.Nullable;

/**
 * The open files and directories of a mount. A row, 64 bytes:
 *
 * <pre>
 *  0           8            24          32        40
 *  +-----------+------------+-----------+---------+--------- 64
 *  | handle    | node id    | request   | flags   | 0
 *  | 0: free   | 16 B       | that      |         |
 *  |           |            | opened it |         |
 *  +-----------+------------+-----------+---------+---------
 * </pre>
 *
 * <p>A handle's number has the number of its row in its lower bits, and counts up above them, so no
 * number is used twice. Its first word is written last, and with release semantics: a process that
 * is killed leaves a row either whole or free.
 *
 * <p>Thread-safe: rows are taken under a lock, and each is then of one owner.
 */
public final class HandleTable {
  /** Most handles that are kept; what is opened beyond that does not outlive the process. */
  static final int MAX_HANDLES = 1 << 18;

  static final int ROW_BYTES = 64;
  static final int AT = MountMemory.HEADER_BYTES;
  static final int BYTES = MAX_HANDLES * ROW_BYTES;

  /** The row of a number. */
  private static final int ROW_BITS = 20;

  private static final int NODE = 8;
  private static final int REQUEST = 24;
  private static final int FLAGS = 32;
  private static final VarHandle WORDS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final IntArrayList free = new IntArrayList();
  private int beyond;
  private long count;

  HandleTable(ByteBuffer memory) {
    this.memory = memory;
  }

  /**
   * An open file or directory.
   *
   * @param opener the request that opened it, without the mark of one that is sent again
   * @param flags as given to {@link #open}
   */
  public record Row(FileHandle handle, NodeId node, long opener, Flags flags) {}

  /**
   * What a handle is.
   *
   * @param directory whether it is of a directory
   * @param special for a file, whether reads bypass the page cache; for a directory, whether it
   *     uses the kernel's cached listing
   * @param unnamed whether it is of a file that was made without a name and may still get one
   */
  public record Flags(boolean directory, boolean special, boolean unnamed) {
    private long bits() {
      return (directory ? 1 : 0) | (special ? 2 : 0) | (unnamed ? 4 : 0);
    }

    private static Flags of(long bits) {
      return new Flags((bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0);
    }
  }

  /** Notes a handle that is being opened, before the reply is sent, and gives it its number. */
  public FileHandle open(NodeId node, Flags flags, RequestId opener) {
    int row;
    long number;
    synchronized (this) {
      row = take();
      count++;
      memory.putLong(MountMemory.HANDLES_OPENED, count);
      number = count << ROW_BITS | (row < 0 ? (1 << ROW_BITS) - 1 : row);
    }
    if (row < 0) {
      memory.putLong(MountMemory.HANDLES_LOST, 1);
      return new FileHandle(number);
    }
    int at = AT + row * ROW_BYTES;
    memory
        .putLong(at + NODE, node.high())
        .putLong(at + NODE + Long.BYTES, node.low())
        .putLong(at + REQUEST, opener.identity())
        .putLong(at + FLAGS, flags.bits());
    WORDS.setRelease(memory, at, number);
    return new FileHandle(number);
  }

  /** The handle is closed. */
  public void close(FileHandle handle) {
    int row = (int) (handle.value() & ((1 << ROW_BITS) - 1));
    if (row >= MAX_HANDLES || memory.getLong(AT + row * ROW_BYTES) != handle.value()) {
      return;
    }
    WORDS.setRelease(memory, AT + row * ROW_BYTES, 0L);
    synchronized (this) {
      free.addInt(row);
    }
  }

  /**
   * The handles that an earlier process has left open. To be called before the first {@link #open}:
   * numbers go on behind theirs.
   */
  public synchronized List<Row> inherit() {
    List<Row> rows = new ArrayList<>();
    free.clear();
    beyond = (int) Math.min(memory.getLong(MountMemory.HANDLE_ROWS), MAX_HANDLES);
    for (int row = 0; row < beyond; row++) {
      @Nullable Row found = row(row);
      if (found == null) {
        free.addInt(row);
      } else {
        rows.add(found);
      }
    }
    // Handles that are closed by now may have had higher numbers than those that are open.
    count = memory.getLong(MountMemory.HANDLES_OPENED);
    return rows;
  }

  private @Nullable Row row(int row) {
    int at = AT + row * ROW_BYTES;
    long number = memory.getLong(at);
    return number == 0
        ? null
        : new Row(
            new FileHandle(number),
            new NodeId(memory.getLong(at + NODE), memory.getLong(at + NODE + Long.BYTES)),
            memory.getLong(at + REQUEST),
            Flags.of(memory.getLong(at + FLAGS)));
  }

  /** A free row; -1 if there is none. Under the lock. */
  private int take() {
    if (!free.isEmpty()) {
      return free.removeAt(free.size() - 1);
    }
    if (beyond == MAX_HANDLES) {
      return -1;
    }
    beyond++;
    memory.putLong(MountMemory.HANDLE_ROWS, beyond);
    return beyond - 1;
  }
}
