package io.hypersync.worker.fuse.protocol;

import io.hypersync.worker.fuse.abi.FuseFlags;
import io.hypersync.worker.fuse.abi.NotifyCode;
import io.hypersync.worker.fuse.abi.NotifyLayouts.InvalEntryOut;
import io.hypersync.worker.fuse.abi.NotifyLayouts.InvalInodeOut;
import io.hypersync.worker.fuse.abi.NotifyLayouts.PruneOut;
import io.hypersync.worker.fuse.abi.NotifyLayouts.StoreOut;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/** Encodes the notifications, which the daemon sends without a request; header included. */
public final class FuseNotification {
  private static final long ATTRIBUTES_ONLY = -1;

  private FuseNotification() {}

  /**
   * Drops the attributes of a node and the pages of a range.
   *
   * @param offset first byte, at least 0
   * @param length bytes; 0 means to the end
   */
  public static ByteBuffer invalidateInode(long nodeId, long offset, long length) {
    int size = InvalInodeOut.SIZE;
    ByteBuffer out = message(NotifyCode.INVAL_INODE, size);
    int base = out.limit() - size;
    return out.putLong(base + InvalInodeOut.INO, nodeId)
        .putLong(base + InvalInodeOut.OFF, offset)
        .putLong(base + InvalInodeOut.LEN, length);
  }

  /** Drops the attributes of a node and no pages. */
  public static ByteBuffer invalidateAttributes(long nodeId) {
    return invalidateInode(nodeId, ATTRIBUTES_ONLY, 0);
  }

  /**
   * Drops a name of a directory, present or cached as absent.
   *
   * @param name without NUL
   */
  public static ByteBuffer invalidateEntry(long parent, byte[] name) {
    return entry(parent, name, 0);
  }

  /**
   * Makes the kernel look up a name of a directory before it uses that name again.
   *
   * @param name without NUL
   */
  public static ByteBuffer expireEntry(long parent, byte[] name) {
    return entry(parent, name, FuseFlags.InvalidateEntry.EXPIRE_ONLY);
  }

  private static ByteBuffer entry(long parent, byte[] name, int flags) {
    int size = InvalEntryOut.SIZE + name.length + 1;
    ByteBuffer out = message(NotifyCode.INVAL_ENTRY, size);
    int base = out.limit() - size;
    return out.putLong(base + InvalEntryOut.PARENT, parent)
        .putInt(base + InvalEntryOut.NAMELEN, name.length)
        .putInt(base + InvalEntryOut.FLAGS, flags)
        .put(base + InvalEntryOut.NAME, name);
  }

  /**
   * Stores one byte in the cached page of a regular file; the file becomes at least long enough to
   * contain it.
   *
   * @param offset of the byte, at least 0
   */
  public static ByteBuffer store(long nodeId, long offset, byte value) {
    int size = StoreOut.SIZE + 1;
    ByteBuffer out = message(NotifyCode.STORE, size);
    int base = out.limit() - size;
    return out.putLong(base + StoreOut.NODEID, nodeId)
        .putLong(base + StoreOut.OFFSET, offset)
        .putInt(base + StoreOut.LENGTH, 1)
        .put(base + StoreOut.DATA, value);
  }

  /** Makes the kernel drop those of these nodes that are not in use. */
  public static ByteBuffer prune(List<Long> nodeIds) {
    int size = PruneOut.SIZE + nodeIds.size() * Long.BYTES;
    ByteBuffer out = message(NotifyCode.PRUNE, size);
    int base = out.limit() - size;
    out.putInt(base + PruneOut.COUNT, nodeIds.size());
    int at = base + PruneOut.NODES;
    for (long nodeId : nodeIds) {
      out.putLong(at, nodeId);
      at += Long.BYTES;
    }
    return out;
  }

  private static ByteBuffer message(NotifyCode code, int bodyBytes) {
    ByteBuffer header = FuseReplyEncoder.header(0, bodyBytes, code.code());
    return ByteBuffer.allocate(header.limit() + bodyBytes)
        .order(ByteOrder.nativeOrder())
        .put(0, header, 0, header.limit());
  }
}
