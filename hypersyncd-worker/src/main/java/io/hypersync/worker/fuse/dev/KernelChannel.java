package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A channel for messages to and from the kernel: a descriptor of {@code /dev/fuse}, or a fake in
 * tests. A reply must be sent on the channel that its request arrived on.
 */
public interface KernelChannel extends AutoCloseable {
  /**
   * Blocks for the next request. One thread at a time may receive.
   *
   * @return the message from position to limit, valid until the next call; null once the mount is
   *     gone for good
   * @throws IOException if the device fails permanently
   */
  @Nullable ByteBuffer receive() throws IOException;

  /**
   * Sends one message to the kernel. Any number of threads may send concurrently.
   *
   * @param parts the message, in this many pieces, each from its position to its limit
   * @return null if the kernel accepted it; ENOENT if it no longer waits for it; ENODEV if the
   *     mount is gone; else why it refused the message
   */
  @Nullable Errno send(ByteBuffer... parts);

  /** Closes the channel; later sends return ENODEV. Does not wake a thread that receives. */
  @Override
  void close();
}
