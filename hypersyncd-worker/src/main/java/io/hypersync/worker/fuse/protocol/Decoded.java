package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import org.jspecify.annotations.Nullable;

/** The decoder's result for one message of the kernel. */
public sealed interface Decoded {
  /**
   * The number that a reply must carry; {@link RequestId#NONE} if the message was too short to have
   * one.
   */
  RequestId unique();

  /** A request to the filesystem. */
  record Request(FuseRequest request) implements Decoded {
    @Override
    public RequestId unique() {
      return request.header().unique();
    }
  }

  /**
   * INIT, the first request of a mount.
   *
   * @param maxReadahead the kernel's readahead limit, in bytes
   * @param flags what the kernel offers: {@link io.hypersync.worker.fuse.abi.InitFlag#mask} bits
   */
  record Init(RequestId unique, int major, int minor, int maxReadahead, long flags)
      implements Decoded {}

  /** INTERRUPT: the caller of the request {@code target} has received a signal. */
  record Interrupt(RequestId unique, RequestId target) implements Decoded {}

  /** DESTROY: the mount is going away. */
  record Destroy(RequestId unique) implements Decoded {}

  /**
   * A message that cannot be decoded, or asks for something that is not served.
   *
   * @param opcode its opcode, or null if that is unknown
   * @param answered whether the kernel waits for a reply
   * @param errno the error to reply in that case: ENOSYS for an opcode that is unknown or not
   *     served, EIO for a message that is cut short or has wrong sizes
   * @param reason for the log
   */
  record Malformed(
      RequestId unique, @Nullable FuseOpcode opcode, boolean answered, Errno errno, String reason)
      implements Decoded {}
}
