package io.hypersync.chunkstore.disk;

import java.io.IOException;
import java.io.Serial;

/** What was to be made durable may be lost: trying again would tell nothing. */
final class SyncFailed extends IOException {
  @Serial private static final long serialVersionUID = 1;

  SyncFailed(IOException cause) {
    super(String.valueOf(cause.getMessage()), cause);
  }
}
