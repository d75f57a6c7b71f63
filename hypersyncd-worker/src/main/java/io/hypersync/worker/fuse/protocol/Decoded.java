package io.hypersync.worker.fuse.protocol;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.abi.FuseOpcode;
import org.jspecify.annotations.Nullable;

/** What a message from the kernel turned out to be. */
public sealed interface Decoded {
  /** The number to answer to; 0 when the message was too short to have one. */
  long unique();

  /** A request to the filesystem. */
  record Request(FuseRequest request) implements Decoded {
    @Override
    public long unique() {
      return request.header().unique();
    }
  }

  /**
   * The first request of a mount.
   *
   * @param maxReadahead bytes
   * @param flags what the kernel offers: {@link io.hypersync.worker.fuse.abi.InitFlag#mask} bits
   */
  record Init(long unique, int major, int minor, int maxReadahead, long flags) implements Decoded {}

  /** The caller of the request {@code target} got a signal. */
  record Interrupt(long unique, long target) implements Decoded {}

  /** The mount is going away. */
  record Destroy(long unique) implements Decoded {}

  /**
   * Not understood.
   *
   * @param opcode what it wants to be, or null if that is unknown
   * @param answered whether the kernel waits for an answer
   * @param errno what to answer then: ENOSYS for an opcode that is unknown or not served, EIO for a
   *     message that is cut short or whose sizes lie
   * @param reason for the log
   */
  record Malformed(
      long unique, @Nullable FuseOpcode opcode, boolean answered, Errno errno, String reason)
      implements Decoded {}
}
