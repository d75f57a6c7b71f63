package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * One way to exchange messages with the kernel: a descriptor of {@code /dev/fuse}, or a test's
 * stand-in for it. A reply must go out through the channel that its request came in by.
 */
public interface KernelChannel extends AutoCloseable {
  /**
   * Waits for the next request. One thread at a time may receive.
   *
   * @return the message from position to limit, valid until the next call; null when the kernel
   *     side is gone for good
   * @throws IOException when the device fails in a way that waiting does not mend
   */
  @Nullable ByteBuffer receive() throws IOException;

  /**
   * Hands one message to the kernel. Any thread may send, several at a time.
   *
   * @param parts the message, in this many pieces, each from its position to its limit
   * @return null when the kernel took it; ENOENT when it no longer waits for it; ENODEV when the
   *     kernel side is gone; else why it refused the message
   */
  @Nullable Errno send(ByteBuffer... parts);

  /** Gives the channel up; later sends return ENODEV. Does not wake a thread that receives. */
  @Override
  void close();
}
