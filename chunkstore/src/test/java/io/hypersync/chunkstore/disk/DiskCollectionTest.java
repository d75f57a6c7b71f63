package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionPlan;
import io.hypersync.chunkstore.CollectionProgress;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.SegmentUsage;
import io.hypersync.chunkstore.TestChunks;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Collections of a store on disk: what goes, what stays, and what is reported. */
class DiskCollectionTest {
  /** Ten of the chunks below fill a segment. */
  static final DiskChunkStoreOptions TINY =
      new DiskChunkStoreOptions(1 << 20, 64 << 10, 32 << 10, 0);

  private static final int CHUNK_BYTES = 6_000;
  private static final int PER_SEGMENT = 10;
  private static final int CHUNKS = 10 * PER_SEGMENT + 5;
  private static final CollectionOptions HALF = new CollectionOptions(50, false);

  @TempDir private Path directory;
  private DiskChunkStore store;
  private final List<Chunk> chunks =
      IntStream.range(0, CHUNKS).mapToObj(i -> TestChunks.chunk(i, CHUNK_BYTES)).toList();

  @BeforeEach
  void fill() {
    store = open();
    for (Chunk chunk : chunks) {
      store.put(chunk.hash(), chunk.bytes());
    }
    store.checkpoint();
  }

  @AfterEach
  void close() {
    store.close();
  }

  @Test
  void deletesASegmentWithoutLivingChunksAndCopiesNothing() throws IOException {
    IntPredicate live = i -> i / PER_SEGMENT % 2 == 0;
    CollectionProgress done = collect(HALF, live);
    assertEquals(5, done.segmentsDeleted());
    assertEquals(0, done.bytesCopied());
    assertEquals(5 * PER_SEGMENT, done.chunksRemoved());
    assertEquals(Set.of(1, 3, 5, 7, 9, 11), segments());
    requireExactly(live);
    reopen();
    requireExactly(live);
  }

  /** Segment i has 11 - i living chunks of ten, and the newest one has none. */
  @ParameterizedTest(name = "from {0} percent on: {1} segments")
  @CsvSource({"1, 10", "15, 9", "45, 6", "55, 5", "85, 2", "95, 1"})
  void emptiesSegmentsFromAThresholdOn(int percent, int expected) {
    IntPredicate live = i -> i % PER_SEGMENT < PER_SEGMENT - i / PER_SEGMENT;
    CollectionOptions options = new CollectionOptions(percent, false);
    CollectionPlan plan;
    try (CollectionRun run = store.beginCollection(options)) {
      mark(run, live);
      plan = run.plan();
    }
    long planned =
        plan.segments().stream().filter(usage -> usage.fate() != SegmentUsage.Fate.KEPT).count();
    assertEquals(expected, planned, plan.toString());
    CollectionProgress done = collect(options, live);
    assertEquals(planned, done.segmentsDeleted());
    assertEquals(plan.copiedBytes(), done.bytesCopied());
    assertEquals(plan.freedBytes(), done.bytesDeleted() - done.bytesCopied());
    requireAll(live);
    reopen();
    requireAll(live);
  }

  /** A small store would otherwise keep what is dead until a whole segment is written. */
  @Test
  void endsTheNewestSegmentIfItIsSparseAndEmptiesItInTheSameRun() throws IOException {
    IntPredicate live = i -> i < 10 * PER_SEGMENT || i == CHUNKS - 1; // one of five in the last
    CollectionProgress done = collect(HALF, live);
    assertEquals(1, done.segmentsDeleted());
    assertEquals(1, done.chunksCopied());
    assertFalse(segments().contains(11), segments().toString());
    for (int i = 0; i < 2; i++) {
      requireExactly(live);
      assertFalse(store.contains(chunks.get(CHUNKS - 2).hash()), "a dead one of the newest");
      reopen();
    }
    assertEquals(0, collect(HALF, live).segmentsDeleted(), "what is left is alive");
  }

