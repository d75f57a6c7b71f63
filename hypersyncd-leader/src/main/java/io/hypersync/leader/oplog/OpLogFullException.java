package io.hypersync.leader.oplog;

import java.io.IOException;
import java.io.Serial;

/** There is no room for another entry (ENOSPC). Nothing was accepted; the log goes on working. */
public final class OpLogFullException extends IOException {
  @Serial private static final long serialVersionUID = 1;

  /** {@code cause} is the reason why no segment could be allocated. */
  public OpLogFullException(String message, Throwable cause) {
    super(message, cause);
  }
}
