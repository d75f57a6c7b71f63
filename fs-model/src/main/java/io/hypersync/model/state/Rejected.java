package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;

/** Leaves the middle of an op with an errno; never seen outside the state machine. */
final class Rejected extends Exception {
  private static final long serialVersionUID = 1L;

  final Errno errno;

  Rejected(Errno errno) {
    super(errno.message(), null, false, false);
    this.errno = errno;
  }
}
