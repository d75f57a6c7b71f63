package io.hypersync.wire.admin;

import java.io.IOException;
import java.io.Serial;

/** The other end of an admin socket took too long. */
final class AdminTimeoutException extends IOException {
  @Serial private static final long serialVersionUID = 1L;

  AdminTimeoutException(String message, Throwable cause) {
    super(message, cause);
  }
}
