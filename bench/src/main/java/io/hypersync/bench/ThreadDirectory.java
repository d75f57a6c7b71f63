package io.hypersync.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A directory of one thread, with fresh names and the syncs that make its changes durable. */
final class ThreadDirectory implements AutoCloseable {
  private final Path path;
  private final @Nullable FileChannel toSync;
  private long names;

  /**
   * Creates the directory.
   *
   * @param needsSync whether changes need an fsync to be durable; else all syncs do nothing
   */
  ThreadDirectory(Path path, boolean needsSync) throws IOException {
    this.path = Files.createDirectories(path);
    this.toSync = needsSync ? FileChannel.open(path, StandardOpenOption.READ) : null;
  }

  /** Returns a path in it that was not used before. */
  Path fresh() {
    return path.resolve("f" + names++);
  }

  /** Makes changed names durable with an fsync of the directory, if one is needed. */
  void sync() throws IOException {
    if (toSync != null) {
      toSync.force(true);
    }
  }

  /** Makes a file durable with an fsync, if one is needed. */
  void sync(FileChannel file) throws IOException {
    if (toSync != null) {
      file.force(true);
    }
  }

  @Override
  public void close() throws IOException {
    if (toSync != null) {
      toSync.close();
    }
  }
}
