package io.hypersync.mutants;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
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
 * Checks the guarantees of a collection of dead chunks, on a disk whose power is cut: what is
 * marked, or relied on since the run began, stays; what is dead goes; what cannot be read is
 * reported and not given up. {@link MutantLoader} loads it anew together with the store.
 */
public final class ChunkCollectionTrial {
  /** A checkpoint is due after more than all living chunks: only a collection asks for it. */
  private static final DiskChunkStoreOptions TINY =
      new DiskChunkStoreOptions(1 << 20, 64 << 10, 200 << 10, 0);

  private static final CollectionOptions HALF = new CollectionOptions(50, false);
  private static final int CHUNK_BYTES = 6_000;
  private static final int CHUNKS = 105;
  private static final int LIVE_EVERY = 5;
  private static final int SMALL_SWEEP = 1;

  private final Path directory;
  private final Runnable cutPower;
  private final List<Chunk> chunks = new ArrayList<>();
  private final List<Chunk> kept = new ArrayList<>();

  private ChunkCollectionTrial(Path directory, long seed, Runnable cutPower) {
    this.directory = directory;
    this.cutPower = cutPower;
    Random random = new Random(seed);
    for (int i = 0; i < CHUNKS; i++) {
      byte[] bytes = new byte[CHUNK_BYTES];
      random.nextBytes(bytes);
      chunks.add(Chunk.of(bytes));
      if (i % LIVE_EVERY == 0) {
        kept.add(chunks.getLast());
      }
    }
  }

  /**
   * Checks a store.
   *
   * @param directory an empty directory
   * @param cutPower loses everything there that is not synced; nothing may be open
   * @throws IllegalStateException if a guarantee is broken
   */
  public static void run(Path directory, long seed, Runnable cutPower) throws IOException {
    ChunkCollectionTrial trial = new ChunkCollectionTrial(directory, seed, cutPower);
    trial.fill();
    trial.survivesPowerCutsBetweenSteps();
    trial.keepsWhatIsReliedOn();
    trial.givesUpNothingThatCannotBeRead();
  }

  private void fill() {
    try (DiskChunkStore store = DiskChunkStore.open(directory, TINY)) {
      for (Chunk chunk : chunks) {
        store.put(chunk.hash(), chunk.bytes());
      }
      store.sync();
    }
    DiskChunkStore.open(directory, TINY).close(); // now the index has them all
  }

  private void survivesPowerCutsBetweenSteps() throws IOException {
    int before = segments().size();
    boolean done = false;
    for (int steps = 1; !done; steps++) {
      try (DiskChunkStore store = DiskChunkStore.open(directory, TINY);
          CollectionRun run = store.beginCollection(HALF)) {
        kept.forEach(chunk -> run.mark(chunk.hash()));
        for (int step = 0; step < steps && !done; step++) {
          done = run.sweep(SMALL_SWEEP).isDone();
        }
      }
      if (steps % 2 == 0) {
        syncNames();
      }
      cutPower.run();
      try (DiskChunkStore store = DiskChunkStore.open(directory, TINY)) {
        requireKept(store, "after a power cut");
        for (Chunk chunk : chunks) {
          require(
              !store.contains(chunk.hash()) || store.getVerified(chunk.hash()) != null,
              "says that it has what is gone");
        }
      }
    }
    try (DiskChunkStore store = DiskChunkStore.open(directory, TINY);
        CollectionRun run = store.beginCollection(HALF)) {
      kept.forEach(chunk -> run.mark(chunk.hash()));
      var _ = sweep(run);
    }
    require(segments().size() < before - 2, "deletes nothing");
  }

  /** As the kernel may do at any time: what is deleted stays deleted, even without power. */
  private void syncNames() throws IOException {
    try (FileChannel names =
        FileChannel.open(directory.resolve("segments"), StandardOpenOption.READ)) {
      names.force(true);
    }
  }

