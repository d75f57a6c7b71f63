package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.model.hash.Blake3;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A single-threaded op log without Chronicle Queue, for the simulator. It uses {@link
 * ChronicleOpLog}'s record format, recovery and readers on files that its {@link Storage} provides.
 * Each step for which {@link BatchWriter} would block (write, watermark, sync) is a method of its
 * own, so that the caller decides when it completes or fails.
 */
public final class SteppedLog {
  private static final Path DIRECTORY = Path.of("oplog");

  /** Size of the length word before each record; records are also aligned to it. */
  private static final int WORD_BYTES = 4;

  private final Storage storage;
  private final LogFiles files;
  private final LongSupplier segmentIds;
  private final int segmentBytes;
  private final SegmentCatalog catalog = new SegmentCatalog();
  private final List<LogSegmentFile> segments = new ArrayList<>();
  private final Set<Path> unread = new HashSet<>();
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
  private long watermarkedIndex;

  /** The files of the segments, which the caller provides so that it can inject faults. */
  public interface Storage {
    /** Directories of the published segments. */
    List<Path> segments();

    /** The current contents of a segment's file; null if there is no such file. */
    byte @Nullable [] bytes(Path file);

    /** Creates a segment whose whole content is durable, or throws and leaves nothing behind. */
    void publish(Path directory, Path file, byte[] bytes) throws IOException;

    /** Writes at {@code position}, behind the last record; not durable until synced. */
    void write(Path file, long position, byte[] bytes) throws IOException;

    /** Removes a segment that holds no entry of the log, or was trimmed. */
    void delete(Path directory);
  }

  /**
   * The position of one record in a file.
   *
   * @param file the segment's file
   * @param position offset of the first byte
   * @param length number of bytes
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
   * @param segmentIds source of random segment ids
   * @param segmentBytes a new segment is begun once one holds this many bytes of records
   * @param chunkSync makes the chunks of recovered entries durable; called before the log declares
   *     those entries durable
   * @throws OpLogCorruptException if an entry that was durable is damaged or missing, or the log
   *     has a gap before the entry that the listener needs
   * @throws IOException if the storage fails
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
    for (LogSegmentFile segment : recovered.segments()) {
      if (!segment.positions().isWhole()) {
        log.unread.add(segment.file());
      }
    }
    log.previous = recovered.durableHash();
    log.writtenIndex = recovered.durableIndex();
    log.durableIndex = recovered.durableIndex();
    log.begin(recovered.carried());
    recovered.obsolete().forEach(storage::delete);
    return log;
  }

  /**
   * Begins a log behind an entry that it never had, as {@link LogBeginning} does; {@link #open}
   * goes on with it.
   *
   * @param firstIndex the index that the first entry will have, at least 1
   * @throws IOException if the storage fails
   */
  public static void beginAt(Storage storage, LongSupplier segmentIds, long firstIndex)
      throws IOException {
    SteppedLog log = new SteppedLog(storage, segmentIds, 0);
    log.sequence = LogRecovery.nextSequence(log.files);
    log.writtenIndex = firstIndex - 1;
    log.durableIndex = firstIndex - 1;
    log.begin(List.of());
  }

  /** The lowest index that the log holds. */
  public long firstIndex() {
    return catalog.firstIndex();
  }

  /** Index of the last synced entry. */
  public long durableIndex() {
    return durableIndex;
  }

  /**
   * Writes a batch. The batch before it must have been synced.
   *
   * @throws IOException if the disk fails; a prefix of the batch may have been written, so this log
   *     must not be used any more: open it again
   * @throws IllegalStateException if the batch before is not durable
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

  /** Whether entries are durable which no watermark covers yet. */
  public boolean isWatermarkDue() {
    return writtenIndex == durableIndex && watermarkedIndex < durableIndex;
  }

  /**
   * Writes a watermark, as the log does when it is idle. The watermark is not synced, and a later
   * write may reach the disk before it.
   *
   * @throws IOException if the disk fails
   */
  public void writeWatermark() throws IOException {
    byte[] record = new byte[RecordCodec.recordBytes(0)];
    int _ = RecordCodec.encodeWatermark(record, 0, durableIndex, segmentId, previous);
    ByteArrayOutputStream page = new ByteArrayOutputStream();
    append(page, SegmentLayout.FILLER_BIT | record.length, record);
    watermarkedIndex = durableIndex;
    byte[] bytes = pages(page);
    end += bytes.length;
    storage.write(file, end - bytes.length, bytes);
  }

  /** Reports a completed sync: everything written so far is durable. */
  public void synced() {
    durableIndex = writtenIndex;
    provenIndex = Math.max(provenIndex, watermark);
  }

