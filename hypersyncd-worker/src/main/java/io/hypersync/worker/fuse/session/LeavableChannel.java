package io.hypersync.worker.fuse.session;

import io.hypersync.model.errno.Errno;
import io.hypersync.worker.fuse.dev.KernelChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A channel that this process may leave to another one: from then on it answers nothing, and hands
 * no request to anybody.
 *
 * <p>A thread that reads the device cannot be woken, so it may still receive a request. It keeps
 * that to itself, as if it had been killed with it: the next process has it sent again. An answer
 * that is on its way to the kernel when this begins was decided before, and holds.
 */
final class LeavableChannel implements KernelChannel {
  private final KernelChannel channel;
  private final AtomicBoolean left;

  /**
   * Wraps a channel.
   *
   * @param left whether this process has left it; the same for all channels of a mount
   */
  LeavableChannel(KernelChannel channel, AtomicBoolean left) {
    this.channel = channel;
    this.left = left;
  }

  @Override
  public @Nullable ByteBuffer receive() throws IOException {
    ByteBuffer message = channel.receive();
    while (message != null && left.get()) {
      LockSupport.park(this); // until the process ends
    }
    return message;
  }

  /** What is not sent counts as sent: nobody is to do anything about it. */
  @Override
  public @Nullable Errno send(ByteBuffer... parts) {
    return left.get() ? null : channel.send(parts);
  }

  @Override
  public void close() {
    channel.close();
  }
}
