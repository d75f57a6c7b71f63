package io.hypersync.leader.oplog.chronicle;

import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.wire.file.DurableFiles;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.BooleanSupplier;
import net.openhft.chronicle.bytes.Bytes;
import net.openhft.chronicle.bytes.SyncMode;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.RollCycles;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.wire.DocumentContext;

/**
 * The writable side of one segment: a Chronicle queue with a single, preallocated cycle file.
 *
 * <p>Life: {@link #prepare} in the background, {@link #begin} and the records carried over from an
 * older segment, {@link #sync}, {@link #publish} (a rename: the segment exists from here on), then
 * records and syncs until it is full. Used by one thread at a time.
 *
 * <p><b>How a record becomes durable.</b> Measured with {@code strace -e
 * trace=msync,fdatasync,fsync} on Chronicle Queue 2026.4:
 *
 * <ul>
 *   <li>{@code ExcerptAppender.sync()} calls {@code msync(MS_ASYNC)} by default and {@code
 *       msync(MS_SYNC)} on a queue built with {@code SyncMode.SYNC}. The range starts at the page
 *       that holds the end of the last sync and ends with the page of the last byte, so a second
 *       append to the same page syncs that page again. The first sync covers Chronicle's header,
 *       later ones do not, although every append stores a write position in the header: after a
 *       power loss that word is old. Nothing here reads it.
 *   <li>If that {@code msync} fails, Chronicle logs it and {@code sync()} returns normally. A lost
 *       write would be acknowledged. So the sync is done here, by {@code msync(MS_SYNC)} over the
 *       same range of a second mapping of the file (both mappings show the same page cache), which
 *       throws. {@code SyncMode.SYNC} still makes closing the queue write back Chronicle's own
 *       pages.
 *   <li>{@code fdatasync} of the whole file also writes Chronicle's header page each time: 108 us
 *       against 89 us for the range, 82-95 us for an {@code O_DSYNC} overwrite of 4 KiB.
 * </ul>
 *
 * <p>Chronicle never grows the file and never writes behind {@code segmentBytes}: the owner counts
 * the room before it hands over a record, and {@link #append} checks again, because a store to a
 * page without a block would kill the process with SIGBUS when the disk is full.
 */
final class SegmentAppender implements AutoCloseable {
  private final Path logDirectory;
  private final long sequence;
  private final int segmentBytes;
  private final long segmentId;
  private final SingleChronicleQueue queue;
  private final ExcerptAppender appender;
  private final Arena arena;
  private final MemorySegment mapping;
  private final RangeSync rangeSync;
  private Path directory;
  private byte[] scratch = new byte[4096];
  private long lastPosition;
  private long end;
  private long synced;
  private long written; // bytes of the documents with entries

  private SegmentAppender(
      Path logDirectory,
      Path directory,
      long sequence,
      int segmentBytes,
      SingleChronicleQueue queue,
      ExcerptAppender appender,
      Arena arena,
      MemorySegment mapping,
      RangeSync rangeSync) {
    this.logDirectory = logDirectory;
    this.directory = directory;
    this.sequence = sequence;
    this.segmentBytes = segmentBytes;
    this.segmentId = ThreadLocalRandom.current().nextLong();
    this.queue = queue;
    this.appender = appender;
    this.arena = arena;
    this.mapping = mapping;
    this.rangeSync = rangeSync;
  }

  /**
   * Allocates a segment. Everything that will be written later has its blocks afterwards, on stable
   * storage.
   *
   * @throws IOException if there is no space or the disk fails; nothing is left behind
   */
  static SegmentAppender prepare(
      Path logDirectory,
      long sequence,
      int segmentBytes,
      RangeSync rangeSync,
      BooleanSupplier abandon)
      throws IOException {
    ChronicleRuntime.initialise();
    Path directory = SegmentLayout.spare(logDirectory, sequence);
    Durably.deleteTree(directory);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
    try {
      Files.createDirectory(directory);
      Files.createFile(SegmentLayout.placeholder(logDirectory, sequence));
      // Chronicle takes a file of zeros for one that it has not initialised yet.
      Durably.createZeroed(
          directory.resolve(SegmentLayout.METADATA_FILE), SegmentLayout.METADATA_BYTES, 0, abandon);
      Path zeros = directory.resolve("zeros");
      Durably.createZeroed(zeros, segmentBytes, SegmentLayout.overlapBytes(segmentBytes), abandon);
      SegmentAppender segment =
          open(logDirectory, directory, zeros, sequence, segmentBytes, rangeSync);
      DurableFiles.syncDirectory(directory);
      return segment;
    } catch (IOException | RuntimeException e) {
      Durably.deleteTree(directory);
      Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
      throw e instanceof IOException io ? io : new IOException("cannot prepare " + directory, e);
    }
  }