  /** What is stored while the run measures goes to the newest segment, and is kept. */
  @Test
  void theNewestSegmentStaysIfItHasFilledUpMeanwhile() throws IOException {
    IntPredicate live = i -> i < 10 * PER_SEGMENT || i == CHUNKS - 1;
    List<Chunk> later = new ArrayList<>();
    try (CollectionRun run = store.beginCollection(HALF)) {
      mark(run, live);
      var _ = run.sweep(0); // has the sizes of the segments
      for (int i = 0; i < PER_SEGMENT - CHUNKS % PER_SEGMENT; i++) {
        Chunk chunk = TestChunks.chunk(10_000 + i, CHUNK_BYTES);
        later.add(chunk);
        store.put(chunk.hash(), chunk.bytes());
      }
      while (!run.sweep(0).isDone()) {}
      assertEquals(0, run.finish().segmentsDeleted());
    }
    assertTrue(segments().contains(11), segments().toString());
    requireAll(live);
    for (Chunk chunk : later) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  @Test
  void leavesTheNewestSegmentIfHalfOfItIsAlive() throws IOException {
    IntPredicate live = i -> i < CHUNKS - 2; // three of five in the last
    var _ = collect(HALF, live);
    assertFalse(segments().contains(12), segments().toString());
  }

  @Test
  void tellsWhatIsAlive() {
    assertEquals(ChunkStoreStats.NOT_MEASURED, store.stats().liveBytes());
    long before = store.stats().bytesOnDisk();
    CollectionProgress done = collect(HALF, i -> i % 10 == 0);
    ChunkStoreStats stats = store.stats();
    assertEquals(done.liveBytes(), stats.liveBytes());
    assertEquals(done.deadBytes(), stats.deadBytes());
    assertTrue(stats.liveBytes() >= 10 * CHUNK_BYTES, stats.toString());
    assertTrue(stats.deadBytes() < 2 * TINY.segmentBytes(), stats.toString());
    assertTrue(stats.bytesOnDisk() < before - 400_000, before + " before, " + stats);
    assertTrue(stats.approximateChunks() < CHUNKS / 2, stats.toString());
  }

  /** The store is closed without a sync after every number of steps, and opened again. */
  @Test
  void survivesAnEndOfTheProcessAfterEachStep() {
    IntPredicate live = i -> i % 5 == 0;
    boolean done = false;
    int step = 0;
    while (!done) {
      try (CollectionRun run = store.beginCollection(HALF)) {
        mark(run, live);
        for (int i = 0; i < step && !done; i++) {
          done = run.sweep(0).isDone();
        }
        reopen();
      }
      requireAll(live);
      step++;
      assertTrue(step < 1_000, "does not end");
    }
    assertTrue(step > 5, "has taken " + step + " steps");
    requireAll(live);
    assertTrue(segments().size() <= 6, segments().toString());
  }

  /** A loss of power can bring a deleted file back. */
  @ParameterizedTest(name = "with the index: {0}")
  @ValueSource(booleans = {true, false})
  void aDeletedSegmentThatIsBackDoesNoHarm(boolean withIndex) throws IOException {
    Path saved = Files.createDirectory(directory.resolve("saved"));
    for (int segment : segments()) {
      Files.copy(file(segment), saved.resolve(file(segment).getFileName()));
    }
    IntPredicate live = i -> i % 5 == 0;
    var _ = collect(HALF, live);
    store.close();
    try (Stream<Path> files = Files.list(saved)) {
      for (Path file : files.toList()) {
        Path back = file(1).resolveSibling(file.getFileName());
        if (!Files.exists(back)) {
          Files.copy(file, back);
        }
      }
    }
    if (!withIndex) {
      deleteIndex();
    }
    store = open();
    requireAll(live);
    var _ = collect(HALF, live);
    requireAll(live);
    assertTrue(segments().size() <= 5, segments().toString());
    reopen();
    requireAll(live);
  }

  @Test
  void findsEverythingWithoutItsIndex() throws IOException {
    IntPredicate live = i -> i % 5 == 0;
    var _ = collect(HALF, live);
    store.close();
    deleteIndex();
    store = open();
    requireAll(live);
  }

  /**
   * A living chunk cannot be read. The others are rescued, the segment stays, and the chunk is
   * reported until it is stored again.
   */
  @ParameterizedTest
  @ValueSource(strings = {"bit", "header", "end", "gone"})
  void reportsWhatItCannotRead(String damage) throws IOException {
    IntPredicate live = i -> i % 5 == 4;
    int victim = 4 * PER_SEGMENT + 9;
    Path file = file(5);
    byte[] content = Files.readAllBytes(file);
    switch (damage) {
      case "bit" -> content[content.length - 10] ^= 1;
      case "header" -> content[content.length - CHUNK_BYTES - 40] ^= 1;
      default -> content = Arrays.copyOf(content, content.length - 10);
    }
    byte[] whole = Files.readAllBytes(file);
    if (damage.equals("gone")) {
      Files.delete(file);
    } else {
      Files.write(file, content);
    }
    CollectionProgress done = collect(HALF, live);
    if (damage.equals("header")) {
      assertEquals(0, done.unreadableChunks(), "the index knows where its bytes are");
      requireAll(live);
      return;
    }
    assertEquals(1, done.segmentsLeft());
    assertTrue(done.unreadable().contains(chunks.get(victim).hash()));
    assertEquals(damage.equals("gone") ? 2 : 1, done.unreadableChunks());
    for (int run = 0; run < 2; run++) {
      assertFalse(run == 0 && store.contains(chunks.get(victim).hash()), "counts as missing");
      ChunkStoreException e =
          assertThrows(
              ChunkStoreException.class, () -> store.getVerified(chunks.get(victim).hash()));
      assertEquals(Errno.EIO, e.errno());
      done = collect(HALF, live);
      assertEquals(damage.equals("gone") ? 2 : 1, done.unreadableChunks(), "still reported");
      reopen();
    }
    if (damage.equals("end")) {
      Files.write(file, whole); // somebody has restored it
    } else {
      chunks.forEach(chunk -> store.put(chunk.hash(), chunk.bytes()));
    }
    requireAll(live);
    assertEquals(0, collect(HALF, live).unreadableChunks());
    assertFalse(Files.exists(file));
    requireAll(live);
  }

  @Test
  void aDeadChunkThatIsDamagedHindersNothing() throws IOException {
    Path file = file(5);
    byte[] content = Files.readAllBytes(file);
    content[content.length - 10] ^= 1;
    Files.write(file, content);
    CollectionProgress done = collect(HALF, i -> i % 5 == 0);
    assertEquals(0, done.unreadableChunks());
    assertFalse(Files.exists(file));
    requireAll(i -> i % 5 == 0);
  }

  @Test
  void readsGoOnWhileSegmentsAreDeleted() throws Exception {
    IntPredicate live = i -> i % 5 == 0;
    AtomicBoolean ended = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(3)) {
      List<Future<Long>> readers = new ArrayList<>();
      for (int i = 0; i < 3; i++) {
        boolean verified = i > 0;
        readers.add(threads.submit(() -> readUntil(ended, live, verified)));
      }
      try {
        for (int round = 0; round < 8; round++) {
          try (CollectionRun run = store.beginCollection(new CollectionOptions(1, false))) {
            mark(run, live);
            while (!run.sweep(0).isDone()) {
              // go on
            }
          }
          for (int i = 0; i < 100; i++) {
            Chunk dead = TestChunks.chunk(1_000 * (round + 1) + i, CHUNK_BYTES);
            store.put(dead.hash(), dead.bytes());
            if (i % 30 == 0) { // makes the next round move the living ones
              chunks.stream()
                  .filter(chunk -> live.test(chunks.indexOf(chunk)))
                  .limit(2)
                  .forEach(chunk -> store.put(chunk.hash(), chunk.bytes()));
            }
          }
          store.checkpoint();
        }
      } finally {
        ended.set(true);
      }
      for (Future<Long> reader : readers) {
        assertTrue(reader.get() > 0);
      }
    }
    requireAll(live);
  }