  private void keepsWhatIsReliedOn() {
    List<Chunk> asked = new ArrayList<>();
    try (DiskChunkStore store = DiskChunkStore.open(directory, TINY)) {
      for (Chunk chunk : chunks) {
        store.put(chunk.hash(), chunk.bytes());
      }
      store.sync();
    }
    try (DiskChunkStore store = DiskChunkStore.open(directory, TINY);
        CollectionRun run = store.beginCollection(HALF)) {
      for (int i = 0; i < CHUNKS; i++) {
        Chunk chunk = chunks.get(i);
        boolean relied =
            switch (i % LIVE_EVERY) {
              case 1 -> store.contains(chunk.hash());
              case 2 -> store.getVerified(chunk.hash()) != null;
              case 3 -> {
                store.put(chunk.hash(), chunk.bytes());
                yield true;
              }
              default -> false;
            };
        if (relied) {
          asked.add(chunk);
        }
        if (i % LIVE_EVERY == 0) {
          run.mark(chunk.hash());
        }
      }
      // So that what was put during the run is in sealed segments, too.
      for (int i = 0; i < CHUNKS; i++) {
        byte[] bytes = new byte[CHUNK_BYTES];
        new Random(1_000_000 + i).nextBytes(bytes);
        Chunk more = Chunk.of(bytes);
        store.put(more.hash(), more.bytes());
        asked.add(more);
      }
      var _ = sweep(run);
      requireKept(store, "after a run");
      for (Chunk chunk : asked) {
        require(
            Arrays.equals(chunk.bytes(), store.getVerified(chunk.hash())),
            "lost a chunk that was put or asked for since the run began");
      }
    }
  }

  private void givesUpNothingThatCannotBeRead() throws IOException {
    Chunk victim = kept.get(kept.size() / 2);
    rot(victim);
    try (DiskChunkStore store = DiskChunkStore.open(directory, TINY)) {
      CollectionProgress done;
      try (CollectionRun run = store.beginCollection(HALF)) {
        kept.forEach(chunk -> run.mark(chunk.hash()));
        done = sweep(run);
      }
      require(done.unreadable().equals(List.of(victim.hash())), "does not report what it lost");
      require(!store.contains(victim.hash()), "counts on a damaged chunk");
      Errno errno = Errno.ENOENT;
      try {
        require(store.getVerified(victim.hash()) == null, "hands out a damaged chunk");
      } catch (ChunkStoreException e) {
        errno = e.errno();
      }
      require(errno == Errno.EIO, "has forgotten a chunk that it could not read");
      rot(victim); // flips the bit back: the file must still be there
      require(
          Arrays.equals(victim.bytes(), store.getVerified(victim.hash())),
          "gave up a chunk that can be read again");
      requireKept(store, "with a damaged one");
    }
  }

  private static CollectionProgress sweep(CollectionRun run) {
    CollectionProgress progress = run.sweep(SMALL_SWEEP);
    while (!progress.isDone()) {
      progress = run.sweep(SMALL_SWEEP);
    }
    return run.finish();
  }

  private void requireKept(DiskChunkStore store, String when) {
    for (Chunk chunk : kept) {
      require(store.contains(chunk.hash()), "does not know a living chunk " + when);
      byte[] bytes;
      try {
        bytes = store.getVerified(chunk.hash());
      } catch (ChunkStoreException e) {
        throw new IllegalStateException("the store lost a living chunk " + when, e);
      }
      require(Arrays.equals(chunk.bytes(), bytes), "lost a living chunk " + when);
    }
  }

  /** Flips one bit of every copy of the chunk. */
  private void rot(Chunk chunk) throws IOException {
    byte[] wanted = chunk.bytes();
    int middle = wanted.length / 2;
    for (Path segment : segments()) {
      byte[] content = Files.readAllBytes(segment);
      for (int at = content.length - wanted.length; at >= 0; at--) {
        if (content[at] == wanted[0]
            && Arrays.equals(content, at, at + middle, wanted, 0, middle)) {
          byte flipped = (byte) (content[at + middle] ^ 4);
          try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            file.write(ByteBuffer.wrap(new byte[] {flipped}), at + middle);
          }
        }
      }
    }
  }

  private List<Path> segments() throws IOException {
    try (Stream<Path> files = Files.list(directory.resolve("segments"))) {
      return files.sorted().toList();
    }
  }

  private static void require(boolean holds, String otherwise) {
    if (!holds) {
      throw new IllegalStateException("the store " + otherwise);
    }
  }
}
