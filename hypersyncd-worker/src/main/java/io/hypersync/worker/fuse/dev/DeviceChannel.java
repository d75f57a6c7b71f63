package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A channel over a descriptor of {@code /dev/fuse}.
 *
 * <p>The kernel takes a message in one system call. The parts of a message are Java arrays, which
 * must be copied to native memory anyway; they are copied one behind the other and sent by one
 * write(2), so there is nothing left for writev(2) to gather.
 */
final class DeviceChannel implements KernelChannel {
  private static final int ECONNABORTED = 103;

  private final FuseDevice device;
  private final NativeBuffer incoming;
  private final NativeBufferPool outgoing;

  /**
   * A channel with a receive buffer of its own.
   *
   * @param maxMessageBytes the largest request; the kernel refuses reads with a smaller buffer
   */
  DeviceChannel(FuseDevice device, int maxMessageBytes, NativeBufferPool outgoing) {
    this.device = device;
    this.incoming = new NativeBuffer(maxMessageBytes);
    this.outgoing = outgoing;
  }

  @Override
  public @Nullable ByteBuffer receive() throws IOException {
    while (true) {
      int result = device.read(incoming);
      if (result >= 0) {
        return incoming.first(result);
      }
      if (result == -ECONNABORTED) {
        return null;
      }
      Errno errno = Errno.of(-result);
      switch (errno) {
        // ENOENT: the request was withdrawn while it was being read.
        case ENOENT, EINTR, EAGAIN -> {}
        case ENODEV -> {
          return null;
        }
        default -> throw new IOException("reading " + FuseDevice.PATH + ": " + errno.message());
      }
    }
  }

  @Override
  public @Nullable Errno send(ByteBuffer... parts) {
    long bytes = 0;
    for (ByteBuffer part : parts) {
      bytes += part.remaining();
    }
    NativeBuffer buffer = outgoing.take(bytes);
    try {
      buffer.fill(parts);
      int result;
      do {
        result = device.write(buffer);
      } while (result == -Errno.EINTR.code() || result == -Errno.EAGAIN.code());
      if (result == -ECONNABORTED) {
        return Errno.ENODEV;
      }
      return result >= 0 ? null : Errno.of(-result);
    } finally {
      outgoing.give(buffer);
    }
  }

  @Override
  public void close() {
    device.close();
  }
}
