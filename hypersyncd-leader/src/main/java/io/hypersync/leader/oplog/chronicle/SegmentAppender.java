package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The writable side of one segment: a Chronicle queue with a single, preallocated cycle file.
 *
 * <p>Life cycle: {@link #prepare} in the background; {@link #begin} and the records carried over
 * from an older segment; {@link #sync}; {@link #publish} (a rename: the segment exists from here
 * on); then records and syncs until it is full. Used by one thread at a time.
 *
 * <p><b>How a record becomes durable</b> (decision 015). Chronicle creates the file and writes its
 * header while the segment is prepared, and is closed. The records are appended in its framing by
 * writes to the file, which is open with {@code O_DSYNC}: a batch of up to 1 MiB is one system
 * call, which returns when the disk has the data, or fails. Chronicle's own method, stores to a
 * mapping and {@code msync}, costs more: the kernel write-protects each page before writing it
 * back, which interrupts every processor that runs a thread of this process, and the next store to
 * the page takes a page fault. {@code ExcerptAppender.sync()} also returns normally when {@code
 * msync} has failed, and does not always wait for it.
 *
 * <p>So the write position in Chronicle's header, and its index, show an empty queue. A tailer
 * still reads the queue from its beginning, and nothing here reads either of the two.
 *
 * <p>The file never grows and is never written beyond {@code segmentBytes}: the owner accounts for
 * the room before it hands over a record, and {@link #append} checks again. All blocks are
 * allocated, so no write of a record can fail for lack of space. Because it is not known in advance
 * which entries will form a batch, the owner reserves {@linkplain SegmentLayout#reservedBytes more}
 * than they take, and {@link #returned} tells how much of it was not needed.
 *
 * <p><b>What a torn write can damage</b> (decision 018). {@link #sync} writes whole pages, and the
 * next batch begins on a page of its own. So a write that a power loss cuts off damages nothing
 * that was acknowledged. Between two batches a {@linkplain #reserveWatermark watermark} may be
 * written, on its own page and through a channel of its own, while the next batch is written: a
 * failure of either write is reported to its own caller only.
 */
final class SegmentAppender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentAppender.class);

  /**
   * At this size, collected records are written, and the rest of the batch follows in another
   * write.
   */
  private static final int MAX_COLLECTED_BYTES = 1 << 20;

  private final Path logDirectory;
  private final long sequence;
  private final int segmentBytes;
  private final long segmentId;
  private final FileChannel channel;
  private final FileChannel watermarks;
  private final SegmentWrite disk;
  private final ReentrantLock closing = new ReentrantLock();
  private Path directory;

  /**
   * Records with framing that are not written yet; their last byte belongs at {@link #end} in the
   * file. A heap buffer, which is freed with the segment: direct buffers are scarce and left to the
   * network.
   */
  private ByteBuffer collected = ByteBuffer.allocate(64 << 10).order(ByteOrder.LITTLE_ENDIAN);

  private boolean failed;
  private long lastPosition;
  private long end;
  private boolean published;
  private boolean closed; // guarded by closing

  /** Where the first batch begins; bytes before it were not reserved. */
  private long start;

  private long reserved; // for the entries that were appended
  private volatile long returned;
  private volatile long syncedEnd;

  private SegmentAppender(
      Path logDirectory,
      Path directory,
      long sequence,
      int segmentBytes,
      FileChannel channel,
      FileChannel watermarks,
      long firstDocument,
      SegmentWrite disk) {
    this.logDirectory = logDirectory;
    this.directory = directory;
    this.sequence = sequence;
    this.segmentBytes = segmentBytes;
    this.segmentId = ThreadLocalRandom.current().nextLong();
    this.channel = channel;
    this.watermarks = watermarks;
    this.end = firstDocument;
    this.disk = disk;
  }

  /**
   * Allocates a segment: afterwards, everything that will be written to it has its blocks on stable
   * storage. If there is not enough space, nothing is allocated: repeated attempts would otherwise
   * keep taking, for a moment each, what is too little for a segment but would serve other users of
   * the disk.
   *
   * @param abandon polled now and then; true to give up
   * @throws IOException if there is no space, the disk fails or it was abandoned; nothing is left
   *     behind
   */
  static SegmentAppender prepare(
      Path logDirectory,
      long sequence,
      int segmentBytes,
      SegmentWrite disk,
      BooleanSupplier abandon)
      throws IOException {
    ChronicleRuntime.initialise();
    Path directory = SegmentLayout.spare(logDirectory, sequence);
    DurableFiles.deleteTree(directory);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
    requireSpace(logDirectory, segmentBytes);
    try {
      Files.createDirectory(directory);
      Files.createFile(SegmentLayout.placeholder(logDirectory, sequence));
      // Chronicle takes a file of zeros for one that it has not initialised yet.
      SyncedFileOps.createZeroed(
          directory.resolve(SegmentLayout.METADATA_FILE), SegmentLayout.METADATA_BYTES, 0, abandon);
      Path zeros = directory.resolve("zeros");
      SyncedFileOps.createZeroed(
          zeros, segmentBytes, SegmentLayout.overlapBytes(segmentBytes), abandon);
      SegmentAppender segment = open(logDirectory, directory, zeros, sequence, segmentBytes, disk);
      try {
        DurableFiles.syncDirectory(directory);
      } catch (IOException | RuntimeException e) {
        segment.close();
        throw e;
      }
      return segment;
    } catch (IOException | RuntimeException e) {
      DurableFiles.deleteTree(directory);
      Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
      throw e instanceof IOException io ? io : new IOException("cannot prepare " + directory, e);
    }
  }

  private static void requireSpace(Path logDirectory, int segmentBytes) throws IOException {
    long needed = SegmentLayout.allocatedBytes(segmentBytes);
    long free = Files.getFileStore(logDirectory).getUsableSpace();
    if (free < needed) {
      throw new IOException(
          "a segment takes " + needed + " bytes, and " + free + " are free in " + logDirectory);
    }
  }

  private static SegmentAppender open(
      Path logDirectory,
      Path directory,
      Path zeros,
      long sequence,
      int segmentBytes,
      SegmentWrite disk)
      throws IOException {
    long firstDocument = writeChronicleHeader(directory, zeros, segmentBytes);
    FileChannel channel = openDurable(directory);
    try {
      channel.force(true); // Chronicle's header
      if (channel.size() != SegmentLayout.fileBytes(segmentBytes)) {
        throw new IOException(
            directory + ": the file has become " + channel.size() + " bytes long");
      }
      return new SegmentAppender(
          logDirectory,
          directory,
          sequence,
          segmentBytes,
          channel,
          openDurable(directory),
          firstDocument,
          disk);
    } catch (IOException | RuntimeException e) {
      channel.close();
      throw e;
    }
  }

  private static FileChannel openDurable(Path directory) throws IOException {
    return FileChannel.open(
        directory.resolve(SegmentLayout.CYCLE_FILE),
        StandardOpenOption.WRITE,
        StandardOpenOption.DSYNC);
  }

  /**
   * Turns the file of zeros into a Chronicle queue.
   *
   * @return the position of its first document
   */
  private static long writeChronicleHeader(Path directory, Path zeros, int segmentBytes)
      throws IOException {
    try (SingleChronicleQueue queue =
            SingleChronicleQueueBuilder.binary(directory)
                .rollCycle(RollCycles.FAST_DAILY)
                .timeProvider(() -> 0L) // never rolls by itself
                .blockSize(segmentBytes)
                .indexCount(SegmentLayout.CHRONICLE_INDEX_COUNT)
                .indexSpacing(SegmentLayout.CHRONICLE_INDEX_SPACING)
                .syncMode(SyncMode.SYNC)
                .build();
        ExcerptAppender appender = queue.createAppender()) {
      // Only now: an appender that finds a file without a header waits ten seconds for its writer.
      Files.move(zeros, directory.resolve(SegmentLayout.CYCLE_FILE));
      try (DocumentContext document = appender.writingDocument()) {
        document.rollbackOnClose();
        long first = document.wire().bytes().writePosition() - SegmentLayout.DOCUMENT_WORD_BYTES;
        if (first % Integer.BYTES != 0 || first >= SegmentLayout.FIRST_RECORD_BEFORE) {
          throw new IOException(directory + ": recovery would not find a record at " + first);
        }
        return first;
      }
    }
  }

  /** The size in bytes with which it was prepared. */
  int segmentBytes() {
    return segmentBytes;
  }

  /** How many bytes batches may take after what has been written. */
  long roomLeft() {
    return Math.min(
        SegmentLayout.roomForEntries(segmentBytes),
        SegmentLayout.endOfRoom(segmentBytes)
            - SegmentLayout.alignUp(end, SegmentLayout.PAGE_BYTES));
  }

  /** Bytes of the file after what has been written; approximate, any thread may call it. */
  long unusedBytes() {
    return SegmentLayout.fileBytes(segmentBytes) - syncedEnd;
  }

  /**
   * How much of what was {@linkplain SegmentLayout#reservedBytes reserved} for the entries written
   * so far was not needed, in bytes. Any thread may call it.
   */
  long returned() {
    return returned;
  }

  long sequence() {
    return sequence;
  }

  /** Position of the last record in the file. */
  long lastPosition() {
    return lastPosition;
  }

  /** Position after the last document or filler, where the next one begins. */
  long end() {
    return end;
  }

  /** The file with the records. */
  Path file() {
    return directory.resolve(SegmentLayout.CYCLE_FILE);
  }

  /** The readable side of this segment, for use after it is published. */
  LogSegmentFile readable(long firstIndex, PositionIndex positions) {
    return new LogSegmentFile(
        LogFiles.in(logDirectory), directory, sequence, firstIndex, segmentId, positions);
  }

  /**
   * Appends the segment header, durable after {@link #sync}.
   *
   * @param roots of all entries in the log
   */
  void begin(RootVersion roots, long firstIndex, long commitWatermark, Hash previous)
      throws IOException {
    append(
        RecordKind.SEGMENT_HEADER,
        firstIndex,
        commitWatermark,
        previous,
        RecordCodec.segmentHeaderPayload(sequence, roots));
  }

  /** Appends an entry, durable after {@link #sync}, and returns the record's hash. */
  Hash append(long index, long commitWatermark, Hash previous, byte[] payload) throws IOException {
    int at = append(RecordKind.ENTRY, index, commitWatermark, previous, payload);
    reserved += SegmentLayout.reservedBytes(payload.length);
    return Blake3.hash(collected.array(), at, RecordCodec.recordBytes(payload.length));
  }

  /** Returns the position of the record in {@link #collected}. */
  private int append(
      RecordKind kind, long index, long commitWatermark, Hash previous, byte[] payload)
      throws IOException {
    int document = (int) SegmentLayout.documentBytes(payload.length);
    if (end + document > SegmentLayout.endOfRoom(segmentBytes)) {
      throw new IllegalStateException(
          "index " + index + " does not fit into " + file() + " at " + end);
    }
    makeRoom(document);
    int limit = collected.position() + document;
    collected.putInt(RecordCodec.recordBytes(payload.length));
    int at = collected.position();
    byte[] bytes = collected.array();
    int length =
        RecordCodec.encode(bytes, at, kind, index, commitWatermark, segmentId, previous, payload);
    Arrays.fill(bytes, at + length, limit, (byte) 0);
    collected.position(limit);
    lastPosition = end + SegmentLayout.DOCUMENT_WORD_BYTES;
    end += document;
    return at;
  }

  /**
   * Makes everything appended durable, including a filler up to the end of its last page. The next
   * record begins on the next page.
   *
   * @throws IOException if that is uncertain; the segment must not be written or synced again
   */
  void sync() throws IOException {
    fillPage();
    write();
    syncedEnd = end;
    if (published) {
      // One page is kept for a watermark until the next batch is written.
      returned = reserved - (end - start) - SegmentLayout.PAGE_BYTES;
    }
  }

  private void fillPage() {
    int rest = (int) (SegmentLayout.alignUp(end, SegmentLayout.PAGE_BYTES) - end);
    if (rest > 0) {
      grow(rest);
      int word = SegmentLayout.fillerWord(end);
      int at = collected.position();
      Arrays.fill(collected.array(), at, at + rest, (byte) 0);
      collected.putInt(word).position(at + rest);
      end += rest;
    }
  }

  private void write() throws IOException {
    if (failed) {
      throw new IOException(file() + " has failed before");
    }
    failed = true; // until it returns: what reached the disk is unknown
    collected.flip();
    disk.write(file(), channel, collected, end - collected.remaining());
    collected.clear();
    failed = false;
  }

  private void makeRoom(int bytes) throws IOException {
    if (collected.position() > 0 && collected.position() + bytes > MAX_COLLECTED_BYTES) {
      write();
    }
    grow(bytes);
  }

  private void grow(int bytes) {
    if (collected.remaining() < bytes) {
      int capacity = Math.max(2 * collected.capacity(), collected.position() + bytes);
      collected =
          ByteBuffer.allocate(capacity).order(ByteOrder.LITTLE_ENDIAN).put(collected.flip());
    }
  }

  /**
   * A watermark that is reserved but not written.
   *
   * @param durableIndex the index that it declares durable
   * @param bytes its page
   * @param position of the page in the file
   */
  record Watermark(long durableIndex, ByteBuffer bytes, long position) {}

  /**
   * Builds a watermark after the last batch, which must have been synced, and reserves its page.
   *
   * @param durableHash of the record of the entry with that index
   */
  Watermark reserveWatermark(long durableIndex, Hash durableHash) {
    if (end % SegmentLayout.PAGE_BYTES != 0
        || end + SegmentLayout.PAGE_BYTES > SegmentLayout.endOfRoom(segmentBytes)) {
      throw new IllegalStateException("no watermark fits into " + file() + " at " + end);
    }
    byte[] page = new byte[SegmentLayout.PAGE_BYTES];
    ByteBuffer bytes = ByteBuffer.wrap(page).order(ByteOrder.LITTLE_ENDIAN);
    int word = SegmentLayout.DOCUMENT_WORD_BYTES;
    int length = RecordCodec.encodeWatermark(page, word, durableIndex, segmentId, durableHash);
    int document = (int) SegmentLayout.alignUp(word + length, word);
    bytes.putInt(0, SegmentLayout.FILLER_BIT | length);
    bytes.putInt(document, SegmentLayout.fillerWord(end + document));
    Watermark reserved = new Watermark(durableIndex, bytes, end);
    end += SegmentLayout.PAGE_BYTES;
    return reserved;
  }

  /**
   * Writes a watermark durably. Does nothing if the segment was closed meanwhile: the header of its
   * successor covers more. Any thread may call it, while another one appends and syncs.
   *
   * @throws IOException if the disk fails; the segment must not be written again
   */
  void write(Watermark watermark) throws IOException {
    closing.lock();
    try {
      if (!closed) {
        disk.write(file(), watermarks, watermark.bytes, watermark.position);
      }
    } finally {
      closing.unlock();
    }
  }

  /** Gives the segment its final name, durably; everything appended must have been synced. */
  void publish() throws IOException {
    Path target = SegmentLayout.published(logDirectory, sequence);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
    Files.move(directory, target, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(logDirectory);
    directory = target;
    published = true;
    start = end;
    reserved = 0;
  }

  /** Closes the file. The segment stays where it is. */
  @Override
  public void close() {
    closing.lock(); // a watermark may be being written
    try {
      closed = true;
      try {
        channel.close();
      } finally {
        watermarks.close();
      }
    } catch (IOException e) {
      LOG.warn("op log: cannot close {}", file(), e); // no unwritten data is in it
    } finally {
      closing.unlock();
    }
  }

  /** Releases a segment that was never published and deletes it. */
  void discard() throws IOException {
    close();
    DurableFiles.deleteTree(directory);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
  }
}
