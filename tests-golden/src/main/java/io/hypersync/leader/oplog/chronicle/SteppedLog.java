package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The op log as {@link ChronicleOpLog} keeps it, without Chronicle and without threads: the
 * product's records, recovery and readers on files that somebody else provides, and one step for
 * each of the things that {@link BatchWriter} waits for.
 */
public final class SteppedLog {
  private static final Path DIRECTORY = Path.of("oplog");

  /** Of the length before a record, and what records are aligned to. */
  private static final int WORD_BYTES = 4;

  private final Storage storage;
  private final LogFiles files;
  private final LongSupplier segmentIds;
  private final int segmentBytes;
  private final SegmentCatalog catalog = new SegmentCatalog();
  private final List<SegmentFile> segments = new ArrayList<>();
  private PositionIndex positions = new PositionIndex();
  private Path file = DIRECTORY;
  private long sequence;
  private long segmentId;
  private long end;
  private Hash previous = Hash.ZERO;
  private long writtenIndex;
  private long durableIndex;
  private long watermark;
  private long provenIndex;
  private long notedIndex;

  /** Where the segments are. */
  public interface Storage {
    /** The directories of the published segments. */
    List<Path> segments();

    /** The bytes of a segment's file as a reader finds them; null if it is not there. */
    byte @Nullable [] bytes(Path file);

    /** Makes a segment that is whole and durable, or fails and leaves nothing. */
    void publish(Path directory, Path file, byte[] bytes) throws IOException;

    /** Writes behind what is there, not durably. */
    void write(Path file, long position, byte[] bytes) throws IOException;

    /** Removes a segment that holds nothing of the log any more. */
    void delete(Path directory);
  }

  /**
   * Bytes of a record in a file.
   *
   * @param file the segment's file
   * @param position of its first byte
   * @param length how many
   */
  public record Span(Path file, long position, int length) {}

  private SteppedLog(Storage storage, LongSupplier segmentIds, int segmentBytes) {
    this.storage = storage;
    this.files = new StoredFiles(storage);
    this.segmentIds = segmentIds;
    this.segmentBytes = segmentBytes;
  }

  /**
   * Recovers the log and begins a new segment, as {@link ChronicleOpLog#open} does.
   *
   * @param segmentIds random numbers
   * @param segmentBytes after how many bytes of records a new segment is begun
   * @param chunkSync makes chunks durable, before the log says that it rests on them
   * @throws OpLogCorruptException if an entry that was durable is damaged or missing
   */
  public static SteppedLog open(
      Storage storage,
      LongSupplier segmentIds,
      int segmentBytes,
      Runnable chunkSync,
      RecoveryListener listener)
      throws IOException {
    SteppedLog log = new SteppedLog(storage, segmentIds, segmentBytes);
    log.sequence = LogRecovery.nextSequence(log.files);
    RecoveredLog recovered = LogRecovery.recover(log.files, listener);
    if (!recovered.carried().isEmpty()) {
      chunkSync.run();
    }
    recovered.segments().forEach(log.catalog::add);
    log.segments.addAll(recovered.segments());
    log.previous = recovered.durableHash();
    log.writtenIndex = recovered.durableIndex();
    log.durableIndex = recovered.durableIndex();
    log.begin(recovered.carried());
    recovered.obsolete().forEach(storage::delete);
    return log;
  }

  /** The last entry that was written. */
  public long writtenIndex() {
    return writtenIndex;
  }

  /** The last entry that was synced. */
  public long durableIndex() {
    return durableIndex;
  }

  /**
   * Writes a batch; the one before it must have been synced.
   *
   * @throws IOException if the disk fails; some first part may have been written, and the log must
   *     not be used again but be opened anew
   */
  public void write(List<byte[]> batch) throws IOException {
    if (writtenIndex != durableIndex) {
      throw new IllegalStateException("the batch before is not durable");
    }
    if (end >= segmentBytes) {
      begin(List.of());
    }
    watermark = durableIndex;
    ByteArrayOutputStream documents = new ByteArrayOutputStream();
    for (byte[] payload : batch) {
      byte[] record = record(RecordKind.ENTRY, segmentId, writtenIndex + 1, watermark, payload);
      positions.add(writtenIndex + 1, end + documents.size() + WORD_BYTES);
      append(documents, record.length, record);
      previous = Blake3.hash(record);
      writtenIndex++;
    }
    storage.write(file, end, pages(documents));
    end += documents.size();
  }

  /** Whether something is durable that no watermark says so of. */
  public boolean isNoteDue() {
    return writtenIndex == durableIndex && notedIndex < durableIndex;
  }

  /**
   * Writes a watermark, as a log does that has come to rest; what is written next may be on the
   * disk before it.
   *
   * @throws IOException if the disk fails
   */
  public void note() throws IOException {
    byte[] record = new byte[RecordCodec.recordBytes(0)];
    int _ = RecordCodec.encodeWatermark(record, 0, durableIndex, segmentId, previous);
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    append(page, SegmentLayout.FILLER_BIT | record.length, record);
    notedIndex = durableIndex;
    byte[] bytes = pages(page);
    end += bytes.length;
    storage.write(file, end - bytes.length, bytes);
  }

