package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;

/** Aborts an op with an errno; caught by {@link FsStateMachine#apply}. Has no stack trace. */
final class Rejected extends Exception {
  private static final long serialVersionUID = 1L;

  final Errno errno;

  Rejected(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }
}
