package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/**
 * Thrown when the storage of a chunk store fails, or when a chunk is damaged (hypersync.md 6.4.1).
 */
public final class ChunkStoreException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final Errno errno;

  /**
   * A failure without a cause.
   *
   * @param errno what to return to the calling process or to report
   */
  public ChunkStoreException(Errno errno, String message) {
    this(errno, message, null);
  }

  /**
   * A failure with a cause.
   *
   * @param errno what to return to the calling process or to report
   */
  public ChunkStoreException(Errno errno, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /**
   * The kind of failure: {@link Errno#ENOSPC} if only space is missing, {@link Errno#EBUSY} if
   * another process has the store open or a collection is running, {@link Errno#EAGAIN} if the disk
   * is only slow, {@link Errno#EIO} for everything else.
   */
  public Errno errno() {
    return errno;
  }
}