  /** A caller asks for dead chunks all the time: whatever is promised is kept. */
  @Test
  void decidesBetweenARemovalAndACallerWhoAsks() throws Exception {
    AtomicBoolean ended = new AtomicBoolean();
    try (ExecutorService threads = Executors.newFixedThreadPool(2);
        CollectionRun run = store.beginCollection(HALF)) {
      List<Future<Set<Integer>>> askers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        int first = i;
        askers.add(
            threads.submit(
                () -> {
                  Set<Integer> promised = new TreeSet<>();
                  for (int at = first * 50; !ended.get(); at = (at + 7) % CHUNKS) {
                    boolean here = store.contains(chunks.get(at).hash());
                    assertFalse(promised.contains(at) && !here, "chunk " + at + " is gone");
                    if (here) {
                      promised.add(at);
                    }
                    if (at % 3 == 0) {
                      Thread.onSpinWait();
                    }
                    if (promised.size() > 20) {
                      break;
                    }
                  }
                  return promised;
                }));
      }
      try {
        while (!run.sweep(0).isDone()) {
          // go on
        }
      } finally {
        ended.set(true);
      }
      for (Future<Set<Integer>> asker : askers) {
        for (int at : asker.get()) {
          assertArrayEquals(chunks.get(at).bytes(), store.getVerified(chunks.get(at).hash()));
        }
      }
    }
  }

  @Test
  void takesNoReserveUnlessThereIsPlentyOfRoom() throws IOException {
    var _ = collect(new CollectionOptions(50, true), i -> i % 5 == 0);
    Path reserve = directory.resolve("store").resolve("reserve");
    assertEquals(TINY.segmentBytes(), Files.size(reserve));
    Files.move(reserve, directory.resolve("away"), StandardCopyOption.ATOMIC_MOVE);
    store.close();
    store =
        DiskChunkStore.open(
            directory.resolve("store"),
            new DiskChunkStoreOptions(1 << 20, 64 << 10, 32 << 10, 1L << 60));
    try (CollectionRun run = store.beginCollection()) {
      while (!run.sweep(1 << 20).isDone()) {
        // everything is dead: no room is needed
      }
    }
    assertFalse(Files.exists(reserve));
  }

  private long readUntil(AtomicBoolean ended, IntPredicate live, boolean verified) {
    long reads = 0;
    while (!ended.get()) {
      for (int i = 0; i < CHUNKS; i++) {
        if (live.test(i)) {
          Chunk chunk = chunks.get(i);
          byte[] bytes = verified ? store.getVerified(chunk.hash()) : store.get(chunk.hash());
          assertArrayEquals(chunk.bytes(), bytes);
          reads++;
        }
      }
    }
    return reads;
  }

  private CollectionProgress collect(CollectionOptions options, IntPredicate live) {
    try (CollectionRun run = store.beginCollection(options)) {
      mark(run, live);
      while (!run.sweep(20_000).isDone()) {
        // go on
      }
      return run.finish();
    }
  }

  private void mark(CollectionRun run, IntPredicate live) {
    IntStream.range(0, CHUNKS).filter(live).forEach(i -> run.mark(chunks.get(i).hash()));
  }

  private void requireAll(IntPredicate live) {
    for (int i = 0; i < CHUNKS; i++) {
      if (live.test(i)) {
        assertTrue(store.contains(chunks.get(i).hash()), "chunk " + i);
        assertArrayEquals(chunks.get(i).bytes(), store.getVerified(chunks.get(i).hash()));
      }
    }
  }

  /** All living chunks are here, and no dead one outside of the newest segment. */
  private void requireExactly(IntPredicate live) {
    requireAll(live);
    for (int i = 0; i < CHUNKS - CHUNKS % PER_SEGMENT; i++) {
      if (!live.test(i)) {
        assertFalse(store.contains(chunks.get(i).hash()), "chunk " + i);
        assertNull(store.getVerified(chunks.get(i).hash()));
      }
    }
  }

  private void reopen() {
    store.close();
    store = open();
  }

  private DiskChunkStore open() {
    return DiskChunkStore.open(directory.resolve("store"), TINY);
  }

  private void deleteIndex() throws IOException {
    Path index = directory.resolve("store").resolve("index");
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
  }

  private Path file(int segment) {
    return directory.resolve("store/segments/%010d.chunks".formatted(segment));
  }

  private Set<Integer> segments() {
    Set<Integer> numbers = new TreeSet<>();
    for (int segment = 1; segment < 1_000; segment++) {
      if (Files.exists(file(segment))) {
        numbers.add(segment);
      }
    }
    return numbers;
  }
}
