package io.hypersync.chunkstore.rocks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
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
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.rocksdb.ColumnFamilyDescriptor;
import org.rocksdb.ColumnFamilyHandle;
import org.rocksdb.Options;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;

class RocksChunkStoreTest extends ChunkStoreContract {
  /** Small enough that a test of some megabytes sees flushes, blob files and recycled logs. */
  static final RocksChunkStoreOptions SMALL = new RocksChunkStoreOptions(1 << 20, 512 << 10, 2, 0);

  @TempDir private Path directory;

  @Override
  protected ChunkStore open() {
    return RocksChunkStore.open(directory.resolve("store"), SMALL);
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

  /** A store of before there was an index: chunks in the default column family, no other one. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2_500})
  void knowsTheChunksOfAStoreWithoutAnIndex(int count) throws RocksDBException {
    List<Chunk> chunks =
        Stream.iterate(0L, i -> i + 1)
            .limit(count)
            .map(seed -> TestChunks.chunk(seed, seed % 50 == 0 ? 10_000 : 100))
            .toList();
    Path old = directory.resolve("old");
    try (Options options = new Options().setCreateIfMissing(true).setEnableBlobFiles(true);
        RocksDB db = RocksDB.open(options, old.toString())) {
      for (Chunk chunk : chunks) {
        db.put(chunk.hash().toBytes(), chunk.bytes());
      }
    }
    Chunk later = TestChunks.chunk(1_000_000, 5_000);
    for (int run = 0; run < 2; run++) {
      try (ChunkStore reopened = RocksChunkStore.open(old, SMALL)) {
        for (Chunk chunk : chunks) {
          assertTrue(reopened.contains(chunk.hash()), "run " + run + " lacks " + chunk.hash());
          assertArrayEquals(chunk.bytes(), reopened.getVerified(chunk.hash()));
        }
        assertEquals(run == 1, reopened.contains(later.hash()), "run " + run);
        reopened.put(later.hash(), later.bytes());
      }
    }
  }

  /** A crash while the index was being made leaves some of it and no mark that it is whole. */
  @Test
  void completesAnIndexThatIsInPart() throws RocksDBException {
    Chunk indexed = TestChunks.chunk(1, 100);
    Chunk notIndexed = TestChunks.chunk(2, 100);
    Path old = directory.resolve("old");
    byte[] nothing = {};
    try (Options options = new Options().setCreateIfMissing(true);
        RocksDB db = RocksDB.open(options, old.toString());
        ColumnFamilyHandle index =
            db.createColumnFamily(
                new ColumnFamilyDescriptor("index".getBytes(StandardCharsets.US_ASCII)))) {
      db.put(indexed.hash().toBytes(), indexed.bytes());
      db.put(index, indexed.hash().toBytes(), nothing);
      db.put(notIndexed.hash().toBytes(), notIndexed.bytes());
      db.put(index, new byte[] {0}, nothing); // an index without lengths, that said it was whole
    }
    try (ChunkStore reopened = RocksChunkStore.open(old, SMALL)) {
      assertEquals(100, reopened.length(indexed.hash()));
      assertEquals(100, reopened.length(notIndexed.hash()));
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {100, 65_536})
  void detectsABitThatHasFlippedOnDisk(int length) throws IOException {
    Chunk chunk = TestChunks.chunk(1, length);
    store.put(chunk.hash(), chunk.bytes());
    store.close();
    open().close(); // moves the chunk from the write-ahead log to where it stays
    flipOneBitOf(chunk, directory.resolve("store"));
    store = open();
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> store.getVerified(chunk.hash()));
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains(chunk.hash().toString()), e.getMessage());
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
          assertThrows(ChunkStoreException.class, () -> RocksChunkStore.open(elsewhere, SMALL));
      assertEquals(Errno.EBUSY, e.errno(), e.getMessage());
    }
    RocksChunkStore.open(elsewhere, SMALL).close();
  }

  @Test
  void saysThatItCannotBeOpened() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "not a directory");
    ChunkStoreException e =
        assertThrows(ChunkStoreException.class, () -> RocksChunkStore.open(file, SMALL));
    assertEquals(Errno.EIO, e.errno());
    assertTrue(e.getMessage().contains(file.toString()), e.getMessage());
  }

  /** Opens the store in args[0] and holds it. */
  static final class Holder {
    private Holder() {}

    public static void main(String[] args) throws InterruptedException {
      try (ChunkStore held = RocksChunkStore.open(Path.of(args[0]), SMALL)) {
        System.out.println(held.stats().approximateChunks() == 0 ? "open" : "not empty");
        Thread.sleep(60_000);
      }
    }
  }

  private static void flipOneBitOf(Chunk chunk, Path directory) throws IOException {
    int flipped = 0;
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.filter(f -> f.toString().matches(".*\\.(sst|blob)")).toList()) {
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

  private static int indexOf(byte[] content, byte[] wanted) {
    for (int at = 0; at <= content.length - wanted.length; at++) {
      if (java.util.Arrays.equals(content, at, at + wanted.length, wanted, 0, wanted.length)) {
        return at;
      }
    }
    return -1;
  }
}
