package io.hypersync.cli.trace;

import java.io.IOException;
import java.io.Serial;

/** A file that is no trace, or a damaged one. */
public final class TraceException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** Says what is wrong and where. */
  public TraceException(String message) {
    super(message);
  }
}
