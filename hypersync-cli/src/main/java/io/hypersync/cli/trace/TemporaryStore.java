package io.hypersync.cli.trace;

import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/** A new, empty chunk store in a temporary directory, which is deleted on close. */
public final class TemporaryStore implements AutoCloseable {
  private final Path directory;
  private final DiskChunkStore store;

  private TemporaryStore(Path directory, DiskChunkStore store) {
    this.directory = directory;
    this.store = store;
  }

  /** Creates a store in the system's directory for temporary files. */
  public static TemporaryStore create() throws IOException {
    Path directory = Files.createTempDirectory("hypersync-replay-");
    try {
      return new TemporaryStore(
          directory,
          DiskChunkStore.open(directory.resolve("chunks"), DiskChunkStoreOptions.DEFAULT));
    } catch (RuntimeException e) {
      delete(directory);
      throw e;
    }
  }

  public ChunkStore store() {
    return store;
  }

  @Override
  public void close() throws IOException {
    store.close();
    delete(directory);
  }

  private static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (Stream<Path> all = Files.walk(directory)) {
      deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }
}
