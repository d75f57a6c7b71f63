package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.dev.KernelChannel;
import io.hypersync.worker.fuse.protocol.FuseNotification;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Makes the kernel forget what it has cached. Thread-safe.
 *
 * <p>Two of the methods wait inside the kernel until requests that hold the same directory or page
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
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public void invalidateInode(long nodeId, long offset, long length) throws IOException {
    if (offset < 0 || length < 0) {
      throw new IllegalArgumentException("offset " + offset + ", length " + length);
    }
    send(FuseNotification.invalidateInode(nodeId, offset, length));
  }

  /**
   * Drops the node's attributes alone. Returns at once, whatever is in flight.
   *
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public void attributesOnly(long nodeId) throws IOException {
    send(FuseNotification.invalidateAttributes(nodeId));
  }

  /**
   * Drops a name of a directory, or the memory of its absence. <b>Blocks</b> while a request that
   * changes the directory, or looks this name up, is unanswered.
   *
   * @param name without NUL
   * @throws IOException when the kernel refuses: what it has cached is then unknown
   */
  public void invalidateEntry(long parent, byte[] name) throws IOException {
    send(FuseNotification.invalidateEntry(parent, name));
  }

  private void send(ByteBuffer message) throws IOException {
    Errno refusal = channel.send(message);
    if (refusal == null) {
      counters.notification();
    } else if (refusal != Errno.ENOENT && refusal != Errno.ENODEV) {
      throw new IOException("the kernel refused a notification: " + refusal.message());
    }
  }
}
