package io.hypersync.cli.trace;

import java.io.IOException;
import java.io.Serial;

/** A file is not a trace, or is damaged. */
public final class TraceException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  /** Creates the exception with what is wrong, and where. */
  public TraceException(String message) {
    super(message);
  }
}
