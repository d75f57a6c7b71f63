package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Tells RocksDB's failures apart. */
final class RocksFailures {
  private static final String NO_SPACE = "No space left on device";

  private RocksFailures() {}

  /** What to throw for it. */
  static ChunkStoreException translate(String action, RocksDBException e) {
    return new ChunkStoreException(
        isOutOfSpace(e) ? Errno.ENOSPC : Errno.EIO, action + ": " + e.getMessage(), e);
  }

  /** What to throw when opening has failed. */
  static ChunkStoreException translateOpen(String directory, RocksDBException e) {
    String message = String.valueOf(e.getMessage());
    if (message.contains("lock hold by current process") || message.contains("While lock file")) {
      return new ChunkStoreException(
          Errno.EBUSY,
          "the chunk store " + directory + " is in use by another process, or twice by this one",
          e);
    }
    return translate("cannot open the chunk store " + directory, e);
  }

  static boolean isOutOfSpace(RocksDBException e) {
    Status status = e.getStatus();
    return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
        || String.valueOf(e.getMessage()).contains(NO_SPACE);
  }

  /** The write was not tried, because memory is full until something has been flushed. */
  static boolean isStall(RocksDBException e) {
    Status status = e.getStatus();
    return status != null && status.getCode() == Status.Code.Incomplete;
  }
}
