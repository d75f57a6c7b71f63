package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.FuseNotification;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Sends invalidations and other notifications to the kernel. Thread-safe.
 *
 * <p>Some methods block inside the kernel until requests that hold the same directory or page are
 * answered. So their caller must not be needed for those replies: send notifications from threads
 * of their own. It is not an error if the kernel has nothing cached; after the session has ended,
 * or the mount is left to another process, nothing happens.
 */
public final class FuseNotifier {
  private final KernelChannel channel;
  private final FuseCounters counters;
  private final KernelCalls calls = new KernelCalls();

  FuseNotifier(KernelChannel channel, FuseCounters counters) {
    this.channel = channel;
    this.counters = counters;
  }

  /** Who is inside the kernel for this mount; with those whom the methods that block let wait. */
  public KernelCalls calls() {
    return calls;
  }

  /**
   * Drops the node's attributes and cached pages. <b>Blocks</b> while a READ of one of these pages
   * is unanswered.
   *
   * @param offset first byte, at least 0
   * @param length bytes; 0 for all from {@code offset} on
   * @return false if the kernel does not know the inode
   * @throws IOException if the kernel refuses: the content of its caches is then unknown
   */
  public boolean invalidateInode(InodeNo nodeId, long offset, long length) throws IOException {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException("offset " + offset + ", length " + length);
    }
    return sendAndWait(FuseNotification.invalidateInode(nodeId, offset, length));
  }

  /**
   * Drops only the node's attributes. Never blocks.
   *
   * @return false if the kernel does not know the inode
   * @throws IOException if the kernel refuses: the content of its caches is then unknown
   */
  public boolean attributesOnly(InodeNo nodeId) throws IOException {
    return send(FuseNotification.invalidateAttributes(nodeId));
  }

  /**
   * Drops a name of a directory, or its cached absence. <b>Blocks</b> while a request that changes
   * the directory, or looks this name up, is unanswered.
   *
   * @param name without NUL
   * @return false if the kernel has no such name cached
   * @throws IOException if the kernel refuses: the content of its caches is then unknown
   */
  public boolean invalidateEntry(InodeNo parent, byte[] name) throws IOException {
    return sendAndWait(FuseNotification.invalidateEntry(parent, name));
  }

  /**
   * Makes the kernel look up a name of a directory before it uses that name again; until then it
   * stays in place. <b>Blocks</b> like {@link #invalidateEntry}.
   *
   * @param name without NUL
   * @return false if the kernel has no such name cached
   * @throws IOException if the kernel refuses: the content of its caches is then unknown
   */
  public boolean expireEntry(InodeNo parent, byte[] name) throws IOException {
    return sendAndWait(FuseNotification.expireEntry(parent, name));
  }

  /**
   * Stores one byte of a regular file in the kernel's page cache; the kernel then takes the file to
   * be at least {@code offset + 1} bytes long. <b>Blocks</b> while a READ of its page is
   * unanswered.
   *
   * @param offset of the byte, at least 0
   * @param value the file's byte there
   * @return false if the kernel does not know the node
   * @throws IOException if the kernel refuses
   */
  public boolean store(InodeNo nodeId, long offset, byte value) throws IOException {
    return sendAndWait(FuseNotification.store(nodeId, offset, value));
  }

  /**
   * Makes the kernel drop those of these nodes that are not in use, instead of keeping them for the
   * next use; their FORGETs follow. Needs at least protocol 7.45.
   *
   * @throws IOException if the kernel refuses
   */
  public void prune(List<InodeNo> nodeIds) throws IOException {
    var _ = sendAndWait(FuseNotification.prune(nodeIds));
  }

  /**
   * Makes the kernel drop each name of the mount when it next meets it, and look it up again. Never
   * blocks. Needs at least protocol 7.44.
   *
   * @throws IOException if the kernel refuses: the content of its caches is then unknown
   */
  public void beginEpoch() throws IOException {
    var _ = send(FuseNotification.beginEpoch());
  }

  /**
   * Makes the kernel send again each request that was read and is not answered, marked so ({@link
   * io.hypersync.worker.fuse.protocol.RequestId#isSentAgain}). To be called before this process
   * reads the first one: what it had read itself would come twice. Never blocks.
   *
   * @throws IOException if the kernel refuses: it is older than Linux 6.9
   */
  public void sendAgain() throws IOException {
    var _ = send(FuseNotification.sendAgain());
  }

  /** Sends what may block; does nothing once the mount is left: its caches are the next one's. */
  private boolean sendAndWait(ByteBuffer message) throws IOException {
    if (!calls.enter()) {
      return true;
    }
    try {
      return send(message);
    } finally {
      calls.exit();
    }
  }

  private boolean send(ByteBuffer message) throws IOException {
    Errno refusal = channel.send(message);
    if (refusal == null) {
      counters.notification();
      return true;
    }
    return switch (refusal) {
      case ENOENT -> false;
      case ENODEV -> true; // the mount is gone, and its caches with it
      default -> throw new IOException("the kernel refused a notification: " + refusal.message());
    };
  }
}
