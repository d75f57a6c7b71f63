package io.hypersync.mutants;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.disk.DiskChunkStore;
import io.hypersync.chunkstore.disk.DiskChunkStoreOptions;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

/**
 * Checks the guarantees of the chunk store on disk in one run: chunks are present after every
 * start, segments are bounded, damaged chunks are detected, reported, and repaired by another put.
 * {@link MutantLoader} loads it anew together with the store.
 */
public final class ChunkDiskTrial {
  private static final int INDEX_BYTES = 1 << 20;
  private static final int SEGMENT_BYTES = 512 << 10;
  private static final int CHECKPOINT_BYTES = 128 << 10;
  private static final DiskChunkStoreOptions SMALL =
      new DiskChunkStoreOptions(INDEX_BYTES, SEGMENT_BYTES, CHECKPOINT_BYTES, 0);
  private static final int CHUNKS = 120;
  private static final int RUNS = 3;

  private final Path directory;
  private final Random random;
  private final List<Chunk> stored = new ArrayList<>();

  private ChunkDiskTrial(Path directory, long seed) {
    this.directory = directory;
    this.random = new Random(seed);
  }

  /**
   * Checks a store.
   *
   * @param directory an empty directory
   * @throws IllegalStateException if a guarantee is broken
   */
  public static void run(Path directory, long seed) throws IOException, InterruptedException {
    ChunkDiskTrial trial = new ChunkDiskTrial(directory, seed);
    trial.storesForGood();
    trial.tellsWhatHasRotten();
    trial.passesOverWhatHasRottenUnseen();
    trial.refusesAShorterSegment();
  }

  private void storesForGood() throws IOException, InterruptedException {
    for (int run = 0; run < RUNS; run++) {
      try (DiskChunkStore store = DiskChunkStore.open(directory, SMALL)) {
        awaitFilter();
        requireAll(store, "after start " + run);
        for (int i = 0; i < CHUNKS; i++) {
          Chunk chunk = chunk(1 + random.nextInt(20_000));
          store.put(chunk.hash(), chunk.bytes());
          stored.add(chunk);
        }
        requireAll(store, "in run " + run);
        store.sync();
      }
    }
    for (Path segment : segments()) {
      require(Files.size(segment) <= SEGMENT_BYTES, segment + " has no end");
    }
    try (DiskChunkStore full =
        DiskChunkStore.open(
            directory,
            new DiskChunkStoreOptions(INDEX_BYTES, SEGMENT_BYTES, CHECKPOINT_BYTES, 1L << 60))) {
      Chunk chunk = chunk(100);
      require(
          Errno.ENOSPC == errno(() -> full.put(chunk.hash(), chunk.bytes())),
          "takes more than the disk has");
    }
  }

  private void tellsWhatHasRotten() throws IOException {
    Chunk chunk = stored.get(random.nextInt(stored.size()));
    rot(chunk);
    try (DiskChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      require(store.contains(chunk.hash()), "nobody has looked yet");
      require(
          Errno.EIO == errno(() -> store.getVerified(chunk.hash())), "hands out a damaged chunk");
      require(!store.contains(chunk.hash()), "counts on a chunk that it has found damaged");
      store.put(chunk.hash(), chunk.bytes());
      requireAll(store, "stored again");
    }
    try (DiskChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      requireAll(store, "stored again, and started again");
    }
  }

  /** A chunk is damaged that was written, but not in the index when the process ended. */
  private void passesOverWhatHasRottenUnseen() throws IOException {
    Chunk before = chunk(5_000);
    Chunk spoilt = chunk(5_000);
    Chunk behind = chunk(5_000);
    try (DiskChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      store.putAll(List.of(before, spoilt, behind));
    }
    rot(spoilt);
    stored.add(before);
    stored.add(behind);
    try (DiskChunkStore store = DiskChunkStore.open(directory, SMALL)) {
      require(!store.contains(spoilt.hash()), "takes up a damaged chunk");
      requireAll(store, "with a damaged one between");
    }
  }

  private void refusesAShorterSegment() throws IOException {
    Path last = segments().getLast();
    try (FileChannel file = FileChannel.open(last, StandardOpenOption.WRITE)) {
      file.truncate(file.size() / 2);
    }
    require(
        Errno.EIO == errno(() -> DiskChunkStore.open(directory, SMALL).close()),
        "starts though a segment has lost its end");
  }

  private void requireAll(DiskChunkStore store, String when) {
    for (Chunk chunk : stored) {
      require(store.contains(chunk.hash()), "does not know a chunk " + when);
      require(
          Arrays.equals(chunk.bytes(), store.getVerified(chunk.hash())), "lost a chunk " + when);
    }
  }

  /** Waits until the hash filter is complete, so that it is used in place of the index. */
  private static void awaitFilter() throws InterruptedException {
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().equals("chunk-index-fill")) {
        thread.join();
      }
    }
  }

  /** Flips one bit of the newest copy of the chunk. */
  private void rot(Chunk chunk) throws IOException {
    byte[] wanted = chunk.bytes();
    for (Path segment : segments().reversed()) {
      byte[] content = Files.readAllBytes(segment);
      for (int at = content.length - wanted.length; at >= 0; at--) {
        if (content[at] == wanted[0]
            && Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
          byte flipped = (byte) (wanted[wanted.length / 2] ^ 4);
          try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {flipped}), at + wanted.length / 2);
          }
          return;
        }
      }
    }
    throw new IllegalStateException("a chunk is in no segment");
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.sorted().toList();
    }
  }

  private Chunk chunk(int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return Chunk.of(bytes);
  }

  private static Errno errno(Runnable call) {
    try {
      call.run();
      return Errno.ENOENT; // stands for success: no call here fails with it
    } catch (ChunkStoreException e) {
      return e.errno();
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("the store " + otherwise);
    }
  }
}
