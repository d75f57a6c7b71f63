package io.hypersync.chunkstore;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

final class WriteBehindChunkStoreTest {
  private static final Duration LIMIT = Duration.ofSeconds(30);

  private final Below below = new Below();
  private final WriteBehindChunkStore store = WriteBehindChunkStore.start(below, "test-chunks");

  @AfterEach
  void close() {
    store.close();
    below.close();
  }

  @Test
  void whatWasTakenIsReadAtOnceAndWrittenSoon() {
    Chunk chunk = chunk(1, 100);
    store.put(chunk.hash(), chunk.bytes());
    assertTrue(store.contains(chunk.hash()));
    assertArrayEquals(chunk.bytes(), store.get(chunk.hash()));
    await("written to the store below", () -> below.contains(chunk.hash()));
    await("nothing left in memory", () -> store.bytesInMemory() == 0);
    assertArrayEquals(chunk.bytes(), store.get(chunk.hash()));
    assertNull(store.get(chunk(2, 5).hash()));
  }

  @Test
  void manyChunksBecomeFewBatches() {
    List<Chunk> chunks = new ArrayList<>();
    below.refuseWith(Errno.EAGAIN); // delays the first batch on any machine
    store.put(chunk(0, 10).hash(), chunk(0, 10).bytes());
    await("refused", () -> below.refused.get() > 0);
    below.refuseWith(null);
    await("accepted again", () -> store.bytesInMemory() == 0);
    int before = below.batches.get();
    for (int i = 1; i <= 1_000; i++) {
      chunks.add(chunk(i, 100));
    }
    store.putAll(chunks);
    await("written", () -> store.bytesInMemory() == 0);
    assertTrue(below.batches.get() - before <= 4, "batches: " + (below.batches.get() - before));
    chunks.forEach(chunk -> assertTrue(below.contains(chunk.hash())));
  }

  @Test
  void syncReturnsWhenEverythingIsBelowAndSyncedThere() {
    for (int i = 0; i < 50; i++) {
      Chunk chunk = chunk(i, 1_000);
      store.put(chunk.hash(), chunk.bytes());
      store.sync();
      assertTrue(below.contains(chunk.hash()));
    }
    assertEquals(50, below.syncs.get());
  }

  @Test
  void aFullDiskIsReportedLateLosesNothingAndIsOverWhenThereIsSpace() {
    below.refuseWith(Errno.ENOSPC);
    Chunk first = chunk(1, 100);
    store.put(first.hash(), first.bytes());
    await("the full disk is noticed", () -> below.refused.get() > 0 && refuses());
    assertEquals(
        Errno.ENOSPC,
        assertThrows(ChunkStoreException.class, () -> store.put(first.hash(), first.bytes()))
            .errno());
    assertArrayEquals(first.bytes(), store.get(first.hash()), "still readable");
    assertThrows(ChunkStoreException.class, store::sync, "sync does not claim what is not so");
    below.refuseWith(null);
    await("written when there is space", () -> below.contains(first.hash()));
    await("takes more", () -> !refuses());
  }

  @Test
  void aSlowDiskRefusesNothing() {
    below.refuseWith(Errno.EAGAIN);
    Chunk chunk = chunk(1, 100);
    store.put(chunk.hash(), chunk.bytes());
    await("tried", () -> below.refused.get() > 2);
    assertFalse(refuses());
    assertTrue(store.takesAtOnce());
    below.refuseWith(null);
    await("written", () -> below.contains(chunk.hash()));
  }

  @Test
  void whereNothingIsToBeWrittenNothingIsRefused() {
    below.refuseWith(Errno.ENOSPC);
    store.sync();
    assertFalse(refuses());
    assertTrue(store.takesAtOnce());
  }

  /** Any successful write ends the rejection, not only one by the background thread. */
  @Test
  void aRefusalEndsWithTheFirstSuccess() {
    for (int i = 0; i < 20; i++) {
      below.refuseWith(Errno.ENOSPC);
      Chunk chunk = chunk(i, 100);
      store.put(chunk.hash(), chunk.bytes());
      assertThrows(ChunkStoreException.class, store::sync);
      assertTrue(refuses());
      assertFalse(store.takesAtOnce());
      below.refuseWith(null);
      store.sync();
      assertFalse(refuses(), "round " + i);
    }
  }

