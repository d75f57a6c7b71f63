package io.hypersync.runtime.admin;

import java.io.IOException;
import java.io.Serial;

/** The peer on an admin socket did not connect, send or receive within the time limit. */
final class AdminTimeoutException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  AdminTimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
