package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;

/** Checks the free space of a file system. Thread-safe. */
final class FreeSpace {
  private final Path directory;
  private final FileStore fileStore;

  private FreeSpace(Path directory, FileStore fileStore) {
    this.directory = directory;
    this.fileStore = fileStore;
  }

  /**
   * For the file system of this directory. Finding the file system is slow, so keep the instance.
   */
  static FreeSpace of(Path directory) throws IOException {
    return new FreeSpace(directory, Files.getFileStore(directory));
  }

  /**
   * Checks that at least {@code bytes} bytes are free.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC} if not, {@link Errno#EIO} if that cannot be
   *     found out
   */
  void require(long bytes) {
    if (bytes > 0 && bytes() < bytes) {
      throw new ChunkStoreException(
          Errno.ENOSPC,
          "less than " + bytes + " bytes are free on the file system of " + directory);
    }
  }

  /** The free bytes that this process may use. */
  long bytes() {
    try {
      return fileStore.getUsableSpace();
    } catch (IOException e) {
      throw new ChunkStoreException(
          Errno.EIO, "cannot measure free space: " + FileFailures.describe(e), e);
    }
  }
}
