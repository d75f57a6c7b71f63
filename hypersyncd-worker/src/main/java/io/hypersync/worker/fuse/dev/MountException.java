package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;

/** Mounting or unmounting failed. The message tells a user what is wrong and what to do. */
public final class MountException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  MountException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  /** What the kernel said, or would have said. */
  public Errno errno() {
    return errno;
  }
}
