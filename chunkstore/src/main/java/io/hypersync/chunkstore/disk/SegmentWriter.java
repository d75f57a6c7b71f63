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
 * Appends to the newest segment, and begins a new one when that is long enough.
 *
 * <p>One thread at a time appends, which the caller sees to; any may sync at the same time. A
 * segment is synced before the next one is begun, so that to sync what was appended so far is to
 * sync the newest. What could not be written for lack of space is written over by what comes next.
 * Any other failure, and any failed sync, is final: what the kernel has dropped cannot be known.
 *
 * <p>What is written over may begin behind that failed attempt's beginning, which then stays:
 * {@link SegmentScan} finds what is behind it.
 */
final class SegmentWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);

  /** Full chunks of 1 MiB, and what pads them. */
  private static final int BUFFER_BYTES =
      SegmentRecord.afterPadding(16 * (SegmentRecord.HEADER_BYTES + Chunker.MAX_CHUNK_BYTES));

  /** What goes past the page cache has so much, */
  private static final int LARGE_BYTES = 128 << 10;

  /** and chunks that have so much on average. */
  private static final int LARGE_CHUNK_BYTES = 16 << 10;

  private final SegmentFiles files;
  private final long segmentBytes;
  private final FreeSpace space;

  /** Records that follow each other, on their way to the file. */
  private final ByteBuffer buffer =
      ByteBuffer.allocateDirect(BUFFER_BYTES + SegmentRecord.BLOCK_BYTES)
          .alignedSlice(SegmentRecord.BLOCK_BYTES);

  /** Held to sync, and to change {@link #file}. */
  private final ReentrantLock syncing = new ReentrantLock();

  /** Written while {@link #syncing} is held. */
  private SegmentFile file;

  /** The same file past the page cache, if that can be done; of who appends. */
  private @Nullable SegmentFile pastTheCache;

  private int segment;
  private int end;

  /** Bytes since this was made; written by who appends, after they are in the file. */
  private volatile long appended;

  /** Of {@link #appended}; written while {@link #syncing} is held. */
  private long synced;

  /** What has made this useless, if anything has. */
  private volatile @Nullable ChunkStoreException failure;

  private final CompletableFuture<ChunkStoreException> failed = new CompletableFuture<>();

  /** Where the bytes of that hash were put. */
  record Written(Hash hash, Place place) {}

  /**
   * Goes on in a segment.
   *
   * @param file the segment, open for writing
   * @param from its number and where its records end; durable so far
   */
  SegmentWriter(
      SegmentFiles files, long segmentBytes, FreeSpace space, SegmentFile file, Mark from) {
    this.files = files;
    this.segmentBytes = segmentBytes;
    this.space = space;
    this.file = file;
    this.segment = from.segment();
    this.end = from.offset();
    this.pastTheCache = files.openPastTheCache(segment).orElse(null);
  }

  /** Where the next record goes; to be called by who appends. */
  Mark end() {
    return new Mark(segment, end);
  }

  /** How many bytes were appended since this was made; any thread. */
  long appended() {
    return appended;
  }

  /**
   * Appends chunks; one thread at a time.
   *
   * @param written told of those that can be read
   * @throws ChunkStoreException {@link Errno#ENOSPC}, {@link Errno#EIO}; some may be written
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
      Place place = new Place(chunk.bytes().length, segment, at + SegmentRecord.HEADER_BYTES);
      buffered.add(new Written(chunk.hash(), place));
    }
    writeBuffer(large, buffered, written);
  }

  /** Returns when everything that was appended before this call is on stable storage. */
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

  /** Throws what has made this useless, if anything has. */
  void requireSound() {
    ChunkStoreException earlier = failure;
    if (earlier != null) {
      throw new ChunkStoreException(
          earlier.errno(), "the chunk store has failed: " + earlier.getMessage(), earlier);
    }
  }

  /** Completed with what has made this useless, if anything does, by a thread without locks. */
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

  /** Whether they are better written past the page cache (decision 017). */
  private static boolean areLarge(List<Chunk> chunks) {
    long bytes = 0;
    for (Chunk chunk : chunks) {
      bytes += chunk.bytes().length;
    }
    return bytes >= LARGE_BYTES && bytes / chunks.size() >= LARGE_CHUNK_BYTES;
  }

  /**
   * Where the buffer goes. The end itself stays before the padding until there is something behind
   * it: the file has no less than its end says.
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
      space.require(bytes); // the words may be in another language
      throw fail("cannot store chunks, giving up", e);
    } finally {
      buffer.clear();
    }
    end = begin + bytes;
    long before = appended; // nobody else writes it
    appended = before + bytes;
    written.addAll(buffered);
    buffered.clear();
  }

  /**
   * What cannot be written past the page cache is written through it, and so is all that follows;
   * what the disk has to say about that, the sync will say. A full disk is full either way.
   */
  private void write(boolean large, int begin) throws IOException {
    SegmentFile past = pastTheCache;
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
      SegmentFile next = files.openOrCreate(segment + 1);
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
    var _ = failed.completeAsync(() -> fatal); // whose locks are held here does not matter to it
    return fatal;
  }
}
