package io.hypersync.chunkstore.disk;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreContract;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.TestChunks;
import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;

class DiskChunkStoreTest extends ChunkStoreContract {
  /**
   * Small limits, so that a test that writes a few megabytes fills segments and triggers
   * checkpoints.
   */
  static final DiskChunkStoreOptions SMALL =
      new DiskChunkStoreOptions(1 << 20, 512 << 10, 128 << 10, 0);

  @TempDir private Path directory;

  @Override
  protected ChunkStore open() {
    return DiskChunkStore.open(directory.resolve("store"), SMALL);
  }

  @Test
  void holdsWhatAnEarlierRunHasStored() {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(300).map(TestChunks::chunk).toList();
    for (int run = 0; run < 3; run++) {
      store.putAll(chunks.subList(run * 100, (run + 1) * 100));
      store.close();
      store = open();
      for (Chunk chunk : chunks.subList(0, (run + 1) * 100)) {
        assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
      }
    }
  }

  /**
   * The old layout, RocksDB in the directory itself, with and without the index of its last
   * version.
   */
  @ParameterizedTest(name = "{0} chunks, with an index: {1}")
  @CsvSource({"0, false", "1, true", "2500, false", "2500, true"})
  void takesOverAStoreOfBeforeThereWereSegments(int count, boolean indexed) throws Exception {
    List<Chunk> chunks =
        Stream.iterate(0L, i -> i + 1)
            .limit(count)
            .map(seed -> TestChunks.chunk(seed, seed % 50 == 0 ? 10_000 : 100))
            .toList();
    Path old = directory.resolve("old");
    try (Options options = new Options().setCreateIfMissing(true).setEnableBlobFiles(true);
        RocksDB db = RocksDB.open(options, old.toString())) {
      if (indexed) {
        db.createColumnFamily(
                new ColumnFamilyDescriptor("index".getBytes(StandardCharsets.US_ASCII)))
            .close();
      }
      for (Chunk chunk : chunks) {
        db.put(chunk.hash().toBytes(), chunk.bytes());
      }
    }
    Chunk later = TestChunks.chunk(1_000_000, 5_000);
    for (int run = 0; run < 2; run++) {
      try (ChunkStore reopened = DiskChunkStore.open(old, SMALL)) {
        for (Chunk chunk : chunks) {
          assertTrue(reopened.contains(chunk.hash()), "run " + run + " lacks " + chunk.hash());
          assertArrayEquals(chunk.bytes(), reopened.getVerified(chunk.hash()));
        }
        assertEquals(run == 1, reopened.contains(later.hash()), "run " + run);
        reopened.put(later.hash(), later.bytes());
      }
      try (Stream<Path> left = Files.list(old)) {
        assertEquals(
            Set.of("index", "segments"),
            left.map(file -> file.getFileName().toString()).collect(Collectors.toSet()),
            "nothing of the old store is left");
      }
    }
  }

