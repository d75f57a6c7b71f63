package io.hypersync.chunkstore.database;

import io.hypersync.model.errno.Errno;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** Thrown when a {@link Database} cannot be opened, read or written. */
public final class DatabaseException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final Errno errno;

  DatabaseException(Errno errno, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /**
   * The kind of failure: {@link Errno#ENOSPC} if only space is missing, {@link Errno#EBUSY} if
   * another process has the database open, {@link Errno#EAGAIN} if the disk is only slow, {@link
   * Errno#EIO} for everything else.
   */
  public Errno errno() {
    return errno;
  }
}
