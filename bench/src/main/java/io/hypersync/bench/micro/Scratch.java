package io.hypersync.bench.micro;

import io.hypersync.bench.Operation;
import io.hypersync.bench.Work;
import io.hypersync.cli.daemons.Mounts;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * A temporary directory on the measured disk: below the directory in the system property {@value
 * #PARENT}, or else below the default temporary directory. Deleted on close.
 *
 * @param root the directory, absolute, without symbolic links
 */
record Scratch(Path root) implements AutoCloseable {
  static final String PARENT = "hypersync.bench.dir";

  static Scratch create() {
    try {
      Path parent = Path.of(System.getProperty(PARENT, System.getProperty("java.io.tmpdir")));
      return new Scratch(Files.createTempDirectory(parent, "hypersync-micro-").toRealPath());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Returns a subdirectory; creates it if it does not exist. */
  Path folder(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** Opens an operation in this directory, made durable with fsync. */
  Work onDisk(Operation operation) throws IOException {
    return operation.durablyIn(folder(operation.key()));
  }

  /**
   * Removes everything, but nothing that is mounted in it.
   *
   * @throws UncheckedIOException if something is still mounted there
   */
  @Override
  public void close() {
    for (Path mount : Mounts.all()) {
      if (mount.startsWith(root)) {
        throw new UncheckedIOException(new IOException(mount + " is still mounted"));
      }
    }
    try (Stream<Path> all = Files.walk(root)) {
      List<Path> paths = all.toList().reversed();
      for (Path path : paths) {
        Files.delete(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
