package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;

/** Mounting or unmounting has failed. The message is for the user: the cause, and what to do. */
public final class MountException extends IOException {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  MountException(Errno errno, String message) {
    super(message);
    this.errno = errno;
  }

  /** The kernel's errno, or the one that it would have returned. */
  public Errno errno() {
    return errno;
  }
}
