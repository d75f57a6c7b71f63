package io.hypersync.chunkstore.disk;

import io.hypersync.chunkstore.Chunk;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.Chunker;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
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
 */
final class SegmentWriter {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentWriter.class);

  private static final int BUFFER_BYTES =
      8 * (SegmentRecord.HEADER_BYTES + Chunker.MAX_CHUNK_BYTES);

  private final SegmentFiles files;
  private final long segmentBytes;
  private final FreeSpace space;

  /** Records that follow each other, on their way to the file. */
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(BUFFER_BYTES);

  /** Held to sync, and to change {@link #file}. */
  private final ReentrantLock syncing = new ReentrantLock();

  /** Written while {@link #syncing} is held. */
  private SegmentFile file;

  private int segment;
  private int end;

  /** Bytes since this was made; written by who appends, after they are in the file. */
  private volatile long appended;

  /** Of {@link #appended}; written while {@link #syncing} is held. */
  private long synced;

  private volatile @Nullable ChunkStoreException failure;

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
    List<Written> buffered = new ArrayList<>();
    buffer.clear();
    for (Chunk chunk : chunks) {
      int bytes = SegmentRecord.bytesOf(chunk);
      boolean full = end + buffer.position() + (long) bytes > segmentBytes;
      if (buffer.remaining() < bytes || (full && buffer.position() > 0)) {
        writeBuffer(buffered, written);
      }
      if (full && end > 0) {
        beginSegment();
      }
      int at = end + buffer.position();
      SegmentRecord.write(chunk, segment, at, buffer);
      Place place = new Place(chunk.bytes().length, segment, at + SegmentRecord.HEADER_BYTES);
      buffered.add(new Written(chunk.hash(), place));
    }
    writeBuffer(buffered, written);
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

  void close() {
    syncing.lock();
    try {
      file.close();
    } finally {
      syncing.unlock();
    }
  }

  private void writeBuffer(List<Written> buffered, List<Written> written) {
    int bytes = buffer.flip().remaining();
    try {
      file.write(buffer, end);
    } catch (IOException e) {
      if (IoFailures.isOutOfSpace(e)) {
        throw IoFailures.translate("cannot store chunks", e);
      }
      space.require(bytes); // the words may be in another language
      throw fail("cannot store chunks, giving up", e);
    } finally {
      buffer.clear();
    }
    end += bytes;
    long before = appended; // nobody else writes it
    appended = before + bytes;
    written.addAll(buffered);
    buffered.clear();
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
    } catch (SyncFailed e) {
      throw fail("cannot begin another segment of chunks, giving up", e);
    } catch (IOException e) {
      throw IoFailures.translate("cannot begin another segment of chunks", e);
    } finally {
      syncing.unlock();
    }
  }

  private ChunkStoreException fail(String what, IOException e) {
    ChunkStoreException fatal = new ChunkStoreException(Errno.EIO, what + ": " + e.getMessage(), e);
    LOG.error("the chunk store takes no more writes: {}", fatal.getMessage());
    failure = fatal;
    return fatal;
  }
}
