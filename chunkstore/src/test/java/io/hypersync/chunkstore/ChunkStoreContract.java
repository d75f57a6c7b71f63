package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that every implementation of {@link ChunkStore} must pass. */
public abstract class ChunkStoreContract {
  /** The store under test; opened before each test. */
  protected ChunkStore store;

  /** A new, empty store. */
  protected abstract ChunkStore open();

  @BeforeEach
  final void openStore() {
    store = open();
  }

  @AfterEach
  final void closeStore() {
    store.close();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 4095, 4096, 4097, 65_535, 65_536})
  void returnsWhatWasPut(int length) {
    Chunk chunk = TestChunks.chunk(1, length);
    store.put(chunk.hash(), chunk.bytes());
    assertTrue(store.contains(chunk.hash()));
    assertEquals(chunk.bytes().length, store.length(chunk.hash()));
    assertArrayEquals(chunk.bytes(), store.get(chunk.hash()));
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
  }

  @Test
  void knowsNothingElse() {
    Hash unknown = TestChunks.chunk(1).hash();
    put(TestChunks.chunk(2));
    assertFalse(store.contains(unknown));
    assertEquals(ChunkStore.NOT_HERE, store.length(unknown));
    assertNull(store.get(unknown));
    assertNull(store.getVerified(unknown));
  }

  @Test
  void storesABatch() {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(50).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    store.putAll(List.of());
    for (Chunk chunk : chunks) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  @Test
  void puttingAgainChangesNothing() {
    Chunk chunk = TestChunks.chunk(1);
    put(chunk);
    put(chunk);
    store.putAll(List.of(chunk, chunk));
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
  }

  @ParameterizedTest
  @ValueSource(ints = {10, 65_536})
  void detectsDamageAndIsRepairedByAnotherPut(int length) {
    Chunk chunk = TestChunks.chunk(1, length);
    byte[] damaged = chunk.bytes().clone();
    damaged[length - 1] ^= 1;
    store.put(chunk.hash(), damaged);
    assertArrayEquals(damaged, store.get(chunk.hash()), "get does not verify");
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> store.getVerified(chunk.hash()));
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains(chunk.hash().toString()), e.getMessage());
    assertFalse(store.contains(chunk.hash()), "whoever asks has it stored again");
    put(chunk);
    assertTrue(store.contains(chunk.hash()));
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()), "repaired");
  }

  @Test
  void keepsItsOwnCopies() {
    Chunk chunk = TestChunks.chunk(1, 100);
    byte[] given = chunk.bytes().clone();
    store.put(chunk.hash(), given);
    given[0] ^= 1;
    byte[] taken = store.get(chunk.hash());
    taken[1] ^= 1;
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
  }

  @Test
  void countsWhatItHolds() {
    long bytes = 0;
    for (int i = 0; i < 100; i++) {
      Chunk chunk = TestChunks.chunk(i, 5000);
      put(chunk);
      bytes += chunk.bytes().length;
    }
    store.sync();
    ChunkStoreStats stats = store.stats();
    assertTrue(Math.abs(stats.approximateChunks() - 100) <= 10, stats.toString());
    assertTrue(stats.bytesOnDisk() >= bytes, stats + " after " + bytes + " bytes");
    assertTrue(stats.bytesOnDisk() < 20 * bytes, stats + " after " + bytes + " bytes");
  }

  @Test
  void behavesLikeAMap() {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    Map<Hash, Chunk> reference = new HashMap<>();
    for (int step = 0; step < 3000; step++) {
      long number = random.nextLong(600);
      Chunk chunk = TestChunks.chunk(number);
      String where = "seed " + seed + ", step " + step + ", chunk " + number;
      switch (random.nextInt(10)) {
        case 0, 1 -> {
          put(chunk);
          reference.put(chunk.hash(), chunk);
        }
        case 2 -> {
          Chunk other = TestChunks.chunk(number + 1);
          store.putAll(List.of(chunk, other));
          reference.put(chunk.hash(), chunk);
          reference.put(other.hash(), other);
        }
        case 3 -> store.sync();
        case 4, 5, 6 ->
            assertEquals(reference.containsKey(chunk.hash()), store.contains(chunk.hash()), where);
        default -> {
          Chunk expected = reference.get(chunk.hash());
          assertArrayEquals(
              expected == null ? null : expected.bytes(), store.getVerified(chunk.hash()), where);
        }
      }
    }
  }

  @Test
  void servesManyThreads() throws InterruptedException, ExecutionException {
    try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
      List<Future<?>> all = new ArrayList<>();
      for (int thread = 0; thread < 4; thread++) {
        int first = thread * 100; // two threads put each chunk
        all.add(
            threads.submit(
                () -> {
                  for (int i = first; i < first + 200; i++) {
                    Chunk chunk = TestChunks.chunk(i);
                    put(chunk);
                    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
                    if (i % 20 == 0) {
                      store.sync();
                    }
                  }
                }));
      }
      for (Future<?> one : all) {
        one.get();
      }
    }
  }

  @Test
  void refusesEverythingOnceClosed() {
    Chunk chunk = TestChunks.chunk(1);
    put(chunk);
    store.close();
    store.close();
    List<Executable> calls =
        List.of(
            () -> store.contains(chunk.hash()),
            () -> store.get(chunk.hash()),
            () -> store.getVerified(chunk.hash()),
            () -> put(chunk),
            () -> store.putAll(List.of(chunk)),
            () -> store.sync(),
            () -> store.stats());
    assertAll(calls.stream().map(c -> () -> assertThrows(IllegalStateException.class, c)));
  }

  /** Chunks that are marked, and those a caller relies on in any way, survive a collection. */
  @ParameterizedTest
  @ValueSource(strings = {"mark", "put", "contains", "length", "get", "getVerified"})
  void keepsWhatIsMarkedOrReliedOn(String how) {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(100).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    store.sync();
    try (CollectionRun run = store.beginCollection(new CollectionOptions(1, false))) {
      for (int i = 0; i < chunks.size(); i += 2) {
        rely(run, how, chunks.get(i));
      }
      while (!run.sweep(10_000).isDone()) {
        // go on
      }
      assertEquals(CollectionProgress.Phase.ENDED, run.finish().phase());
    }
    for (int i = 0; i < chunks.size(); i += 2) {
      assertTrue(store.contains(chunks.get(i).hash()), "chunk " + i);
      assertArrayEquals(chunks.get(i).bytes(), store.getVerified(chunks.get(i).hash()));
    }
  }

  private void rely(CollectionRun run, String how, Chunk chunk) {
    switch (how) {
      case "mark" -> run.mark(chunk.hash());
      case "put" -> put(chunk);
      case "contains" -> assertTrue(store.contains(chunk.hash()));
      case "length" -> assertEquals(chunk.bytes().length, store.length(chunk.hash()));
      case "get" -> assertArrayEquals(chunk.bytes(), store.get(chunk.hash()));
      default -> assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  @Test
  void runsOneCollectionAtATime() {
    CollectionRun first = store.beginCollection();
    ChunkStoreException e = assertThrows(ChunkStoreException.class, store::beginCollection);
    assertEquals(Errno.EBUSY, e.errno());
    assertThrows(IllegalStateException.class, first::finish);
    first.abort();
    first.abort();
    CollectionRun second = store.beginCollection();
    first.close();
    assertThrows(ChunkStoreException.class, store::beginCollection);
    Hash hash = TestChunks.chunk(1).hash();
    assertThrows(IllegalStateException.class, () -> first.mark(hash));
    assertThrows(IllegalStateException.class, first::plan);
    assertThrows(IllegalStateException.class, () -> first.sweep(1));
    while (!second.sweep(1_000).isDone()) {
      // go on
    }
    assertThrows(IllegalStateException.class, () -> second.mark(hash));
    var _ = second.finish();
    store.beginCollection().close();
  }

  @Test
  void aPlanChangesNothing() {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(100).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    store.sync();
    try (CollectionRun run = store.beginCollection()) {
      CollectionPlan plan = run.plan();
      assertEquals(plan, run.plan());
      assertEquals(plan.bytes(), plan.liveBytes() + plan.deadBytes());
      assertTrue(plan.freedBytes() <= plan.deadBytes(), plan.toString());
    }
    for (Chunk chunk : chunks) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  private void put(Chunk chunk) {
    store.put(chunk.hash(), chunk.bytes());
  }
}
