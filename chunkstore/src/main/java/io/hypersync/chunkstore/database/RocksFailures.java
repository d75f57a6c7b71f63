package io.hypersync.chunkstore.database;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import org.rocksdb.RocksDBException;
import org.rocksdb.Status;

/** Classifies RocksDB exceptions. */
final class RocksFailures {
  private RocksFailures() {}

  /** The exception to throw: ENOSPC if the disk or the quota is full, else EIO. */
  static DatabaseException translate(String action, RocksDBException e) {
    return new DatabaseException(
        isOutOfSpace(e) ? Errno.ENOSPC : Errno.EIO, action + ": " + e.getMessage(), e);
  }

  /**
   * The exception to throw after a failed open: EBUSY if the database is already open, else as
   * {@link #translate}.
   */
  static DatabaseException translateOpen(String directory, RocksDBException e) {
    String message = String.valueOf(e.getMessage());
    if (message.contains("lock hold by current process") || message.contains("While lock file")) {
      return new DatabaseException(
          Errno.EBUSY, directory + " is in use by another process, or twice by this one", e);
    }
    return translate("cannot open the database " + directory, e);
  }

  /** The exception to throw after a failed write: EAGAIN if RocksDB did not try it. */
  static DatabaseException translateWrite(String directory, RocksDBException e) {
    if (isStall(e)) {
      return new DatabaseException(
          Errno.EAGAIN, "the database " + directory + " waits for the disk", e);
    }
    return translate("cannot write the database " + directory, e);
  }

  static boolean isOutOfSpace(RocksDBException e) {
    Status status = e.getStatus();
    return (status != null && status.getSubCode() == Status.SubCode.NoSpace)
        || FileFailures.saysOutOfSpace(String.valueOf(e.getMessage()));
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
