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
 * A temporary folder on the disk that is measured: below the folder that the property {@value
 * #PARENT} names, else where temporary files are. Gone when it is closed.
 *
 * @param root the folder, absolute, without symbolic links
 */
record Scratch(Path root) implements AutoCloseable {
  /** The property. */
  static final String PARENT = "hypersync.bench.dir";

  /** A new one. */
  static Scratch create() {
    try {
      Path parent = Path.of(System.getProperty(PARENT, System.getProperty("java.io.tmpdir")));
      return new Scratch(Files.createTempDirectory(parent, "hypersync-micro-").toRealPath());
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** A folder in it, made if it is not there. */
  Path folder(String name) {
    try {
      return Files.createDirectories(root.resolve(name));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /** An operation of the load driver, made durable with fsync in a folder of this disk. */
  Work onDisk(Operation operation) throws IOException {
    return operation.durablyIn(folder(operation.key()));
  }

  /**
   * Removes everything, and never what is mounted in it.
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
