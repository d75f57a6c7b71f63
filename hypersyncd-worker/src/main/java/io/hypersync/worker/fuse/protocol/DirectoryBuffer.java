package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.DirLayouts.Dirent;
import io.hypersync.worker.fuse.abi.DirLayouts.DirentPlus;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The reply to READDIR or READDIRPLUS, built row by row until the kernel's buffer is full. There is
 * a subclass for each of the two row formats, which cannot be mixed. Not thread-safe.
 */
public abstract sealed class DirectoryBuffer {
  private static final int FIRST_BYTES = 4096;

  private final int limit;
  private ByteBuffer rows;

  private DirectoryBuffer(int limit) {
    if (limit < 0) {
      throw new IllegalArgumentException("limit " + limit);
    }
    this.limit = limit;
    this.rows = allocate(Math.min(limit, FIRST_BYTES));
  }

  /** The rows so far; shares its bytes with this buffer. */
  public ByteBuffer bytes() {
    return rows.duplicate().order(ByteOrder.nativeOrder()).flip();
  }

  /** Whether no row was added; as a reply, an empty buffer means the end of the directory. */
  public boolean isEmpty() {
    return rows.position() == 0;
  }

  final boolean hasRoom(int length) {
    return (long) rows.position() + length <= limit;
  }

  /**
   * Moves the position past a new, zeroed row of {@code length} bytes; false if there is no room.
   */
  private boolean reserve(int length) {
    if (!hasRoom(length)) {
      return false;
    }
    long end = (long) rows.position() + length;
    if (end > rows.capacity()) {
      int capacity = (int) Math.min(limit, Math.max(end, 2L * rows.capacity()));
      rows = allocate(capacity).put(rows.flip());
    }
    rows.position((int) end);
    return true;
  }

  final boolean add(int prefix, InodeNo ino, long cookie, int type, byte[] name) {
    int length = align(prefix + Dirent.SIZE + name.length);
    if (!reserve(length)) {
      return false;
    }
    int base = rows.position() - length + prefix;
    rows.putLong(base + Dirent.INO, ino.value())
        .putLong(base + Dirent.OFF, cookie)
        .putInt(base + Dirent.NAMELEN, name.length)
        .putInt(base + Dirent.TYPE, type)
        .put(base + Dirent.NAME, name);
    return true;
  }

  final void putEntryBefore(FuseEntry entry, byte[] name) {
    int start = rows.position() - align(DirentPlus.SIZE + name.length);
    FuseReplyEncoder.putEntry(rows, start + DirentPlus.ENTRY_OUT, entry);
  }

  static int align(int size) {
    return (size + Long.BYTES - 1) & -Long.BYTES;
  }

  private static ByteBuffer allocate(int capacity) {
    return ByteBuffer.allocate(capacity).order(ByteOrder.nativeOrder());
  }

  /** Rows of READDIR: {@code fuse_dirent}. */
  public static final class Plain extends DirectoryBuffer {
    /**
     * An empty listing.
     *
     * @param limit most bytes, the {@code size} of the request
     */
    public Plain(int limit) {
      super(limit);
    }

    /**
     * Adds a row if it fits.
     *
     * @param ino shown as {@code d_ino}
     * @param cookie not 0; a listing requested from this offset continues after this row
     * @param type {@code d_type}: the type bits of the mode, shifted right by 12
     * @param name without NUL
     * @return whether it fitted; if not, the reply is complete as it is
     */
    public boolean add(InodeNo ino, long cookie, int type, byte[] name) {
      return add(0, ino, cookie, type, name);
    }
  }

  /** Rows of READDIRPLUS: {@code fuse_direntplus}. */
  public static final class Plus extends DirectoryBuffer {
    /**
     * An empty listing.
     *
     * @param limit most bytes, the {@code size} of the request
     */
    public Plus(int limit) {
      super(limit);
    }

    /**
     * Adds a row with its entry if it fits. The kernel counts it as a lookup of the node.
     *
     * @param cookie as {@link Plain#add}
     * @param name without NUL; not "." or "..", which the kernel does not count
     * @return whether it fitted; if not, no lookup is counted and the reply is complete as it is
     */
    public boolean add(FuseEntry entry, long cookie, byte[] name) {
      if (!add(DirentPlus.DIRENT, entry.attr().ino(), cookie, entry.attr().direntType(), name)) {
        return false;
      }
      putEntryBefore(entry, name);
      return true;
    }

    /** Whether a row with this name fits. */
    public boolean fits(byte[] name) {
      return hasRoom(align(DirentPlus.DIRENT + Dirent.SIZE + name.length));
    }

    /**
     * Adds a row without an entry, such as "." and "..", which does not count as a lookup.
     *
     * @param ino shown as {@code d_ino}
     * @param cookie as {@link Plain#add}
     * @param type as {@link Plain#add}
     * @return whether it fitted
     */
    public boolean addNameOnly(InodeNo ino, long cookie, int type, byte[] name) {
      return add(DirentPlus.DIRENT, ino, cookie, type, name);
    }
  }
}
