package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.TestChunks;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Random puts, questions, reads, marks, sweeps and ends of the process, compared with a model: what
 * is marked, or relied on since the run began, is never missing and never wrong, and dead bytes go.
 */
class RandomCollectionsTest {
  private static final int HISTORIES = 6;
  private static final int STEPS = 1_500;
  private static final int NUMBERS = 400;
  private static final DiskChunkStoreOptions TINY =
      new DiskChunkStoreOptions(1 << 20, 48 << 10, 16 << 10, 0);
  private static final CollectionOptions OPTIONS = new CollectionOptions(30, true);
  private static final int[] LENGTHS = {0, 1, 100, 700, 2_000, 4_096, 9_000};

  @TempDir private Path directory;

  private final long firstSeed = System.nanoTime();

  /** What must be in the store. */
  private final Set<Integer> certain = new HashSet<>();

  /** What the collection that is running must keep. */
  private final Set<Integer> kept = new HashSet<>();

  private final List<Chunk> chunks = new ArrayList<>();
  private Random random;
  private String where = "";
  private Path home;
  private DiskChunkStore store;
  private @Nullable CollectionRun run;
  private boolean sweeping;

  @Test
  void losesNothingThatIsAlive() {
    for (int i = 0; i < NUMBERS; i++) {
      chunks.add(TestChunks.chunk(i, LENGTHS[i % LENGTHS.length]));
    }
    for (int history = 0; history < HISTORIES; history++) {
      long seed = firstSeed + history;
      random = new Random(seed);
      home = directory.resolve("store" + history);
      store = DiskChunkStore.open(home, TINY);
      try {
        certain.clear();
        for (int step = 0; step < STEPS; step++) {
          where = "seed " + seed + ", step " + step;
          step();
        }
        reopen();
        certain.forEach(this::read);
        requireThatDeadBytesGo();
      } finally {
        store.close();
      }
    }
  }

  private void step() {
    int number = random.nextInt(NUMBERS);
    switch (random.nextInt(24)) {
      case 0, 1, 2, 3, 4, 5, 6, 7 -> put(number);
      case 8, 9, 10, 11 -> ask(number);
      case 12, 13, 14, 15 -> read(number);
      case 16 -> store.sync();
      case 17 -> {
        if (random.nextInt(6) == 0) {
          reopen();
        }
      }
      default -> collect();
    }
  }

  private void put(int number) {
    Chunk chunk = chunks.get(number);
    store.put(chunk.hash(), chunk.bytes());
    relyOn(number);
  }

  private void ask(int number) {
    boolean here = store.contains(chunks.get(number).hash());
    assertTrue(here || !certain.contains(number), () -> where + ": chunk " + number + " is lost");
    if (here) {
      relyOn(number);
    }
  }

  private void read(int number) {
    Chunk chunk = chunks.get(number);
    byte[] bytes = random.nextBoolean() ? store.getVerified(chunk.hash()) : store.get(chunk.hash());
    if (certain.contains(number)) {
      assertNotNull(bytes, () -> where + ": chunk " + number + " is lost");
    }
    if (bytes != null) {
      assertArrayEquals(chunk.bytes(), bytes, () -> where + ": chunk " + number);
      relyOn(number);
    }
  }

  private void relyOn(int number) {
    certain.add(number);
    kept.add(number);
  }

  private void collect() {
    CollectionRun running = run;
    if (running == null) {
      run = store.beginCollection(OPTIONS);
      kept.clear();
      sweeping = false;
      return;
    }
    if (!sweeping) {
      for (int number : certain) {
        if (random.nextInt(3) == 0) {
          running.mark(chunks.get(number).hash());
          kept.add(number);
        }
      }
      sweeping = true;
      certain.retainAll(kept);
      if (random.nextBoolean()) {
        var _ = running.plan();
      }
    }
    if (random.nextInt(40) == 0) {
      running.abort();
      run = null;
    } else if (running.sweep(random.nextInt(3) * 10_000L).isDone()) {
      assertEquals(0, running.finish().segmentsLeft(), where);
      run = null;
    }
  }

  private void reopen() {
    run = null;
    store.close();
    store = DiskChunkStore.open(home, TINY);
  }

  /** After a few runs that mark the same, no segment but the newest ones is mostly dead. */
  private void requireThatDeadBytesGo() {
    if (run != null) {
      run.abort();
    }
    CollectionPlan plan = null;
    for (int i = 0; i < 4; i++) {
      try (CollectionRun last = store.beginCollection(OPTIONS)) {
        certain.forEach(number -> last.mark(chunks.get(number).hash()));
        while (!last.sweep(10_000).isDone()) {
          // go on
        }
        plan = last.plan();
        var _ = last.finish();
      }
    }
    assertNotNull(plan);
    CollectionPlan end = plan;
    assertTrue(
        end.deadBytes() <= end.bytes() * OPTIONS.deadPercent() / 100 + 2 * TINY.segmentBytes(),
        () -> where + ": " + end);
    certain.forEach(this::read);
  }
}
