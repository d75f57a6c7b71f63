package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Classifies RocksDB exceptions. */
final class RocksFailures {
  private RocksFailures() {}

  /** The exception to throw: ENOSPC if the disk or the quota is full, else EIO. */
  static ChunkStoreException translate(String action, RocksDBException e) {
    return new ChunkStoreException(
        isOutOfSpace(e) ? Errno.ENOSPC : Errno.EIO, action + ": " + e.getMessage(), e);
  }

  /**
   * The exception to throw after a failed open: EBUSY if the database is already open, else as
   * {@link #translate}.
   */
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
        || IoFailures.saysOutOfSpace(String.valueOf(e.getMessage()));
  }

  /**
   * Whether RocksDB rejected the write without trying it, because its memory is full until a flush
   * has finished.
   */
  static boolean isStall(RocksDBException e) {
    Status status = e.getStatus();
    return status != null && status.getCode() == Status.Code.Incomplete;
  }
}
