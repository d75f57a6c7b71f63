package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.FuseNotification;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

/**
 * Makes the kernel forget what it has cached. Thread-safe.
 *
 * <p>Some of the methods wait inside the kernel until requests that hold the same directory or page
 * are answered. Whoever calls them must not be needed for those answers: give notifications a
 * thread of their own. What the kernel does not have cached is not an error; after the session's
 * end nothing happens.
 */
public final class FuseNotifier {
  private final KernelChannel channel;
  private final FuseCounters counters;

  FuseNotifier(KernelChannel channel, FuseCounters counters) {
    this.channel = channel;
    this.counters = counters;
  }

  /**
   * Drops the node's attributes and cached pages. <b>Blocks</b> while a READ of one of these pages
   * is unanswered.
   *
   * @param offset first byte, at least 0
   * @param length bytes; 0 for all from {@code offset} on
   * @return false if the kernel has nothing of the kind cached
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public boolean invalidateInode(long nodeId, long offset, long length) throws IOException {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException("offset " + offset + ", length " + length);
    }
    return send(FuseNotification.invalidateInode(nodeId, offset, length));
  }

  /**
   * Drops the node's attributes alone. Returns at once, whatever is in flight.
   *
   * @return false if the kernel has nothing of the kind cached
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public boolean attributesOnly(long nodeId) throws IOException {
    return send(FuseNotification.invalidateAttributes(nodeId));
  }

  /**
   * Drops a name of a directory, or the memory of its absence. <b>Blocks</b> while a request that
   * changes the directory, or looks this name up, is unanswered.
   *
   * @param name without NUL
   * @return false if the kernel has nothing of the kind cached
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public boolean invalidateEntry(long parent, byte[] name) throws IOException {
    return send(FuseNotification.invalidateEntry(parent, name));
  }

  /**
   * Has a name of a directory looked up again before it is used the next time, and leaves it where
   * it is until then. <b>Blocks</b> as {@link #invalidateEntry}.
   *
   * @param name without NUL
   * @return false if the kernel has nothing of the kind cached
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public boolean expireEntry(long parent, byte[] name) throws IOException {
    return send(FuseNotification.expireEntry(parent, name));
  }

  /**
   * Has the kernel take a regular file for at least as long as the offset and one byte more, and
   * keep that byte. <b>Blocks</b> while a READ of its page is unanswered.
   *
   * @param offset of the byte, at least 0
   * @param value what the file has there
   * @return false if the kernel does not know the node
   * @throws IOException when the kernel refuses
   */
  public boolean store(long nodeId, long offset, byte value) throws IOException {
    return send(FuseNotification.store(nodeId, offset, value));
  }

  /**
   * Has the kernel let go of those of these nodes that nobody uses, instead of keeping them for the
   * next use; their FORGETs follow. Only where the connection speaks at least 7.45.
   *
   * @throws IOException when the kernel refuses
   */
  public void prune(List<Long> nodeIds) throws IOException {
    var _ = send(FuseNotification.prune(nodeIds));
  }

  private boolean send(ByteBuffer message) throws IOException {
    Errno refusal = channel.send(message);
    if (refusal == null) {
      counters.notification();
      return true;
    }
    return switch (refusal) {
      case ENOENT -> false;
      case ENODEV -> true; // the mount is gone, and all its caches
      default -> throw new IOException("the kernel refused a notification: " + refusal.message());
    };
  }
}
