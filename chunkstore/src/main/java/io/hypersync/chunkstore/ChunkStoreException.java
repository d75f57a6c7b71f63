package io.hypersync.chunkstore;

import io.hypersync.model.errno.Errno;
import java.io.Serial;
import org.jspecify.annotations.Nullable;

/** The storage below a chunk store has failed (hypersync.md 6.4.1). */
public final class ChunkStoreException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private final Errno errno;

  /**
   * A failure without another one behind it.
   *
   * @param errno what to answer the process or report upwards
   */
  public ChunkStoreException(Errno errno, String message) {
    this(errno, message, null);
  }

  /**
   * A failure caused by another one.
   *
   * @param errno what to answer the process or report upwards
   */
  public ChunkStoreException(Errno errno, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.errno = errno;
  }

  /**
   * {@link Errno#ENOSPC} if space is all that is missing, {@link Errno#EBUSY} if another process
   * has the store open, {@link Errno#EAGAIN} if the disk is only slow, {@link Errno#EIO} for
   * everything else.
   */
  public Errno errno() {
    return errno;
  }
}
