package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;

/** Classifies I/O exceptions by their message, because the JDK does not expose the errno. */
final class IoFailures {
  private IoFailures() {}

  /** The exception to throw: ENOSPC if the disk or the quota is full, else EIO. */
  static ChunkStoreException translate(String action, IOException e) {
    return new ChunkStoreException(
        isOutOfSpace(e) ? Errno.ENOSPC : Errno.EIO, action + ": " + FileFailures.describe(e), e);
  }

  static boolean isOutOfSpace(IOException e) {
    return FileFailures.saysOutOfSpace(String.valueOf(e.getMessage()));
  }
}
