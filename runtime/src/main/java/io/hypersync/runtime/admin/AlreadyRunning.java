package io.hypersync.runtime.admin;

import java.io.Serial;

/** Another daemon has what this one needs: its state directory, or its admin socket. */
public final class AlreadyRunning extends UserError {
  @Serial private static final long serialVersionUID = 1L;

  AlreadyRunning(String message, String hint) {
    super(message, hint);
  }
}
