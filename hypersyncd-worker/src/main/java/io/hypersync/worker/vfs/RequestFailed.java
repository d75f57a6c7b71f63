package io.hypersync.worker.vfs;

import io.hypersync.model.errno.Errno;

/** Ends a request with an errno; caught in {@link Vfs}. */
final class RequestFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  RequestFailed(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }

  Errno errno() {
    return errno;
  }
}
