package io.hypersync.worker.fuse.jnr;

import io.hypersync.model.errno.Errno;

/** A call ends with this error; a result, not a fault, so it has no stack trace. */
final class CallFailed extends Exception {
  private static final long serialVersionUID = 1L;

  private final Errno errno;

  CallFailed(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }

  Errno errno() {
    return errno;
  }
}
