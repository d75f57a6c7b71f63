package io.hypersync.leader.sequencer;

import java.io.Serial;

/** Thrown when the stored intents do not fit the log, or were written by a later version. */
public final class IntentStoreException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  IntentStoreException(String message) {
    super(message);
  }
}