  @Test
  void aFaultBelowIsAnErrorAndNotTheEnd() {
    below.breaks = true;
    Chunk chunk = chunk(1, 100);
    store.put(chunk.hash(), chunk.bytes());
    await("refuses", this::refuses);
    below.breaks = false;
    await("goes on", () -> below.contains(chunk.hash()) && !refuses());
  }

  @Test
  void whatIsThereAlreadyIsWrittenAgainOnlyToRepairIt() {
    Chunk chunk = chunk(1, 100);
    below.chunks.put(chunk.hash(), chunk.bytes());
    store.putAllIfAbsent(List.of(chunk));
    await("looked at", () -> store.bytesInMemory() == 0);
    assertEquals(0, below.batches.get());
    store.put(chunk.hash(), chunk.bytes());
    await("looked at", () -> store.bytesInMemory() == 0);
    assertEquals(1, below.batches.get());
  }

  @Test
  void aDiskThatIsFullAlreadyIsNoticedAtOnce() {
    below.full = true;
    Chunk chunk = chunk(1, 100);
    assertEquals(
        Errno.ENOSPC,
        assertThrows(ChunkStoreException.class, () -> store.put(chunk.hash(), chunk.bytes()))
            .errno());
    assertFalse(store.contains(chunk.hash()), "not taken");
    below.full = false;
    store.put(chunk.hash(), chunk.bytes());
    assertTrue(store.contains(chunk.hash()));
  }

  @Test
  void moreThanFitsIntoMemoryIsWrittenByWhoeverBringsIt() {
    for (int i = 0; i < 400; i++) {
      Chunk chunk = chunk(i, Chunker.MAX_CHUNK_BYTES);
      store.put(chunk.hash(), chunk.bytes());
      assertTrue(store.bytesInMemory() <= 17 * 1024 * 1024, "in memory: " + store.bytesInMemory());
    }
  }

  @Test
  @Timeout(30)
  void whoMustNotWaitIsToldToComeAgain() throws Exception {
    below.holding.acquire();
    List<Chunk> fill = IntStream.range(0, 300).mapToObj(i -> chunk(i, 64 << 10)).toList();
    try (ExecutorService filler = Executors.newSingleThreadExecutor()) {
      try {
        Future<?> full = filler.submit(() -> store.putAll(fill));
        await("more than fits", () -> store.bytesInMemory() > 16 << 20);
        Chunk small = chunk(1_000, 100);
        ChunkStoreException e =
            assertThrows(ChunkStoreException.class, () -> store.putAllIfAbsent(List.of(small)));
        assertEquals(Errno.EAGAIN, e.errno());
        assertFalse(store.contains(small.hash()), "not taken");
        assertFalse(full.isDone(), "who may wait does");
      } finally {
        below.holding.release();
      }
    }
    store.putAllIfAbsent(List.of(chunk(1_000, 100)));
    assertTrue(store.contains(chunk(1_000, 100).hash()));
  }

  @Test
  void closingWritesWhatIsInMemory() {
    Chunk chunk = chunk(7, 64);
    store.put(chunk.hash(), chunk.bytes());
    store.close();
    store.close();
    assertTrue(below.contains(chunk.hash()));
    assertThrows(IllegalStateException.class, () -> store.contains(chunk.hash()));
  }

  /** A chunk moves from memory to the underlying store; a reader must find it at every moment. */
  @Test
  void noReaderEverMissesAChunkThatWasTaken() throws Exception {
    long seed = System.nanoTime();
    try (ExecutorService readers = Executors.newFixedThreadPool(2)) {
      List<Chunk> taken = new java.util.concurrent.CopyOnWriteArrayList<>();
      List<Future<?>> runs = new ArrayList<>();
      for (int r = 0; r < 2; r++) {
        Random random = new Random(seed + r);
        runs.add(
            readers.submit(
                () -> {
                  while (taken.size() < 2_000) {
                    if (!taken.isEmpty()) {
                      Chunk chunk = taken.get(random.nextInt(taken.size()));
                      assertArrayEquals(chunk.bytes(), store.get(chunk.hash()), "seed " + seed);
                    }
                  }
                }));
      }
      for (int i = 0; i < 2_000; i++) {
        Chunk chunk = chunk(i, 200);
        store.put(chunk.hash(), chunk.bytes());
        taken.add(chunk);
        if (i % 100 == 0) {
          store.sync();
        }
      }
      for (Future<?> run : runs) {
        run.get(LIMIT.toSeconds(), TimeUnit.SECONDS);
      }
    }
  }

  private boolean refuses() {
    try {
      store.putAll(List.of());
      return false;
    } catch (ChunkStoreException e) {
      return true;
    }
  }

