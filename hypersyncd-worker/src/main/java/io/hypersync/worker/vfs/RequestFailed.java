package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;

/** Ends a request with an errno; caught in {@link PageFetches}. */
public final class RequestFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  /** With what the caller gets. */
  public RequestFailed(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }

  /** What the caller gets. */
  public Errno errno() {
    return errno;
  }
}
