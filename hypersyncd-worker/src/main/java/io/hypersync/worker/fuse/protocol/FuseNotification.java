package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.id.InodeNo;
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
  public static ByteBuffer invalidateInode(InodeNo nodeId, long offset, long length) {
    int size = InvalInodeOut.SIZE;
    ByteBuffer out = message(NotifyCode.INVAL_INODE, size);
    int base = out.limit() - size;
    return out.putLong(base + InvalInodeOut.INO, nodeId.value())
        .putLong(base + InvalInodeOut.OFF, offset)
        .putLong(base + InvalInodeOut.LEN, length);
  }

  /** Drops the attributes of a node and no pages. */
  public static ByteBuffer invalidateAttributes(InodeNo nodeId) {
    return invalidateInode(nodeId, ATTRIBUTES_ONLY, 0);
  }

  /**
   * Drops a name of a directory, present or cached as absent.
   *
   * @param name without NUL
   */
  public static ByteBuffer invalidateEntry(InodeNo parent, byte[] name) {
    return entry(parent, name, 0);
  }

  /**
   * Makes the kernel look up a name of a directory before it uses that name again.
   *
   * @param name without NUL
   */
  public static ByteBuffer expireEntry(InodeNo parent, byte[] name) {
    return entry(parent, name, FuseFlags.InvalidateEntry.EXPIRE_ONLY);
  }

  private static ByteBuffer entry(InodeNo parent, byte[] name, int flags) {
    int size = InvalEntryOut.SIZE + name.length + 1;
    ByteBuffer out = message(NotifyCode.INVAL_ENTRY, size);
    int base = out.limit() - size;
    return out.putLong(base + InvalEntryOut.PARENT, parent.value())
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
  public static ByteBuffer store(InodeNo nodeId, long offset, byte value) {
    int size = StoreOut.SIZE + 1;
    ByteBuffer out = message(NotifyCode.STORE, size);
    int base = out.limit() - size;
    return out.putLong(base + StoreOut.NODEID, nodeId.value())
        .putLong(base + StoreOut.OFFSET, offset)
        .putInt(base + StoreOut.LENGTH, 1)
        .put(base + StoreOut.DATA, value);
  }

  /** Makes the kernel drop those of these nodes that are not in use. */
  public static ByteBuffer prune(List<InodeNo> nodeIds) {
    int size = PruneOut.SIZE + nodeIds.size() * Long.BYTES;
    ByteBuffer out = message(NotifyCode.PRUNE, size);
    int base = out.limit() - size;
    out.putInt(base + PruneOut.COUNT, nodeIds.size());
    int at = base + PruneOut.NODES;
    for (InodeNo nodeId : nodeIds) {
      out.putLong(at, nodeId.value());
      at += Long.BYTES;
    }
    return out;
  }

  /** Makes the kernel send again each request that was read and is not answered. */
  public static ByteBuffer sendAgain() {
    return message(NotifyCode.RESEND, 0);
  }

  /** Makes the kernel drop each name of the mount when it next meets it, and look it up again. */
  public static ByteBuffer beginEpoch() {
    return message(NotifyCode.INC_EPOCH, 0);
  }

  private static ByteBuffer message(NotifyCode code, int bodyBytes) {
    ByteBuffer header = FuseReplyEncoder.header(RequestId.NONE, bodyBytes, code.code());
    return ByteBuffer.allocate(header.limit() + bodyBytes)
        .order(ByteOrder.nativeOrder())
        .put(0, header, 0, header.limit());
  }
}