  private static Chunk chunk(int seed, int length) {
    byte[] bytes = new byte[length];
    new Random(seed).nextBytes(bytes);
    return Chunk.of(bytes);
  }

  @Test
  void whatWasStoredOrReadIsKnownToBeIntact() {
    Chunk stored = TestChunks.chunk(1);
    Chunk below = TestChunks.chunk(2);
    Chunk both = TestChunks.chunk(3);
    this.below.put(below.hash(), below.bytes());
    this.below.put(both.hash(), new byte[] {1});
    assertFalse(store.isKnownVerified(stored.hash()));
    store.put(stored.hash(), stored.bytes());
    store.sync();
    assertTrue(store.isKnownVerified(stored.hash()));
    assertFalse(store.isKnownVerified(below.hash()), "nobody has looked");
    assertArrayEquals(below.bytes(), store.getVerified(below.hash()));
    assertTrue(store.isKnownVerified(below.hash()));
    store.putAllIfAbsent(List.of(both));
    store.sync();
    assertFalse(store.isKnownVerified(both.hash()), "the copy of before was left as it is");
    assertThrows(ChunkStoreException.class, () -> store.getVerified(both.hash()));
    assertFalse(store.contains(both.hash()));
  }

  @Test
  void aCollectionKeepsWhatWasInMemoryWhenItBegan() {
    Chunk known = chunk(101, 100);
    Chunk fresh = chunk(102, 100);
    Chunk dead = chunk(103, 100);
    below.putAll(List.of(known, dead));
    below.refuseWith(Errno.EAGAIN);
    store.putAll(List.of(known, fresh));
    CollectionRun run = store.beginCollection();
    below.refuseWith(null);
    store.sync();
    while (!run.sweep(10).isDone()) {
      // go on
    }
    var _ = run.finish();
    assertTrue(below.contains(known.hash()));
    assertTrue(below.contains(fresh.hash()));
    assertFalse(store.contains(dead.hash()));
  }

  private static void await(String what, BooleanSupplier condition) {
    long limit = System.nanoTime() + LIMIT.toNanos();
    while (!condition.getAsBoolean()) {
      assertFalse(System.nanoTime() - limit > 0, "not within " + LIMIT + ": " + what);
      Thread.onSpinWait();
    }
  }

  /** An underlying store that counts calls and can be made to fail. */
  private static final class Below implements ChunkStore {
    private final InMemoryChunkStore chunks = new InMemoryChunkStore();
    private final AtomicInteger batches = new AtomicInteger();
    private final AtomicInteger syncs = new AtomicInteger();
    private final AtomicInteger refused = new AtomicInteger();

    /** While a test holds this, all writes block. */
    private final Semaphore holding = new Semaphore(1);

    private volatile @Nullable Errno errno;
    private volatile boolean full;
    private volatile boolean breaks;

    void refuseWith(@Nullable Errno why) {
      errno = why;
    }

    @Override
    public int length(Hash hash) {
      return chunks.length(hash);
    }

    @Override
    public byte @Nullable [] get(Hash hash) {
      return chunks.get(hash);
    }

    @Override
    public byte @Nullable [] getVerified(Hash hash) {
      return chunks.getVerified(hash);
    }

    @Override
    public void put(Hash hash, byte[] bytes) {
      putAll(List.of(new Chunk(hash, bytes)));
    }

    @Override
    public void putAll(List<Chunk> batch) {
      holding.acquireUninterruptibly();
      holding.release();
      if (breaks && !batch.isEmpty()) {
        throw new IllegalArgumentException("told to break");
      }
      Errno why = errno;
      if (why != null) {
        refused.incrementAndGet();
        throw new ChunkStoreException(why, "told to refuse");
      }
      if (!batch.isEmpty()) {
        batches.incrementAndGet();
      }
      chunks.putAll(batch);
    }

    @Override
    public void requireSpace() {
      if (full) {
        throw new ChunkStoreException(Errno.ENOSPC, "told to be full");
      }
    }

    @Override
    public void sync() {
      syncs.incrementAndGet();
    }

    @Override
    public CollectionRun beginCollection(CollectionOptions options) {
      return chunks.beginCollection(options);
    }

    @Override
    public Predicate<Hash> newest(long bytes) {
      return chunks.newest(bytes);
    }

    @Override
    public ChunkStoreStats stats() {
      return chunks.stats();
    }

    @Override
    public void close() {
      chunks.close();
    }
  }
}
