package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStore;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.ChunkStoreStats;
import io.hypersync.chunkstore.CollectionOptions;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.chunkstore.KeptChunks;
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
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BiConsumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A chunk store on disk: chunks are appended to segment files, each once, and an index maps hashes
 * to places (decision 011).
 *
 * <pre>
 * directory/
 *   segments/0000000001.chunks ...   {@link SegmentRecord}s, appended
 *   index/                           RocksDB: {@link ChunkIndex}
 *   reserve                          zeros, see {@link CollectionReserve}
 * </pre>
 *
 * <p>A put appends to the newest segment and keeps the place in memory; a sync syncs that segment.
 * From time to time a checkpoint syncs the segment, then writes the new places to the index,
 * together with the mark up to which the segments are indexed. So the index never contains a place
 * whose bytes a crash could lose, and places it does not contain yet are recovered from the
 * segments when the store is opened. Recovery makes those bytes durable before anything else,
 * because a caller that was told that a chunk exists relies on the next sync to make it durable.
 *
 * <p>A collection ({@link DiskCollection}) moves chunks to other segments and deletes files. So
 * whoever fails to read a chunk looks whether its place is still the same.
 *
 * <p>Locks are taken in the order of the fields, then the writer's lock.
 */
public final class DiskChunkStore implements ChunkStore {
  private static final Logger LOG = LoggerFactory.getLogger(DiskChunkStore.class);
  private static final String SEGMENTS = "segments";
  private static final String INDEX = "index";
  private static final String RESERVE = "reserve";

  /** What makes room may use all but this part of the space that puts leave free. */
  private static final int PART_FOR_THE_INDEX = 4;

  /** With this many checkpoints overdue, a put first makes one, and fails if that fails. */
  private static final int MAX_OWING = 4;

  /** Least time between two warnings of damaged chunks: a whole segment may be. */
  private static final long WARNING_NS = 1_000_000_000L;

  /** A segment that is ended early has at least this part of its full size: 16 MiB usually. */
  private static final int PARTS_OF_A_SEGMENT = 16;

  /** A checkpoint is due when this many places are in memory, at about 100 bytes each. */
  private static final int MAX_PLACES = 1 << 16;

  private final Path directory;
  private final DiskChunkStoreOptions options;
  private final FreeSpace space;
  private final ChunkSegmentFiles files;
  private final ChunkIndex index;
  private final SegmentWriter writer;

  /** Held during a checkpoint, so there is one at a time. */
  private final ReentrantLock checkpointing = new ReentrantLock();

  /** Held during an append, so there is one at a time. Guards {@link #fresh}. */
  private final ReentrantLock appending = new ReentrantLock();

  /** The chunks that are not in the index yet, in segment order; guarded by {@link #appending}. */
  private List<Written> fresh = new ArrayList<>();

  /** The same chunks for lookups, by hash. An entry is removed only after the index has it. */
  private final Map<Hash, ChunkLocation> places = new ConcurrentHashMap<>();

  /** Places of copies that could not be read or were damaged: they are treated as missing. */
  private final Map<Hash, ChunkLocation> bad = new ConcurrentHashMap<>();

  /** From when on one more of them is worth a warning. */
  private final AtomicLong nextWarningNs = new AtomicLong(System.nanoTime());

  /** What a collection must not remove, and what it is removing. */
  private final KeptChunks kept = new KeptChunks();

  /**
   * Condemned chunks with the places that are to be removed from the index; guarded by {@link
   * #checkpointing}.
   */
  private final Set<Written> doomed = new LinkedHashSet<>();

  private volatile Measured measured =
      new Measured(ChunkStoreStats.NOT_MEASURED, ChunkStoreStats.NOT_MEASURED);

  /** {@link SegmentWriter#appended} at the last checkpoint. */
  private volatile long checkpointed;

  /**
   * Message of the last checkpoint failure that was logged, or empty; guarded by {@link
   * #checkpointing}.
   */
  private String lateBecause = "";

  private volatile boolean closed;

  private record Measured(long liveBytes, long deadBytes) {}

