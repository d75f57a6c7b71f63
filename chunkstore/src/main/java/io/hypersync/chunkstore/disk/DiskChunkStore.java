package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.disk.SegmentWriter.Written;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Chunks in segment files, each written once, and an index of where they are (decision 011).
 *
 * <pre>
 * directory/
 *   segments/0000000001.chunks ...   {@link SegmentRecord}s, appended
 *   index/                           RocksDB: {@link ChunkIndex}
 * </pre>
 *
 * <p>A put appends to the newest segment and notes the place in memory; a sync syncs that segment.
 * Now and then a checkpoint syncs it, writes the noted places to the index, and how far that goes.
 * So the index never knows a place that a crash could take the bytes of, and what it does not know
 * yet is read from the segments when the store is opened. That makes it durable before anything
 * else: whoever asked whether the chunk is here relies on the next sync.
 *
 * <p>Locks are taken in the order of the fields, then the writer's.
 */
public final class DiskChunkStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(DiskChunkStore.class);
  private static final String SEGMENTS = "segments";
  private static final String INDEX = "index";

  /** With so many checkpoints owing, nothing more is taken until one succeeds. */
  private static final int MAX_OWING = 4;

  /** A checkpoint is due with so many places in memory: they take 100 bytes each. */
  private static final int MAX_PLACES = 1 << 16;

  private final Path directory;
  private final DiskChunkStoreOptions options;
  private final FreeSpace space;
  private final SegmentFiles files;
  private final ChunkIndex index;
  private final SegmentWriter writer;

  /** One checkpoint at a time. */
  private final ReentrantLock checkpointing = new ReentrantLock();

  /** One append at a time. */
  private final ReentrantLock appending = new ReentrantLock();

  /** What the index does not have yet, in the order of the segments; guarded by appending. */
  private List<Written> fresh = new ArrayList<>();

  /** The same for readers. A chunk leaves it after the index has it. */
  private final Map<Hash, Place> places = new ConcurrentHashMap<>();

  /** Where copies are that could not be read, or were damaged: they count as not there. */
  private final Map<Hash, Place> bad = new ConcurrentHashMap<>();

  /** {@link SegmentWriter#appended} at the last checkpoint. */
  private volatile long checkpointed;

  /** Why the last checkpoint failed, if it did; written while {@link #checkpointing} is held. */
  private String lateBecause = "";

  private volatile boolean closed;

  private DiskChunkStore(
      Path directory,
      DiskChunkStoreOptions options,
      SegmentFiles files,
      ChunkIndex index,
      FreeSpace space,
      SegmentWriter writer) {
    this.directory = directory;
    this.options = options;
    this.space = space;
    this.files = files;
    this.index = index;
    this.writer = writer;
  }

  /**
   * Opens the store in a directory of its own, which is created if it does not exist. Everything
   * that was written before, synced or not, is durable if it is still there afterwards.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if it is open already, here or in another
   *     process; {@link Errno#ENOSPC}; {@link Errno#EIO}
   */
  public static DiskChunkStore open(Path directory, DiskChunkStoreOptions options) {
    try {
      Files.createDirectories(directory);
      DiskChunkStore store = recover(directory, options);
      try {
        OldLayout.moveInto(store, directory);
        return store;
      } catch (IOException | RuntimeException e) {
        store.close();
        throw e;
      }
    } catch (IOException e) {
      throw IoFailures.translate("cannot open the chunk store " + directory, e);
    }
  }

  @Override
  public int length(Hash hash) {
    Place place = find(hash);
    // By its place, so that another copy counts.
    return place == null || place.equals(bad.get(hash)) ? NOT_HERE : place.length();
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    Place place = find(hash);
    return place == null ? null : read(hash, place);
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    Place place = find(hash);
    if (place == null) {
      return null;
    }
    try {
      byte[] bytes = read(hash, place);
      ChunkStore.requireIntact(hash, bytes);
      bad.remove(hash, place); // a disk that could not be read for a moment
      return bytes;
    } catch (ChunkStoreException e) {
      forget(hash, place);
      throw e;
    }
  }

  @Override
  public void put(Hash hash, byte[] bytes) {
    putAll(List.of(new Chunk(hash, bytes)));
  }

  @Override
  public void putAll(List<Chunk> chunks) {
    requireOpen();
    if (chunks.isEmpty()) {
      return;
    }
    writer.requireSound();
    if (owing() >= MAX_OWING) {
      checkpoint();
    }
    requireSpace();
    append(chunks);
    if (owing() >= 1 && checkpointing.tryLock()) {
      try {
        tryCheckpoint();
      } finally {
        checkpointing.unlock();
      }
    }
  }

  @Override
  public void requireSpace() {
    requireOpen();
    space.require(options.reservedBytes());
  }

  @Override
  public void sync() {
    requireOpen();
    writer.sync();
  }

  /**
   * Completed when nothing can be written or synced any more, with the reason: a sync has failed,
   * or a write has, and not for lack of space. What was synced can be read still; to open the store
   * again cures it if the disk is sound. Whoever waits is called by another thread than a caller of
   * this store, which holds none of its locks.
   */
  public CompletableFuture<ChunkStoreException> failed() {
    return writer.failed();
  }

  @Override
  public ChunkStoreStats stats() {
    requireOpen();
    return new ChunkStoreStats(index.approximateCount() + places.size(), bytesOnDisk());
  }

  @Override
  public void close() {
    checkpointing.lock();
    appending.lock();
    try {
      if (closed) {
        return;
      }
      closed = true;
      writer.close();
    } finally {
      appending.unlock();
      checkpointing.unlock();
    }
    files.close();
    index.close();
  }

  /**
   * Has the index know all that is in the segments; waits while that is busy.
   *
   * @throws ChunkStoreException of the sync or of {@link ChunkIndex#write}; nothing is lost, and
   *     the next call tries again
   */
  void checkpoint() {
    checkpoint(index::writePatiently);
  }

  private void checkpoint(BiConsumer<List<Written>, Mark> write) {
    checkpointing.lock();
    try {
      List<Written> entered;
      Mark mark;
      long upTo;
      appending.lock();
      try {
        entered = fresh;
        fresh = new ArrayList<>();
        mark = writer.end();
        upTo = writer.appended();
      } finally {
        appending.unlock();
      }
      enter(entered, mark, write);
      checkpointed = upTo;
    } finally {
      checkpointing.unlock();
    }
  }

  private void enter(List<Written> entered, Mark mark, BiConsumer<List<Written>, Mark> write) {
    boolean done = false;
    try {
      writer.sync();
      write.accept(entered, mark);
      done = true;
    } finally {
      if (!done) {
        appending.lock();
        try {
          entered.addAll(fresh);
          fresh = entered;
        } finally {
          appending.unlock();
        }
      }
    }
    entered.forEach(written -> places.remove(written.hash(), written.place()));
  }

  /** A checkpoint that fails is owing; a sync that has failed is told to the next caller. */
  private void tryCheckpoint() {
    try {
      if (owing() >= 1) {
        checkpoint(index::write);
        lateBecause = "";
      }
    } catch (ChunkStoreException e) {
      String why = String.valueOf(e.getMessage());
      if (e.errno() != Errno.EAGAIN && !why.equals(lateBecause)) {
        LOG.warn("the index of chunks is written later: {}", why);
        lateBecause = why;
      }
    }
  }

  /** How many checkpoints are due. */
  private long owing() {
    return Math.max(
        (writer.appended() - checkpointed) / options.checkpointBytes(), places.size() / MAX_PLACES);
  }

  private void append(List<Chunk> chunks) {
    appending.lock();
    try {
      requireOpen();
      List<Written> written = new ArrayList<>(chunks.size());
      try {
        writer.append(chunks, written);
      } finally {
        for (Written one : written) {
          places.put(one.hash(), one.place());
          bad.remove(one.hash());
        }
        fresh.addAll(written);
      }
    } finally {
      appending.unlock();
    }
  }

  private @Nullable Place find(Hash hash) {
    requireOpen();
    Place place = places.get(hash);
    return place != null ? place : index.get(hash);
  }

  private byte[] read(Hash hash, Place place) {
    ByteBuffer bytes = ByteBuffer.allocate(place.length());
    try {
      files.read(place.segment(), bytes, place.offset());
    } catch (NoSuchFileException e) {
      throw new ChunkStoreException(
          Errno.EIO,
          "chunk " + hash + " is lost with a segment of the store: " + FileFailures.describe(e),
          e);
    } catch (IOException e) {
      throw IoFailures.translate("cannot read chunk " + hash, e);
    }
    if (bytes.hasRemaining()) {
      throw new ChunkStoreException(
          Errno.EIO, "chunk " + hash + " is damaged: its segment ends within it");
    }
    return bytes.array();
  }

  /** The index keeps it: what cannot be read may come back, and is tried again. */
  private void forget(Hash hash, Place place) {
    if (bad.put(hash, place) == null) {
      LOG.warn(
          "chunk {} at {} of segment {} does not count any more, until it is stored again",
          hash,
          place.offset(),
          place.segment());
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
  }

  /** Makes durable what the index does not know, enters it, and goes on behind it. */
  private static DiskChunkStore recover(Path directory, DiskChunkStoreOptions options)
      throws IOException {
    FreeSpace space = FreeSpace.of(directory);
    SegmentFiles files = new SegmentFiles(directory.resolve(SEGMENTS));
    ChunkIndex index = ChunkIndex.open(directory.resolve(INDEX), options.indexCacheBytes(), space);
    try {
      SegmentFile.syncDirectory(directory);
      Mark end = SegmentRecovery.run(files, index);
      SegmentFile newest = files.openOrCreate(end.segment());
      SegmentWriter writer = new SegmentWriter(files, options.segmentBytes(), space, newest, end);
      return new DiskChunkStore(directory, options, files, index, space, writer);
    } catch (IOException | RuntimeException e) {
      files.close();
      index.close();
      throw e;
    }
  }

  private long bytesOnDisk() {
    return bytesIn(directory.resolve(SEGMENTS)) + bytesIn(directory.resolve(INDEX));
  }

  private static long bytesIn(Path directory) {
    long bytes = 0;
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory)) {
      for (Path file : files) {
        bytes += sizeOrZero(file);
      }
    } catch (IOException e) {
      throw new ChunkStoreException(
          Errno.EIO, "cannot list " + directory + ": " + FileFailures.describe(e), e);
    }
    return bytes;
  }

  private static long sizeOrZero(Path file) throws IOException {
    try {
      return Files.size(file);
    } catch (NoSuchFileException e) {
      return 0; // deleted in the background since it was listed
    }
  }
}
