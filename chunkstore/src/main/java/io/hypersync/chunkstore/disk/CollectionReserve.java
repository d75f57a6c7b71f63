package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A file of zeros that takes the room of one segment, so that a collection can go on when the disk
 * is full: it is deleted then, and made again when there is room (hypersync.md 14.2). A file system
 * that stores zeros without taking space for them has no such reserve.
 */
final class CollectionReserve {
  private static final Logger LOG = LoggerFactory.getLogger(CollectionReserve.class);
  private static final int PIECE_BYTES = 1 << 20;

  private final Path file;
  private final long bytes;
  private final long keptFreeBytes;
  private final FreeSpace space;

  /**
   * A reserve that is not made yet.
   *
   * @param bytes its size
   * @param keptFreeBytes it is only made if so much stays free besides as much again
   */
  CollectionReserve(Path file, long bytes, long keptFreeBytes, FreeSpace space) {
    this.file = file;
    this.bytes = bytes;
    this.keptFreeBytes = keptFreeBytes;
    this.space = space;
  }

  /**
   * Makes the reserve, or a further piece of it, if there is plenty of room. A failure is not
   * reported.
   *
   * @return the bytes that were written; 0 if the reserve is there, or cannot be made now
   */
  long grow() {
    try {
      long there = size();
      if (there >= bytes || space.bytes() < 2 * bytes - there + keptFreeBytes) {
        return 0;
      }
      ByteBuffer zeros = ByteBuffer.allocate((int) Math.min(bytes - there, PIECE_BYTES));
      try (FileChannel out =
          FileChannel.open(
              file,
              StandardOpenOption.CREATE,
              StandardOpenOption.WRITE,
              StandardOpenOption.APPEND)) {
        while (zeros.hasRemaining()) {
          var _ = out.write(zeros);
        }
      }
      return zeros.capacity();
    } catch (IOException | ChunkStoreException e) {
      LOG.debug("no reserve for collections", e);
      return 0;
    }
  }

  /**
   * Gives the room back to the file system.
   *
   * @return false if there was no reserve
   */
  boolean release() {
    try {
      return Files.deleteIfExists(file);
    } catch (IOException e) {
      throw new ChunkStoreException(
          Errno.EIO, "cannot delete " + file + ": " + FileFailures.describe(e), e);
    }
  }

  /** The size of the reserve in bytes; 0 if there is none. */
  long size() throws IOException {
    return Files.exists(file) ? Files.size(file) : 0;
  }
}