  private DiskChunkStore(
      Path directory,
      DiskChunkStoreOptions options,
      ChunkSegmentFiles files,
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
   * that was written before, synced or not, and is still found, is durable when this method
   * returns.
   *
   * @throws ChunkStoreException {@link Errno#EBUSY} if the store is already open, in this or
   *     another process; {@link Errno#ENOSPC}; {@link Errno#EIO}
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
    ChunkLocation place = find(hash);
    // Compared by place, so that a new copy elsewhere counts.
    return place == null || place.equals(bad.get(hash)) ? NOT_HERE : place.length();
  }

  @Override
  public byte @Nullable [] get(Hash hash) {
    ChunkLocation place = find(hash);
    while (place != null) {
      try {
        return read(hash, place, files::read);
      } catch (ChunkStoreException e) {
        ChunkLocation now = find(hash);
        if (place.equals(now)) {
          throw e;
        }
        place = now; // a collection has moved it meanwhile
      }
    }
    return null;
  }

  @Override
  public byte @Nullable [] getVerified(Hash hash) {
    return getVerified(hash, files::read);
  }

  @Override
  public byte @Nullable [] getVerifiedFromDisk(Hash hash) {
    return getVerified(hash, files::readPastTheCache);
  }

  /** How a part of a segment is read, until the buffer is full or the segment ends. */
  @FunctionalInterface
  private interface Reader {
    void read(int segment, ByteBuffer into, long offset) throws IOException;
  }

  private byte @Nullable [] getVerified(Hash hash, Reader reader) {
    ChunkLocation place = find(hash);
    while (place != null) {
      try {
        return readVerified(hash, place, reader);
      } catch (ChunkStoreException e) {
        ChunkLocation now = find(hash);
        if (place.equals(now)) {
          forget(hash, place);
          throw e;
        }
        place = now;
      }
    }
    return null;
  }

  private byte[] readVerified(Hash hash, ChunkLocation place, Reader reader) {
    byte[] bytes = read(hash, place, reader);
    ChunkStore.requireIntact(hash, bytes);
    bad.remove(hash, place); // a read error may have been temporary
    return bytes;
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
    store(chunks, this::requireSpace);
  }

  @Override
  public void putAllToMakeRoom(List<Chunk> chunks) {
    requireOpen();
    if (!chunks.isEmpty()) {
      storeInReserve(chunks);
    }
  }

  private void storeInReserve(List<Chunk> chunks) {
    store(
        chunks, () -> requireSpaceToCopy(chunks.stream().mapToLong(SegmentRecord::bytesOf).sum()));
  }

  private void store(List<Chunk> chunks, Runnable requireRoom) {
    writer.requireSound();
    if (owing() >= MAX_OWING) {
      checkpoint();
    }
    requireRoom.run();
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
   * Completed with the reason when the store has failed for good: a sync has failed, or a write has
   * for another reason than lack of space. Synced chunks can still be read; reopening the store
   * repairs it if the disk is sound. Dependent actions run on a thread that holds none of the
   * store's locks.
   */
  public CompletableFuture<ChunkStoreException> failed() {
    return writer.failed();
  }

  /** Whole segments: the newest ones that have so many bytes together, or a few more. */
  @Override
  public Predicate<Hash> newest(long bytes) {
    requireOpen();
    int first = firstOfNewest(bytes);
    return hash -> {
      ChunkLocation place = lookUp(hash); // not `find`, which would protect it from a collection
      return place != null && place.segment() >= first;
    };
  }

  private int firstOfNewest(long bytes) {
    long sum = 0;
    try {
      for (Map.Entry<Integer, Long> segment : files.lengths().descendingMap().entrySet()) {
        if (sum >= bytes) {
          return segment.getKey() + 1;
        }
        sum += segment.getValue();
      }
    } catch (IOException e) {
      throw IoFailures.translate("cannot list the segments in " + directory, e);
    }
    return 0;
  }

  @Override
  public ChunkStoreStats stats() {
    requireOpen();
    Measured last = measured;
    return new ChunkStoreStats(
        index.approximateCount() + places.size(), bytesOnDisk(), last.liveBytes, last.deadBytes);
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

  @Override
  public CollectionRun beginCollection(CollectionOptions collection) {
    appending.lock(); // so that every put is either over or protected
    try {
      requireOpen();
      kept.begin();
    } finally {
      appending.unlock();
    }
    CollectionReserve reserve =
        new CollectionReserve(
            directory.resolve(RESERVE), options.segmentBytes(), options.reservedBytes(), space);
    return new DiskCollection(this, files, index, kept, space, reserve, collection);
  }

  /** Sets what a collection has measured, for {@link #stats}. */
  void measured(long liveBytes, long deadBytes) {
    measured = new Measured(liveBytes, deadBytes);
  }

  /**
   * Checks whether a collection may copy so much, or another caller store it: more than a put may
   * store, because that makes room.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC} if not
   */
  void requireSpaceToCopy(long bytes) {
    space.require(bytes + options.reservedBytes() / PART_FOR_THE_INDEX);
  }

  /** Stores chunks that are here already once more, in the newest segment; for a collection. */
  void copy(List<Chunk> chunks) {
    requireOpen();
    storeInReserve(chunks);
  }

  /**
   * Has what is put from now on go to another segment than this one, so that the next collection
   * can empty it. Does nothing if it is not the newest one any more.
   *
   * @throws ChunkStoreException if another segment cannot be begun
   */
  void endSegment(int segment) {
    requireOpen();
    writer.sync(); // so that puts wait only for what comes meanwhile
    appending.lock();
    try {
      writer.endSegment(segment);
    } finally {
      appending.unlock();
    }
    checkpoint(); // the mark moves, and with it what counts as sealed
  }

  /** The fewest bytes at which {@link #endSegment} is worth a file. */
  long leastSegmentBytes() {
    return options.segmentBytes() / PARTS_OF_A_SEGMENT;
  }

  /**
   * Reads a chunk that a collection is to copy from this place.
   *
   * @return null if it has another place already
   * @throws ChunkStoreException if it cannot be read or is damaged; it counts as missing then
   */
  byte @Nullable [] readToCopy(Written written) {
    if (!written.place().equals(lookUp(written.hash()))) {
      return null;
    }
    try {
      return readVerified(written.hash(), written.place(), files::read);
    } catch (ChunkStoreException e) {
      if (!written.place().equals(lookUp(written.hash()))) {
        return null;
      }
      bad.put(written.hash(), written.place()); // the collection reports it
      throw e;
    }
  }

  /**
   * Removes condemned chunks from the index durably, together with those of earlier calls that have
   * failed. A chunk that has got another place meanwhile, because it was stored again, keeps that.
   *
   * @throws ChunkStoreException from {@link ChunkIndex#remove}; the chunks stay condemned, and the
   *     next call tries again
   */
  void remove(List<Written> condemned) {
    checkpointing.lock(); // so that no place is written between the comparison and the removal
    try {
      doomed.addAll(condemned);
      if (doomed.isEmpty()) {
        return;
      }
      List<Hash> indexed =
          doomed.stream()
              .filter(written -> written.place().equals(index.get(written.hash())))
              .map(Written::hash)
              .toList();
      if (!indexed.isEmpty()) {
        index.remove(indexed);
      }
      doomed.forEach(written -> bad.remove(written.hash(), written.place()));
      kept.removed(doomed.stream().map(Written::hash).toList());
      doomed.clear();
    } finally {
      checkpointing.unlock();
    }
  }

  /**
   * Writes all places in memory to the index; waits while RocksDB is busy.
   *
   * @throws ChunkStoreException from the sync or from {@link ChunkIndex#write}; nothing is lost
   *     then, and the next call retries
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

  /**
   * Tries a checkpoint. A failed one remains due; a failed sync is reported to the next caller that
   * writes or syncs.
   */
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

  /** The number of checkpoints that are overdue. */
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
          if (kept.isActive()) {
            kept.stored(one.hash());
          }
        }
        fresh.addAll(written);
      }
    } finally {
      appending.unlock();
    }
  }

