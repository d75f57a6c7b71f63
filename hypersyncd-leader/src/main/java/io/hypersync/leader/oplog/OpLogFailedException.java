package io.hypersync.leader.oplog;

import java.io.Serial;

/** The log cannot be written any more: a write or a sync failed, or it was closed. */
public final class OpLogFailedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /** For a log that failed because of {@code cause}. */
  public OpLogFailedException(String message, Throwable cause) {
    super(message, cause);
  }

  /** For a log that is closed. */
  public OpLogFailedException(String message) {
    super(message);
  }
}