  /** What was written is on stable storage now. */
  public void synced() {
    durableIndex = writtenIndex;
    provenIndex = Math.max(provenIndex, watermark);
  }

  /** The file that is written to, and has to be synced. */
  public Path file() {
    return file;
  }

  /** Reads as the product does; see {@link io.hypersync.leader.oplog.OpLog#read}. */
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException {
    return fromIndex > durableIndex ? 0 : catalog.read(fromIndex, durableIndex, maxBytes, consumer);
  }

  /**
   * Where the records are whose damage recovery must notice: segments' headers, and entries of
   * which a header or an entry on stable storage says that they were durable, or a watermark.
   *
   * @param noted up to here a watermark has to be there
   */
  public List<Span> proven(long noted) throws IOException {
    List<Span> spans = new ArrayList<>();
    long lastProven = Math.max(provenIndex, noted);
    for (int i = 0; i < segments.size(); i++) {
      SegmentFile segment = segments.get(i);
      boolean last = i + 1 == segments.size();
      long limit = last ? lastProven : segments.get(i + 1).firstIndex() - 1;
      try (SegmentScanner scanner =
          new SegmentScanner(files.open(segment.file()), SegmentScanner.SEQUENTIAL_WINDOW_BYTES)) {
        LogRecord record = scanner.header(segment.sequence(), SegmentLayout.FIRST_RECORD_BEFORE);
        while (record != null
            && (record.kind() == RecordKind.SEGMENT_HEADER || record.index() <= limit)) {
          spans.add(new Span(segment.file(), record.position(), record.bytes().length));
          record = scanner.entry(record.end(), segment.segmentId());
        }
      }
    }
    return spans;
  }

  /** A new segment with these entries in it, durable before anybody can see it. */
  private void begin(List<byte[]> carried) throws IOException {
    long first = durableIndex + 1;
    Path directory = SegmentLayout.published(DIRECTORY, sequence);
    Path fresh = directory.resolve(SegmentLayout.CYCLE_FILE);
    long id = segmentIds.getAsLong();
    PositionIndex sampled = new PositionIndex();
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] header =
        record(
            RecordKind.SEGMENT_HEADER,
            id,
            first,
            durableIndex + carried.size(),
            RecordCodec.segmentHeaderPayload(sequence));
    append(bytes, header.length, header);
    long watermark = durableIndex;
    for (byte[] payload : carried) {
      byte[] record = record(RecordKind.ENTRY, id, writtenIndex + 1, watermark, payload);
      sampled.add(writtenIndex + 1, bytes.size() + WORD_BYTES);
      append(bytes, record.length, record);
      previous = Blake3.hash(record);
      writtenIndex++;
    }
    storage.publish(directory, fresh, pages(bytes));
    file = fresh;
    segmentId = id;
    positions = sampled;
    end = bytes.size();
    SegmentFile segment = new SegmentFile(files, directory, sequence, first, id, sampled);
    catalog.add(segment);
    segments.removeIf(before -> before.firstIndex() == first); // nothing of the log is in it
    segments.add(segment);
    durableIndex = writtenIndex;
    provenIndex = writtenIndex;
    notedIndex = writtenIndex;
    sequence++;
  }

  private byte[] record(RecordKind kind, long id, long index, long watermark, byte[] payload) {
    byte[] record = new byte[RecordCodec.recordBytes(payload.length)];
    int _ = RecordCodec.encode(record, 0, kind, index, watermark, id, previous, payload);
    return record;
  }

  /** As it is on the disk: with a filler up to the end of the page. */
  private static byte[] pages(ByteArrayOutputStream bytes) {
    long whole = SegmentLayout.alignUp(bytes.size(), SegmentLayout.PAGE_BYTES);
    if (bytes.size() < whole) {
      append(bytes, SegmentLayout.fillerWord(bytes.size()), new byte[0]);
      bytes.writeBytes(new byte[(int) whole - bytes.size()]);
    }
    return bytes.toByteArray();
  }

  /** As Chronicle frames it: a word, the bytes, and up to three zeros. */
  private static void append(ByteArrayOutputStream bytes, int word, byte[] record) {
    byte[] before = new byte[WORD_BYTES];
    ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN).putInt(word);
    bytes.writeBytes(before);
    bytes.writeBytes(record);
    while (bytes.size() % WORD_BYTES != 0) {
      bytes.write(0);
    }
  }

  /** What recovery and readers get to see of the storage. */
  private record StoredFiles(Storage storage) implements LogFiles {
    @Override
    public List<Path> segments() {
      return storage.segments();
    }

    @Override
    public boolean exists(Path file) {
      return storage.bytes(file) != null;
    }

    @Override
    public Bytes open(Path file) throws IOException {
      byte[] bytes = storage.bytes(file);
      if (bytes == null) {
        throw new NoSuchFileException(file.toString());
      }
      return new StoredBytes(bytes);
    }
  }

  private record StoredBytes(byte[] bytes) implements LogFiles.Bytes {
    @Override
    public long size() {
      return bytes.length;
    }

    @Override
    public int read(ByteBuffer target, long position) {
      int count = (int) Math.min(target.remaining(), bytes.length - position);
      if (count <= 0) {
        return -1;
      }
      target.put(bytes, (int) position, count);
      return count;
    }

    @Override
    public void close() {}
  }
}