  /**
   * Finds a chunk in order to tell a caller that it is here, which protects it from a collection.
   */
  private @Nullable ChunkLocation find(Hash hash) {
    while (true) {
      long removals = kept.removals();
      ChunkLocation place = lookUp(hash);
      if (place == null || !kept.isActive()) {
        return place;
      }
      if (!kept.promise(hash)) {
        return places.get(hash); // only what is stored in this moment
      }
      if (kept.removals() == removals) {
        return place;
      }
    }
  }

  private @Nullable ChunkLocation lookUp(Hash hash) {
    requireOpen();
    ChunkLocation place = places.get(hash);
    return place != null ? place : index.get(hash);
  }

  private byte[] read(Hash hash, ChunkLocation place, Reader reader) {
    ByteBuffer bytes = ByteBuffer.allocate(place.length());
    try {
      reader.read(place.segment(), bytes, place.offset());
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

  /**
   * Marks a copy as missing. The index keeps its place, and {@link #getVerified} tries it again,
   * because the read error may be temporary.
   */
  private void forget(Hash hash, ChunkLocation place) {
    if (bad.put(hash, place) == null) {
      long nowNs = System.nanoTime();
      long next = nextWarningNs.get();
      boolean isTold = nowNs - next >= 0 && nextWarningNs.compareAndSet(next, nowNs + WARNING_NS);
      LOG.atLevel(isTold ? Level.WARN : Level.DEBUG)
          .log(
              "chunk {} at {} of segment {} does not count any more, until it is stored again;"
                  + " there are {} of these",
              hash,
              place.offset(),
              place.segment(),
              bad.size());
    }
  }

  private void requireOpen() {
    if (closed) {
      throw new IllegalStateException("the chunk store is closed");
    }
  }

  /**
   * Makes the chunks that are not in the index durable, indexes them, and continues after the last
   * record.
   */
  private static DiskChunkStore recover(Path directory, DiskChunkStoreOptions options)
      throws IOException {
    FreeSpace space = FreeSpace.of(directory);
    ChunkSegmentFiles files = new ChunkSegmentFiles(directory.resolve(SEGMENTS));
    ChunkIndex index = ChunkIndex.open(directory.resolve(INDEX), options.indexCacheBytes(), space);
    try {
      ChunkSegmentFile.syncDirectory(directory);
      Mark end = SegmentRecovery.run(files, index);
      ChunkSegmentFile newest = files.openOrCreate(end.segment());
      SegmentWriter writer = new SegmentWriter(files, options.segmentBytes(), space, newest, end);
      return new DiskChunkStore(directory, options, files, index, space, writer);
    } catch (IOException | RuntimeException e) {
      files.close();
      index.close();
      throw e;
    }
  }

  private long bytesOnDisk() {
    try {
      return bytesIn(directory.resolve(SEGMENTS))
          + bytesIn(directory.resolve(INDEX))
          + sizeOrZero(directory.resolve(RESERVE));
    } catch (IOException e) {
      throw IoFailures.translate("cannot measure " + directory, e);
    }
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
      return 0; // deleted by RocksDB since it was listed
    }
  }
}
