package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A descriptor of {@code /dev/fuse}. A close takes effect only when the last system call on it has
 * returned, so that no thread uses the number of a descriptor that was opened later. Thread-safe.
 */
final class FuseDevice implements AutoCloseable {
  static final String PATH = "/dev/fuse";

  private final int fd;

  /** 1 while open, plus 1 for each call under way; the descriptor is closed at 0. */
  private final AtomicInteger holders = new AtomicInteger(1);

  private final AtomicBoolean closed = new AtomicBoolean();

  private FuseDevice(int fd) {
    this.fd = fd;
  }

  /**
   * Opens the device.
   *
   * @throws MountException if it does not exist, or this process may not open it
   */
  static FuseDevice open() throws MountException {
    int fd = Syscalls.open(PATH, Syscalls.O_RDWR | Syscalls.O_CLOEXEC);
    if (fd < 0) {
      throw MountProblems.device(Errno.of(-fd));
    }
    return new FuseDevice(fd);
  }

  /** A descriptor that was received from another process. */
  static FuseDevice of(int fd) {
    return new FuseDevice(fd);
  }

  /**
   * A second descriptor for the same mount. It reads from the same queue; a request that was read
   * from it must be answered through it.
   *
   * @throws IOException if the kernel refuses
   */
  FuseDevice cloneForReader() throws IOException {
    FuseDevice clone = open();
    int result = Syscalls.ioctl(clone.fd, Syscalls.FUSE_DEV_IOC_CLONE, fd);
    if (result < 0) {
      clone.close();
      throw new IOException("FUSE_DEV_IOC_CLONE: " + Errno.of(-result).message());
    }
    return clone;
  }

  int fd() {
    return fd;
  }

  /** One read(2) into the buffer: the byte count, or the negated errno; ENODEV once closed. */
  int read(NativeBuffer buffer) {
    if (!hold()) {
      return -Errno.ENODEV.code();
    }
    try {
      return buffer.read(fd);
    } finally {
      release();
    }
  }

  /**
   * One write(2) of the filled buffer: the byte count, or the negated errno; ENODEV once closed.
   */
  int write(NativeBuffer buffer) {
    if (!hold()) {
      return -Errno.ENODEV.code();
    }
    try {
      return buffer.write(fd);
    } finally {
      release();
    }
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release();
    }
  }

  private boolean hold() {
    int before = holders.getAndUpdate(n -> n == 0 ? 0 : n + 1);
    if (before == 0) {
      return false;
    }
    if (closed.get()) {
      release();
      return false;
    }
    return true;
  }

  private void release() {
    if (holders.decrementAndGet() == 0) {
      // The kernel frees the number whatever close returns.
      var _ = Syscalls.close(fd);
    }
  }
}