  private static SegmentAppender open(
      Path logDirectory,
      Path directory,
      Path zeros,
      long sequence,
      int segmentBytes,
      RangeSync rangeSync)
      throws IOException {
    SingleChronicleQueue queue =
        SingleChronicleQueueBuilder.binary(directory)
            .rollCycle(RollCycles.FAST_DAILY)
            .timeProvider(() -> 0L) // never rolls by itself
            .blockSize(segmentBytes)
            .indexCount(SegmentLayout.CHRONICLE_INDEX_COUNT)
            .indexSpacing(SegmentLayout.CHRONICLE_INDEX_SPACING)
            .syncMode(SyncMode.SYNC)
            .build();
    Arena arena = Arena.ofShared();
    try {
      ExcerptAppender appender = queue.createAppender();
      appender.singleThreadedCheckDisabled(true); // prepared by one thread, used by another
      // Only now: an appender that finds a file without a header waits ten seconds for its writer.
      Path file = directory.resolve(SegmentLayout.CYCLE_FILE);
      Files.move(zeros, file);
      try (FileChannel channel =
          FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        MemorySegment mapping = channel.map(FileChannel.MapMode.READ_WRITE, 0, segmentBytes, arena);
        return new SegmentAppender(
            logDirectory,
            directory,
            sequence,
            segmentBytes,
            queue,
            appender,
            arena,
            mapping,
            rangeSync);
      }
    } catch (IOException | RuntimeException e) {
      arena.close();
      queue.close();
      throw e;
    }
  }

  /** Bytes of {@linkplain SegmentLayout#documentBytes documents} that the segment takes. */
  long roomForEntries() {
    return SegmentLayout.roomForEntries(segmentBytes);
  }

  /** Room left behind what has been written. */
  long roomLeft() {
    return roomForEntries() - written;
  }

  long sequence() {
    return sequence;
  }

  /** Where the last record begins in the file. */
  long lastPosition() {
    return lastPosition;
  }

  /** Where the last record ends in the file. */
  long end() {
    return end;
  }

  /** The file with the records. */
  Path file() {
    return directory.resolve(SegmentLayout.CYCLE_FILE);
  }

  /** What readers need once the segment is published. */
  SegmentFile readable(long firstIndex, PositionIndex positions) {
    return new SegmentFile(
        LogFiles.in(logDirectory), directory, sequence, firstIndex, segmentId, positions);
  }

  /** Writes the segment header, not yet durable. */
  void begin(long firstIndex, long commitWatermark, Hash previous) {
    append(
        RecordKind.SEGMENT_HEADER,
        firstIndex,
        commitWatermark,
        previous,
        RecordCodec.segmentHeaderPayload(sequence));
  }

  /** Writes an entry, not yet durable, and returns the record's hash. */
  Hash append(long index, long commitWatermark, Hash previous, byte[] payload) {
    int length = append(RecordKind.ENTRY, index, commitWatermark, previous, payload);
    written += SegmentLayout.documentBytes(payload.length);
    return Blake3.hash(scratch, 0, length);
  }

  private int append(
      RecordKind kind, long index, long commitWatermark, Hash previous, byte[] payload) {
    int length = RecordCodec.recordBytes(payload.length);
    if (length > scratch.length) {
      scratch = new byte[length];
    }
    RecordCodec.encode(scratch, kind, index, commitWatermark, segmentId, previous, payload);
    if (end + SegmentLayout.documentBytes(payload.length) + SegmentLayout.PAGE_BYTES / 2
        > segmentBytes) {
      throw new IllegalStateException(
          "index " + index + " does not fit into " + file() + " at " + end);
    }
    try (DocumentContext document = appender.writingDocument()) {
      Bytes<?> bytes = document.wire().bytes();
      lastPosition = bytes.writePosition();
      bytes.write(scratch, 0, length);
      end = bytes.writePosition();
    }
    return length;
  }

  /**
   * Makes everything appended durable.
   *
   * @throws IOException if it may not be; the segment must not be written or synced again
   */
  void sync() throws IOException {
    long from = synced / SegmentLayout.PAGE_BYTES * SegmentLayout.PAGE_BYTES;
    rangeSync.force(file(), mapping, from, end - from);
    synced = end;
  }

  /** Gives the segment its final name, durably; all that was appended must have been synced. */
  void publish() throws IOException {
    Path published = SegmentLayout.published(logDirectory, sequence);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
    Files.move(directory, published, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(logDirectory);
    directory = published;
  }

  /** Releases the mappings. The segment stays where it is. */
  @Override
  public void close() {
    appender.close();
    queue.close();
    arena.close();
  }

  /** Releases a segment that was never published and deletes it. */
  void discard() throws IOException {
    close();
    Durably.deleteTree(directory);
    Files.deleteIfExists(SegmentLayout.placeholder(logDirectory, sequence));
  }
}
