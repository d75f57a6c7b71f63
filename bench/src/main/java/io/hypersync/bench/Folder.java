package io.hypersync.bench;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.jspecify.annotations.Nullable;

/** A thread's own folder, and how names in it become durable. */
final class Folder implements AutoCloseable {
  private final Path path;
  private final @Nullable FileChannel toSync;
  private long names;

  /** Makes the folder. */
  Folder(Path path, boolean needsSync) throws IOException {
    this.path = Files.createDirectories(path);
    this.toSync = needsSync ? FileChannel.open(path, StandardOpenOption.READ) : null;
  }

  /** A name in it that was not used before. */
  Path fresh() {
    return path.resolve("f" + names++);
  }

  /** Makes changed names durable, where they are not already. */
  void sync() throws IOException {
    if (toSync != null) {
      toSync.force(true);
    }
  }

  /** Makes a file durable, where it is not already. */
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
