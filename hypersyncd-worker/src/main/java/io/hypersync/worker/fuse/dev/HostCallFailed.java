package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.Serial;

/** A system call on a file of this host has failed. */
public final class HostCallFailed extends Exception {
  @Serial private static final long serialVersionUID = 1;

  private final Errno errno;

  /** With what the caller is to get. */
  public HostCallFailed(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }

  /** What the call has returned. */
  public Errno errno() {
    return errno;
  }
}