  /** The file that the last write went to, and which must be synced. */
  public Path file() {
    return file;
  }

  /**
   * Begins a trim, see {@link io.hypersync.leader.oplog.OpLog#trim}: from now on nobody reads these
   * segments.
   *
   * @return their directories, oldest first, also those of an earlier call that are still there.
   *     The caller takes them away from the storage in this order, each one durably before the
   *     next, or only the first of them if the leader crashes
   */
  public List<Path> forget(long throughIndex) {
    LogSegmentFile kept = catalog.holding(throughIndex + 1);
    if (kept == null) {
      return List.of();
    }
    List<Path> gone = new ArrayList<>(storage.segments());
    gone.removeIf(segment -> SegmentLayout.sequenceOf(segment) >= kept.sequence());
    gone.sort(Comparator.comparingLong(SegmentLayout::sequenceOf));
    for (Path segment : gone) {
      catalog.remove(SegmentLayout.sequenceOf(segment));
      unread.remove(segment.resolve(SegmentLayout.CYCLE_FILE));
    }
    segments.removeIf(segment -> gone.contains(segment.directory()));
    return gone;
  }

  /** The segments, oldest first; see {@link io.hypersync.leader.oplog.OpLog#segments}. */
  public List<LogSegment> segments() throws IOException {
    return catalog.segments(durableIndex);
  }

  /**
   * The files of which recovery has read only the headers: damage to their entries is not found
   * before they are read.
   */
  public Set<Path> unread() {
    return Set.copyOf(unread);
  }

  /**
   * Reads durable entries as the product does; see {@link io.hypersync.leader.oplog.OpLog#read}.
   */
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException {
    long first = firstIndex();
    Objects.checkIndex(fromIndex - first, durableIndex + 2 - first);
    return fromIndex > durableIndex ? 0 : catalog.read(fromIndex, durableIndex, maxBytes, consumer);
  }

  /**
   * The records whose damage recovery must detect: segment headers, and all entries that a header,
   * a later entry on stable storage, or a watermark declares durable.
   *
   * @param watermarked highest index that a watermark on stable storage covers
   */
  public List<Span> proven(long watermarked) throws IOException {
    List<Span> spans = new ArrayList<>();
    long lastProven = Math.max(provenIndex, watermarked);
    for (int i = 0; i < segments.size(); i++) {
      LogSegmentFile segment = segments.get(i);
      boolean last = i + 1 == segments.size();
      long limit = last ? lastProven : segments.get(i + 1).firstIndex() - 1;
      try (SegmentScanner scanner =
          SegmentScanner.open(files, segment.file(), SegmentScanner.SEQUENTIAL_WINDOW_BYTES)) {
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

  /** Begins a segment that contains these entries; it is durable before it is published. */
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
            RecordCodec.segmentHeaderPayload(sequence, RootVersion.LATEST));
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
    LogSegmentFile segment = new LogSegmentFile(files, directory, sequence, first, id, sampled);
    catalog.add(segment);
    segments.removeIf(before -> before.firstIndex() == first); // it holds no entry of the log
    segments.add(segment);
    durableIndex = writtenIndex;
    provenIndex = writtenIndex;
    watermarkedIndex = writtenIndex;
    sequence++;
  }

  private byte[] record(RecordKind kind, long id, long index, long watermark, byte[] payload) {
    byte[] record = new byte[RecordCodec.recordBytes(payload.length)];
    int _ = RecordCodec.encode(record, 0, kind, index, watermark, id, previous, payload);
    return record;
  }

  /** The bytes padded with a filler record to the end of the page. */
  private static byte[] pages(ByteArrayOutputStream bytes) {
    long whole = SegmentLayout.alignUp(bytes.size(), SegmentLayout.PAGE_BYTES);
    if (bytes.size() < whole) {
      append(bytes, SegmentLayout.fillerWord(bytes.size()), new byte[0]);
      bytes.writeBytes(new byte[(int) whole - bytes.size()]);
    }
    return bytes.toByteArray();
  }

  /** Appends a record in Chronicle's framing: length word, record, up to three zero bytes. */
  private static void append(ByteArrayOutputStream bytes, int word, byte[] record) {
    byte[] before = new byte[WORD_BYTES];
    ByteBuffer.wrap(before).order(ByteOrder.LITTLE_ENDIAN).putInt(word);
    bytes.writeBytes(before);
    bytes.writeBytes(record);
    while (bytes.size() % WORD_BYTES != 0) {
      bytes.write(0);
    }
  }

  /** The view of the storage that recovery and readers get. */
  private record StoredFiles(Storage storage) implements LogFiles {
    @Override
    public Path logDirectory() {
      return DIRECTORY;
    }

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
