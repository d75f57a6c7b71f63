package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.text.FileFailures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Appends records to the newest segment, and starts another segment when it is full.
 *
 * <p>Threads: one thread at a time appends, which the caller ensures; any thread may sync
 * meanwhile. A segment is synced before the next one is started, so syncing the newest segment
 * syncs everything appended so far. A write that fails for lack of space is overwritten by the next
 * one. Any other failed write, and any failed sync, is final: it is unknown which pages the kernel
 * has dropped.
 *
 * <p>The next write after a failed one may start at a later offset than that did, because of
 * padding. The start of the failed write then stays in the file; {@link SegmentScan} finds the
 * records after it.
 */
final class SegmentWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);

  /** Room for 1 MiB in chunks of the maximum length, and their padding. */
  private static final int BUFFER_BYTES =
      SegmentRecord.afterPadding(16 * (SegmentRecord.HEADER_BYTES + Chunker.MAX_CHUNK_BYTES));

  /** Minimum total size of a batch that is written past the page cache. */
  private static final int LARGE_BYTES = 128 << 10;

  /** Minimum average chunk size of such a batch. */
  private static final int LARGE_CHUNK_BYTES = 16 << 10;

  private final ChunkSegmentFiles files;
  private final long segmentBytes;
  private final FreeSpace space;

  /** Records that are to be written next, contiguous in the file. Aligned for O_DIRECT. */
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER_BYTES + SegmentRecord.BLOCK_BYTES)
          .alignedSlice(SegmentRecord.BLOCK_BYTES);

  /** Held while syncing and while {@link #file} changes. */
  private final ReentrantLock syncing = new ReentrantLock();

  /** The newest segment; written while {@link #syncing} is held. */
  private ChunkSegmentFile file;

  /**
   * The same segment opened with O_DIRECT, or null if that is not possible; accessed by the thread
   * that appends.
   */
  private @Nullable ChunkSegmentFile pastTheCache;

  private int segment;
  private int end;

  /**
   * Bytes appended since this writer was created; written by the thread that appends, after the
   * bytes are in the file.
   */
  private volatile long appended;

  /** How much of {@link #appended} has been synced; guarded by {@link #syncing}. */
  private long synced;

  /** The failure after which nothing can be written any more, or null. */
  private volatile @Nullable ChunkStoreException failure;

  private final CompletableFuture<ChunkStoreException> failed = new CompletableFuture<>();

  /** A chunk that has been written, and where its bytes are. */
  record Written(Hash hash, ChunkLocation place) {}

  /**
   * Continues a segment.
   *
   * @param file the segment, open for writing
   * @param from the segment's number and the end of its records, which must be durable up to there
   */
  SegmentWriter(
      ChunkSegmentFiles files,
      long segmentBytes,
      FreeSpace space,
      ChunkSegmentFile file,
      Mark from) {
    this.files = files;
    this.segmentBytes = segmentBytes;
    this.space = space;
    this.file = file;
    this.segment = from.segment();
    this.end = from.offset();
    this.pastTheCache = files.openPastTheCache(segment).orElse(null);
  }

  /** Where the next record will start, without padding. Call it on the thread that appends. */
  Mark end() {
    return new Mark(segment, end);
  }

  /** Bytes appended since this writer was created. May be called from any thread. */
  long appended() {
    return appended;
  }

  /**
   * Appends chunks. One thread at a time.
   *
   * @param written receives the chunks that have been written and can be read
   * @throws ChunkStoreException {@link Errno#ENOSPC}, {@link Errno#EIO}; some of the chunks may be
   *     written
   */
  void append(List<Chunk> chunks, List<Written> written) {
    requireSound();
    boolean large = pastTheCache != null && areLarge(chunks);
    List<Written> buffered = new ArrayList<>();
    buffer.clear();
    for (Chunk chunk : chunks) {
      int bytes = SegmentRecord.bytesOf(chunk);
      boolean full = begin(large) + buffer.position() + (long) bytes > segmentBytes;
      if (buffer.remaining() < bytes || (full && buffer.position() > 0)) {
        writeBuffer(large, buffered, written);
      }
      if (full && end > 0) {
        beginSegment();
      }
      int at = begin(large) + buffer.position();
      SegmentRecord.write(chunk, segment, at, buffer);
      ChunkLocation place =
          new ChunkLocation(chunk.bytes().length, segment, at + SegmentRecord.HEADER_BYTES);
      buffered.add(new Written(chunk.hash(), place));
    }
    writeBuffer(large, buffered, written);
  }

  /**
   * Blocks until everything that was appended before this call is on stable storage.
   *
   * @throws ChunkStoreException {@link Errno#EIO} if the sync fails; the writer cannot be used any
   *     more
   */
  void sync() {
    long wanted = appended;
    syncing.lock();
    try {
      requireSound();
      if (synced < wanted) {
        file.force();
        synced = wanted;
      }
    } catch (IOException e) {
      throw fail("cannot sync chunks, giving up", e);
    } finally {
      syncing.unlock();
    }
  }

  /**
   * Begins another segment, unless this one is not the newest any more or is empty. Call it like
   * {@link #append}.
   *
   * @throws ChunkStoreException {@link Errno#ENOSPC}, {@link Errno#EIO}; the segment goes on then
   */
  void endSegment(int number) {
    requireSound();
    if (segment == number && end > 0) {
      beginSegment();
    }
  }

  /** Throws if an earlier failure was final. */
  void requireSound() {
    ChunkStoreException earlier = failure;
    if (earlier != null) {
      throw new ChunkStoreException(
          earlier.errno(), "the chunk store has failed: " + earlier.getMessage(), earlier);
    }
  }

  /** Completed after a final failure, on a thread that holds no locks. */
  CompletableFuture<ChunkStoreException> failed() {
    return failed.copy();
  }

  void close() {
    syncing.lock();
    try {
      file.close();
      if (pastTheCache != null) {
        pastTheCache.close();
      }
    } finally {
      syncing.unlock();
    }
  }

  /** Whether the batch should be written past the page cache (decision 017). */
  private static boolean areLarge(List<Chunk> chunks) {
    long bytes = 0;
    for (Chunk chunk : chunks) {
      bytes += chunk.bytes().length;
    }
    return bytes >= LARGE_BYTES && bytes / chunks.size() >= LARGE_CHUNK_BYTES;
  }

  /**
   * The offset at which the buffer will be written. The field {@code end} itself moves past the
   * padding only when something has been written after it: otherwise a mark in the index could be
   * past the end of the file.
   */
  private int begin(boolean large) {
    return large ? SegmentRecord.afterPadding(end) : end;
  }

  private void writeBuffer(boolean large, List<Written> buffered, List<Written> written) {
    int begin = begin(large);
    if (large) {
      int padding = SegmentRecord.afterPadding(buffer.position()) - buffer.position();
      buffer.put(new byte[padding]);
    }
    int bytes = buffer.flip().remaining();
    try {
      write(large, begin);
    } catch (IOException e) {
      if (IoFailures.isOutOfSpace(e)) {
        throw IoFailures.translate("cannot store chunks", e);
      }
      space.require(bytes); // the message may be in another language
      throw fail("cannot store chunks, giving up", e);
    } finally {
      buffer.clear();
    }
    end = begin + bytes;
    long before = appended; // this is the only thread that writes it
    appended = before + bytes;
    written.addAll(buffered);
    buffered.clear();
  }

  /**
   * Writes the buffer. If O_DIRECT fails, this write and all later ones go through the page cache;
   * if the disk is at fault, the next sync reports that. ENOSPC is thrown at once, because the disk
   * is full either way.
   */
  private void write(boolean large, int begin) throws IOException {
    ChunkSegmentFile past = pastTheCache;
    if (!large || past == null) {
      file.write(buffer, begin);
      return;
    }
    try {
      past.write(buffer, begin);
    } catch (IOException e) {
      if (IoFailures.isOutOfSpace(e)) {
        throw e;
      }
      LOG.warn("chunks are written through the page cache from now on", e);
      past.close();
      pastTheCache = null;
      file.write(buffer.rewind(), begin);
    }
  }

  private void beginSegment() {
    sync();
    syncing.lock();
    try {
      ChunkSegmentFile next = files.openOrCreate(segment + 1);
      file.close();
      file = next;
      segment++;
      end = 0;
      if (pastTheCache != null) {
        pastTheCache.close();
        pastTheCache = files.openPastTheCache(segment).orElse(null);
      }
    } catch (SyncFailed e) {
      throw fail("cannot begin another segment of chunks, giving up", e);
    } catch (IOException e) {
      throw IoFailures.translate("cannot begin another segment of chunks", e);
    } finally {
      syncing.unlock();
    }
  }

  private ChunkStoreException fail(String what, IOException e) {
    ChunkStoreException fatal =
        new ChunkStoreException(Errno.EIO, what + ": " + FileFailures.describe(e), e);
    LOG.error("the chunk store takes no more writes: {}", fatal.getMessage());
    failure = fatal;
    var _ = failed.completeAsync(() -> fatal); // async, because the caller may hold locks
    return fatal;
  }
}
