package io.hypersync.leader.daemon;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Measures the size of a folder's files, while other threads may create and delete files in it. */
final class FolderSize {
  private static final Logger LOG = LoggerFactory.getLogger(FolderSize.class);

  private FolderSize() {}

  /**
   * The total length of all regular files below a folder. Files that vanish meanwhile or cannot be
   * read count as 0; a missing folder is 0.
   */
  static long bytes(Path directory) {
    Sum sum = new Sum();
    try {
      Files.walkFileTree(directory, sum);
    } catch (IOException failure) {
      LOG.debug("cannot measure all of {}", directory, failure);
    }
    return sum.bytes;
  }

  private static final class Sum extends SimpleFileVisitor<Path> {
    private long bytes;

    @Override
    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
      if (attributes.isRegularFile()) {
        bytes += attributes.size();
      }
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult visitFileFailed(Path file, IOException vanished) {
      return FileVisitResult.CONTINUE;
    }

    @Override
    public FileVisitResult postVisitDirectory(Path folder, @Nullable IOException vanished) {
      return FileVisitResult.CONTINUE;
    }
  }
}
