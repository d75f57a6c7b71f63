package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.RecoveryListener.Verdict;
import io.hypersync.leader.oplog.RootVersionException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.trie.RootVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Replays the segments of a directory and decides which entries belong to the log. Changes nothing
 * on disk.
 *
 * <p>Facts it relies on:
 *
 * <ol>
 *   <li>A published segment has a durable header that says where it begins, so it voids whatever
 *       older segments hold from that index on. The first index of a segment never decreases.
 *   <li>A new segment is published only when all entries of the one before are durable, or have
 *       been written again to the new one. So a damaged entry in any but the last segment is
 *       corruption.
 *   <li>Batches become durable strictly one after another, and each record names the highest index
 *       that was durable when it was written. An idle log, and one that is closed, has a watermark
 *       record after its last batch. So in the last segment, every entry up to the highest commit
 *       watermark found anywhere in it was durable, and damage to it is corruption.
 *   <li>Damage above that index is in the last batch of a leader that ended, without closing the
 *       log, less than {@link IdleWatermark#IDLE_NANOS} after that batch. It cannot be
 *       distinguished from a torn write that was never acknowledged, and is cut off. A power loss
 *       may have kept later pages of an unsynced batch and lost earlier ones, so valid records
 *       behind the damage prove nothing but their watermark.
 *   <li>A torn write damages only pages that it writes, and none of them holds acknowledged bytes
 *       (records of version 2). A watermark has a page of its own: if that page is torn or decays,
 *       the batch before it is intact and merely not covered by a watermark.
 * </ol>
 *
 * <p>A caller that needs entries only from some index on ({@link RecoveryListener#firstNeeded}) is
 * spared the segments that end before it: only their headers are read, and what is in them is
 * checked by readers. The chain of hashes begins with the header of the first segment that is read.
 * The log must reach from that entry, or an earlier one, to the entry before it, or a later one.
 *
 * <p>Decision 018 has the cases.
 */
final class LogRecovery {
  private static final Logger LOG = LoggerFactory.getLogger(LogRecovery.class);

  private final LogFiles files;
  private final RecoveryListener listener;
  private final List<byte[]> carried = new ArrayList<>();
  private long needed;
  private boolean entered;
  private long nextIndex = 1;
  private Hash previous = Hash.ZERO;
  private long durableIndex;
  private Hash durableHash = Hash.ZERO;
  private long endOfDurable;
  private long endOfLastKept;
  private final List<LogSegmentFile> published = new ArrayList<>();
  private RootVersion roots = RootVersion.LATEST;
  private long markedIndex;
  private Hash markedHash = Hash.ZERO;

  private LogRecovery(LogFiles files, RecoveryListener listener) {
    this.files = files;
    this.listener = listener;
  }

  /**
   * Replays the log into the listener.
   *
   * @throws OpLogCorruptException if an entry that was durable is damaged or missing, or the log
   *     has a gap before the entry that the listener needs
   */
  static RecoveredLog recover(LogFiles files, RecoveryListener listener) throws IOException {
    return new LogRecovery(files, listener).recover();
  }

  /**
   * Reads the records of the log without applying them, to prepare a cut after an entry.
   *
   * @param index the entry whose record hash is wanted
   * @throws OpLogCorruptException if an entry that was durable is damaged or missing
   */
  static Marked mark(LogFiles files, long index) throws IOException {
    LogRecovery recovery = new LogRecovery(files, (_, _) -> Verdict.KEEP);
    recovery.markedIndex = index;
    var _ = recovery.recover();
    return new Marked(
        recovery.published,
        recovery.roots,
        firstIndex(recovery.published),
        recovery.nextIndex - 1,
        recovery.durableIndex,
        recovery.markedHash);
  }

  /**
   * The version of the log's roots, from the header of its newest segment. Null if there is no
   * segment, or if the header is damaged, which {@link #recover} reports.
   *
   * @param directory of the log, for the exception
   * @throws RootVersionException if the version is unknown
   */
  static @Nullable RootVersion rootVersion(LogFiles files, Path directory) throws IOException {
    List<Path> published = publishedSegments(files);
    if (published.isEmpty()) {
      return null;
    }
    Path newest = published.getLast();
    Path file = newest.resolve(SegmentLayout.CYCLE_FILE);
    if (!files.exists(file)) {
      return null;
    }
    try (SegmentScanner scanner =
        SegmentScanner.open(files, file, SegmentScanner.POINT_WINDOW_BYTES)) {
      LogRecord header =
          scanner.header(SegmentLayout.sequenceOf(newest), SegmentLayout.FIRST_RECORD_BEFORE);
      if (header == null) {
        return null;
      }
      int code = RecordCodec.rootVersionCode(header.bytes());
      RootVersion version = RootVersion.ofCode(code);
      if (version == null) {
        throw new RootVersionException(directory, code, RootVersion.LATEST);
      }
      return version;
    }
  }

  private RecoveredLog recover() throws IOException {
    List<Path> directories = publishedSegments(files);
    List<Headed> headed = new ArrayList<>();
    for (Path directory : directories) {
      headed.add(readHeader(directory, headed.isEmpty() ? null : headed.getLast()));
    }
    headed.forEach(segment -> published.add(segment.file()));
    if (!headed.isEmpty()) {
      roots = headed.getLast().roots();
    }
    requireBegin();
    List<LogSegmentFile> segments = new ArrayList<>();
    List<Path> obsolete = new ArrayList<>();
    for (int i = 0; i < headed.size(); i++) {
      Headed segment = headed.get(i);
      if (i + 1 == headed.size()) {
        if (replayLast(segment)) {
          segments.add(segment.file());
          endOfLastKept = endOfDurable;
        } else {
          obsolete.add(segment.file().directory());
        }
      } else if (segment.file().firstIndex() == headed.get(i + 1).file().firstIndex()) {
        obsolete.add(segment.file().directory());
      } else if (headed.get(i + 1).file().firstIndex() <= needed) {
        segments.add(segment.file().unread());
      } else {
        long last = headed.get(i + 1).file().firstIndex() - 1;
        replaySealed(segment, last);
        listener.sealed(last);
        segments.add(segment.file());
        endOfLastKept = endOfDurable;
      }
    }
    requireEnd();
    listener.ended();
    return new RecoveredLog(segments, obsolete, durableIndex, durableHash, carried, endOfLastKept);
  }

  private void requireBegin() throws OpLogCorruptException {
    long first = firstIndex(published);
    needed = listener.firstNeeded(first);
    if (first > needed) {
      throw new OpLogCorruptException(
          needed,
          published.getFirst().file(),
          "the log begins at entry " + first + ", and entry " + needed + " is needed");
    }
  }

  /** A new segment would begin at an index that is too low, or void what the caller has. */
  private void requireEnd() throws OpLogCorruptException {
    if (nextIndex < needed) {
      throw new OpLogCorruptException(
          nextIndex,
          published.isEmpty() ? files.logDirectory() : published.getLast().file(),
          "the log ends at entry "
              + (nextIndex - 1)
              + ", and entries up to "
              + (needed - 1)
              + " must have been in it");
    }
  }

  /**
   * The first index of the log; 1 if it has no segment.
   *
   * @throws OpLogCorruptException if the header that says so is damaged
   */
  static long firstIndex(LogFiles files) throws IOException {
    List<Path> published = publishedSegments(files);
    if (published.isEmpty()) {
      return 1;
    }
    LogRecovery recovery = new LogRecovery(files, (_, _) -> Verdict.KEEP);
    return recovery.readHeader(published.getFirst(), null).file().firstIndex();
  }

  private static long firstIndex(List<LogSegmentFile> published) {
    return published.isEmpty() ? 1 : published.getFirst().firstIndex();
  }

  /** A sequence number higher than that of any published segment. */
  static long nextSequence(LogFiles files) throws IOException {
    List<Path> published = publishedSegments(files);
    return published.isEmpty() ? 1 : SegmentLayout.sequenceOf(published.getLast()) + 1;
  }

  private static List<Path> publishedSegments(LogFiles files) throws IOException {
    List<Path> found = new ArrayList<>(files.segments());
    found.sort(Comparator.comparingLong(SegmentLayout::sequenceOf));
    return found;
  }

  private Headed readHeader(Path directory, @Nullable Headed before) throws IOException {
    long sequence = SegmentLayout.sequenceOf(directory);
    Path file = directory.resolve(SegmentLayout.CYCLE_FILE);
    long expected = before == null ? 1 : before.file().firstIndex();
    if (!files.exists(file)) {
      throw new OpLogCorruptException(expected, file, "the segment's file is missing");
    }
    try (SegmentScanner scanner =
        SegmentScanner.open(files, file, SegmentScanner.POINT_WINDOW_BYTES)) {
      LogRecord header = scanner.header(sequence, SegmentLayout.FIRST_RECORD_BEFORE);
      if (header == null) {
        throw new OpLogCorruptException(expected, file, "the segment's header is damaged");
      }
      if (before != null && header.index() < before.file().firstIndex()) {
        throw new OpLogCorruptException(
            header.index(), file, "the segment begins before its predecessor");
      }
      int code = RecordCodec.rootVersionCode(header.bytes());
      RootVersion version = RootVersion.ofCode(code);
      if (version == null) {
        throw new OpLogCorruptException(
            header.index(), file, "its roots have the unknown version " + code);
      }
      if (before != null && version != before.roots()) {
        throw new OpLogCorruptException(
            header.index(),
            file,
            "its roots have version " + code + ", those before version " + before.roots().code());
      }
      return new Headed(
          new LogSegmentFile(
              files, directory, sequence, header.index(), header.segmentId(), new PositionIndex()),
          header,
          version);
    }
  }

  /** Replays a segment that has a successor: every entry up to {@code last} must be intact. */
  private void replaySealed(Headed segment, long last) throws IOException {
    enter(segment);
    try (SegmentScanner scanner = open(segment)) {
      replay(segment, scanner, last, last);
    }
  }

  /** Replays the segment that was being written. Returns whether it holds durable entries. */
  private boolean replayLast(Headed segment) throws IOException {
    enter(segment);
    Proof proof;
    try (SegmentScanner scanner = open(segment)) {
      proof = proof(segment, scanner);
    }
    long watermark = proof.watermark();
    try (SegmentScanner scanner = open(segment)) {
      long end = replay(segment, scanner, watermark, Long.MAX_VALUE);
      end = scanner.behindFiller(Math.max(end, proof.end()));
      long torn = scanner.endOfData(end) - end;
      if (torn > 0) {
        LOG.warn(
            "op log: cut off at index {} in {}: {} bytes from position {} on are not proven"
                + " to have been durable (durable: {})",
            nextIndex,
            segment.file().file(),
            torn,
            end,
            watermark);
      }
    }
    return durableIndex >= segment.file().firstIndex();
  }

  private SegmentScanner open(Headed segment) throws IOException {
    return SegmentScanner.open(
        files, segment.file().file(), SegmentScanner.SEQUENTIAL_WINDOW_BYTES);
  }

  private void enter(Headed segment) throws OpLogCorruptException {
    LogSegmentFile file = segment.file();
    if (!entered) { // the log may begin later than 1, and what comes before may not be needed
      entered = true;
      nextIndex = file.firstIndex();
      previous = segment.header().previousHash();
      durableIndex = nextIndex - 1;
      durableHash = previous;
    }
    if (file.firstIndex() != nextIndex) {
      throw new OpLogCorruptException(
          nextIndex, file.file(), "the next segment begins at " + file.firstIndex());
    }
    if (!segment.header().previousHash().equals(previous)) {
      throw new OpLogCorruptException(
          nextIndex - 1, file.file(), "the segment does not follow the entry before it");
    }
    endOfDurable = segment.header().end();
  }

  private static Proof proof(Headed segment, SegmentScanner scanner) throws IOException {
    long highest = segment.header().commitWatermark();
    long position = segment.header().end();
    long endOfProof = position;
    while (true) {
      LogRecord record = scanner.record(position, segment.file().segmentId());
      if (record == null) {
        return new Proof(highest, endOfProof);
      }
      highest = Math.max(highest, record.commitWatermark());
      position = record.end();
      if (record.kind() == RecordKind.WATERMARK) {
        endOfProof = position;
      }
    }
  }

  /**
   * Checks entries up to {@code limit}, and delivers those that are needed, until one is bad;
   * returns the position after the last good one.
   *
   * @param durable up to this index a bad or missing entry is corruption
   */
  private long replay(Headed segment, SegmentScanner scanner, long durable, long limit)
      throws IOException {
    LogSegmentFile file = segment.file();
    long position = segment.header().end();
    try (EntryReader entries = new EntryReader(scanner, position, file.segmentId())) {
      while (nextIndex <= limit) {
        EntryReader.Entry entry = entries.next();
        if (entry == null || entry.record().index() > nextIndex) {
          requireUnacknowledged(durable, file, "the record is damaged or missing");
          break;
        }
        LogRecord record = entry.record();
        if (record.index() < nextIndex || !record.previousHash().equals(previous)) {
          throw new OpLogCorruptException(
              nextIndex, file.file(), "the record does not follow the one before it");
        }
        byte[] payload = record.payload();
        if (nextIndex >= needed && listener.onRecord(nextIndex, payload) == Verdict.CUT) {
          requireUnacknowledged(durable, file, "the entry's chunks are missing");
          break;
        }
        previous = entry.hash();
        if (nextIndex == markedIndex) {
          markedHash = previous;
        }
        position = record.end();
        if (nextIndex <= durable) {
          file.positions().add(nextIndex, record.position());
          durableIndex = nextIndex;
          durableHash = previous;
          endOfDurable = position;
        } else {
          carried.add(payload);
        }
        nextIndex++;
      }
    }
    return position;
  }

  private void requireUnacknowledged(long durable, LogSegmentFile file, String what)
      throws OpLogCorruptException {
    if (nextIndex <= durable) {
      throw new OpLogCorruptException(
          nextIndex, file.file(), what + ", but entries up to " + durable + " were durable");
    }
  }

  /**
   * What the last segment proves about its own durability.
   *
   * @param watermark entries up to this index were durable
   * @param end of the last watermark record; bytes before it were durable, or belong to no entry of
   *     the log
   */
  private record Proof(long watermark, long end) {}

  /**
   * What a cut needs to know about the log.
   *
   * @param published its segments, oldest first
   * @param roots the version of its roots
   * @param firstIndex the first index that it holds
   * @param lastIndex index of its last valid entry
   * @param durableIndex the last index that the log proves to be durable
   * @param hash record hash of the requested entry, {@link Hash#ZERO} if there is none
   */
  record Marked(
      List<LogSegmentFile> published,
      RootVersion roots,
      long firstIndex,
      long lastIndex,
      long durableIndex,
      Hash hash) {}

  /** A published segment, its header record, and the version of the roots in that. */
  private record Headed(LogSegmentFile file, LogRecord header, RootVersion roots) {}
}
