package io.hypersync.chunkstore.disk;

import java.io.IOException;
import java.io.Serial;

/**
 * Thrown when a sync fails. The data may be lost, and a second sync would not reveal that, because
 * the kernel reports an error only once.
 */
final class SyncFailed extends IOException {
  @Serial private static final long serialVersionUID = 1;

  SyncFailed(IOException cause) {
    super(String.valueOf(cause.getMessage()), cause);
  }
}
