package io.hypersync.worker.daemon.local;

import java.io.Serial;

/** Local names cannot be kept; the message says why, and what to do. */
final class UnusableStore extends Exception {
  @Serial private static final long serialVersionUID = 1;

  UnusableStore(String why) {
    super(why, null, false, false);
  }
}