  /**
   * With CURRENT.moved: a crash while the old store was being removed. Without: an old store that a
   * user is about to restore.
   */
  @ParameterizedTest(name = "moved: {0}")
  @ValueSource(booleans = {true, false})
  void removesTheRestOfAnOldStoreThatWasMovedAndOfNoOther(boolean moved) throws IOException {
    Chunk chunk = TestChunks.chunk(1);
    store.put(chunk.hash(), chunk.bytes());
    store.close();
    Path home = directory.resolve("store");
    Path rest = Files.writeString(home.resolve("000007.sst"), "rest");
    Path mark = home.resolve("CURRENT.moved");
    if (moved) {
      Files.writeString(mark, "MANIFEST-000001");
    }
    store = open();
    assertEquals(!moved, Files.exists(rest));
    assertFalse(Files.exists(mark));
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 65_536})
  void detectsABitThatHasFlippedOnDisk(int length) throws IOException {
    Chunk chunk = TestChunks.chunk(1, length);
    store.put(chunk.hash(), chunk.bytes());
    store.close();
    open().close(); // indexes the chunk, so that the next open does not verify it
    flipOneBitOf(chunk, segments());
    store = open();
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> store.getVerified(chunk.hash()));
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains(chunk.hash().toString()), e.getMessage());
    assertFalse(store.contains(chunk.hash()), "it must be asked for again");

    store.put(chunk.hash(), chunk.bytes());
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()), "stored again");
    ((DiskChunkStore) store).checkpoint();
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()), "in the index, too");
    store.close();
    store = open();
    assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()), "and after another start");
  }

  /** Chunks that are in the index but no longer on the disk. */
  @ParameterizedTest(name = "removed: {0}")
  @ValueSource(booleans = {true, false})
  void aChunkThatCannotBeReadIsNotHere(boolean removed) throws IOException {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(200).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    store.close();
    open().close();
    Path first = segmentFiles().getFirst();
    if (removed) {
      Files.delete(first);
    } else {
      Files.write(first, new byte[0]);
    }
    store = open();
    Chunk lost = chunks.getFirst();
    assertTrue(store.contains(lost.hash()), "nobody has looked yet");
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> store.getVerified(lost.hash()));
    assertNamesNoClass(e.getMessage());
    assertFalse(store.contains(lost.hash()));
    store.put(lost.hash(), lost.bytes());
    assertArrayEquals(lost.bytes(), store.getVerified(lost.hash()));
  }

  @Test
  void beginsSegmentsAndFindsEverythingInAllOfThem() throws IOException {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(200).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    assertTrue(segmentFiles().size() > 3, segmentFiles().toString());
    for (Path file : segmentFiles()) {
      assertTrue(Files.size(file) <= SMALL.segmentBytes(), file + " is too long");
    }
    for (Chunk chunk : chunks) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  /** The index can be rebuilt from the segments. */
  @Test
  void survivesTheLossOfItsIndex() throws IOException {
    List<Chunk> chunks = Stream.iterate(0L, i -> i + 1).limit(200).map(TestChunks::chunk).toList();
    store.putAll(chunks);
    store.close();
    Path index = directory.resolve("store").resolve("index");
    try (Stream<Path> files = Files.list(index)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(index);
    store = open();
    for (Chunk chunk : chunks) {
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
    }
  }

  /** What a power failure can leave of records that were not synced. */
  @ParameterizedTest
  @ValueSource(strings = {"short", "header", "bytes", "zeros", "garbage"})
  void goesOnBehindATornTail(String tail) throws IOException {
    Chunk whole = TestChunks.chunk(1, 1_000);
    Chunk torn = TestChunks.chunk(2, 9_000);
    store.putAll(List.of(whole, torn));
    store.close();
    Path file = segmentFiles().getLast();
    byte[] content = Files.readAllBytes(file);
    int second = 2 * SegmentRecord.HEADER_BYTES + 1_000;
    byte[] left =
        switch (tail) {
          case "short" -> Arrays.copyOf(content, content.length - 1);
          case "header" -> Arrays.copyOf(content, second - 1);
          case "bytes" -> overwritten(content, second + 4_096, new byte[4_096]);
          case "zeros" -> overwritten(content, second - 44, new byte[9_044]);
          default -> overwritten(content, second - 44, TestChunks.chunk(3, 9_044).bytes());
        };
    Files.write(file, left);
    for (int run = 0; run < 2; run++) {
      store = open();
      assertArrayEquals(whole.bytes(), store.getVerified(whole.hash()));
      assertEquals(run == 1, store.contains(torn.hash()), "run " + run);
      store.put(torn.hash(), torn.bytes());
      assertArrayEquals(torn.bytes(), store.getVerified(torn.hash()));
      store.close();
    }
  }

  /** A record with corrupt bytes does not end the scan. */
  @Test
  void passesOverADamagedChunkThatIsNotInTheIndex() throws IOException {
    List<Chunk> chunks =
        List.of(TestChunks.chunk(1, 500), TestChunks.chunk(2, 500), TestChunks.chunk(3, 500));
    store.putAll(chunks);
    store.close();
    flipOneBitOf(chunks.get(1), segments());
    store = open();
    assertTrue(store.contains(chunks.get(0).hash()));
    assertFalse(store.contains(chunks.get(1).hash()), "it must be asked for again");
    assertArrayEquals(chunks.get(2).bytes(), store.getVerified(chunks.get(2).hash()));
  }

  /** Nor does a record with a corrupt header. */
  @Test
  void findsTheRecordsBehindASpoiltHeader() throws IOException {
    List<Chunk> chunks =
        List.of(TestChunks.chunk(1, 500), TestChunks.chunk(2, 60_000), TestChunks.chunk(3, 60_000));
    store.putAll(chunks);
    store.close();
    Path file = segmentFiles().getLast();
    byte[] content = Files.readAllBytes(file);
    content[SegmentRecord.HEADER_BYTES + 500 + 20] ^= 1;
    Files.write(file, content);
    store = open();
    assertTrue(store.contains(chunks.get(0).hash()));
    assertFalse(store.contains(chunks.get(1).hash()));
    assertArrayEquals(chunks.get(2).bytes(), store.getVerified(chunks.get(2).hash()));
  }

  /** The bytes of a chunk can look like a record, even like one of the same store. */
  @Test
  void doesNotTakeTheInsideOfAChunkForARecord() throws IOException {
    Chunk inner = TestChunks.chunk(1, 300);
    store.put(inner.hash(), inner.bytes());
    byte[] record = Files.readAllBytes(segmentFiles().getLast());
    Chunk outer = Chunk.of(Arrays.copyOf(record, 2 * record.length));
    store.put(outer.hash(), outer.bytes());
    store.close();
    Path file = segmentFiles().getLast();
    byte[] content = Files.readAllBytes(file);
    content[record.length] ^= 1; // destroys the outer record's header and so its length
    Files.write(file, content);
    store = open();
    assertTrue(store.contains(inner.hash()));
    assertFalse(store.contains(outer.hash()));
  }

  @Test
  void saysThatASegmentIsGone() throws IOException {
    Chunk chunk = TestChunks.chunk(1);
    store.put(chunk.hash(), chunk.bytes());
    store.close();
    open().close();
    Files.delete(segmentFiles().getLast());
    ChunkStoreException e = assertThrows(ChunkStoreException.class, this::open);
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains("segment 1"), e.getMessage());
    store = DiskChunkStore.open(directory.resolve("another"), SMALL);
  }

  /**
   * An interrupt closes Java's file channels. The thread must stay interrupted, and the store must
   * keep working.
   */
  @Test
  void mindsNoInterrupt() {
    Chunk chunk = TestChunks.chunk(1);
    Thread.currentThread().interrupt();
    try {
      store.put(chunk.hash(), chunk.bytes());
      store.sync();
      assertArrayEquals(chunk.bytes(), store.getVerified(chunk.hash()));
      assertTrue(Thread.currentThread().isInterrupted());
    } finally {
      var _ = Thread.interrupted();
    }
  }

  @Test
  void saysThatItIsInUse() {
    ChunkStoreException e = assertThrows(ChunkStoreException.class, this::open);
    assertEquals(Errno.EBUSY, e.errno(), e.getMessage());
    assertTrue(e.getMessage().contains(directory.toString()), e.getMessage());
  }

  @Test
  void saysThatAnotherProcessHasIt() throws IOException {
    Path elsewhere = directory.resolve("elsewhere");
    try (ChildJvm child = new ChildJvm(Holder.class, elsewhere)) {
      assertEquals("open", child.readLine());
      ChunkStoreException e =
          assertThrows(ChunkStoreException.class, () -> DiskChunkStore.open(elsewhere, SMALL));
      assertEquals(Errno.EBUSY, e.errno(), e.getMessage());
    }
    DiskChunkStore.open(elsewhere, SMALL).close();
  }

  @Test
  void saysThatItCannotBeOpened() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> DiskChunkStore.open(file, SMALL));
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
    assertNamesNoClass(e.getMessage());
  }

  /** Messages are for users, so they must not contain Java class names. */
  private static void assertNamesNoClass(String message) {
    assertFalse(message.contains("Exception") || message.contains("java."), message);
  }

  /** Opens the store in args[0] and keeps it open. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws InterruptedException {
      try (ChunkStore held = DiskChunkStore.open(Path.of(args[0]), SMALL)) {
        System.out.println(held.stats().approximateChunks() == 0 ? "open" : "not empty");
        Thread.sleep(60_000);
      }
    }
  }

  private static void flipOneBitOf(Chunk chunk, Path directory) throws IOException {
    int flipped = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        byte[] content = Files.readAllBytes(file);
        int at = indexOf(content, chunk.bytes());
        if (at >= 0) {
          content[at + chunk.bytes().length / 2] ^= 4;
          Files.write(file, content);
          flipped++;
        }
      }
    }
    assertEquals(1, flipped, "the chunk should be in one file, plainly");
  }

  private Path segments() {
    return directory.resolve("store").resolve("segments");
  }

  private List<Path> segmentFiles() throws IOException {
    try (Stream<Path> files = Files.list(segments())) {
      return files.sorted().toList();
    }
  }

  private static byte[] overwritten(byte[] content, int at, byte[] with) {
    byte[] changed = content.clone();
    System.arraycopy(with, 0, changed, at, with.length);
    return changed;
  }

  private static int indexOf(byte[] content, byte[] wanted) {
    for (int at = 0; at <= content.length - wanted.length; at++) {
      if (Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
