package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.ChunkSync;
import io.hypersync.leader.oplog.LogSegment;
import io.hypersync.leader.oplog.LoneCommit;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.oplog.OpLogCorruptException;
import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.leader.oplog.OpLogListener;
import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.leader.oplog.RecordConsumer;
import io.hypersync.leader.oplog.RecoveryListener;
import io.hypersync.leader.oplog.RootVersionException;
import io.hypersync.model.trie.RootVersion;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The op log on Chronicle Queue.
 *
 * <p>Four threads: {@code oplog-writer} writes and syncs; {@code oplog-chunk-sync} syncs chunks at
 * the same time; {@code oplog-preparer} allocates the next segment, beginning during recovery;
 * {@code oplog-idle} writes a watermark when the log is idle. The appending thread accounts for the
 * room that is left and hands entries over, or writes a lone entry itself (decision 016).
 *
 * <p>The caller holds the lock on the state directory. The file system must overwrite in place
 * (ext4, xfs, tmpfs); otherwise an overwrite of preallocated blocks could fail for lack of space.
 */
public final class ChronicleOpLog implements OpLog {
  /** So much of a segment is left to entries that free something; a lone one takes 4 KiB. */
  private static final long KEPT_BYTES = 4 << 20;

  private static final Logger LOG = LoggerFactory.getLogger(ChronicleOpLog.class);

  private final LogClock clock;
  private final int maxPayloadBytes;
  private final SegmentCatalog catalog;
  private final LogTrim trim;
  private final SegmentPreparer preparer;
  private final ParallelChunkSync chunkSync;
  private final BatchWriter writer;
  private volatile long appendedIndex;
  private volatile boolean closed;

  // Used by the appending thread only, apart from status reports:

  /** The segment that the next entry goes to. */
  private volatile SegmentAppender segment;

  private long capacity; // bytes for entries in the segment
  private long reserved; // bytes reserved in it
  private long room; // lower bound; batches return more

  private ChronicleOpLog(
      OpLogOptions options,
      ChunkSync chunks,
      OpLogListener listener,
      SegmentPreparer preparer,
      SegmentCatalog catalog,
      LogTrim trim,
      OpenSegment begun,
      LogClock clock) {
    this.clock = clock;
    this.maxPayloadBytes = SegmentLayout.maxPayloadBytes(options.firstSegmentBytes());
    this.catalog = catalog;
    this.trim = trim;
    this.preparer = preparer;
    this.chunkSync = new ParallelChunkSync(chunks);
    this.writer =
        new BatchWriter(options, listener, chunkSync, preparer::retire, catalog, begun, clock);
    this.appendedIndex = begun.lastIndex();
    this.segment = begun.segment();
    this.capacity = segment.roomLeft();
    this.room = capacity;
  }

  /**
   * Recovers the log in a directory and opens it for appending, always in a new segment.
   *
   * @param directory holds nothing but the log; created if it does not exist
   * @param recovery receives every entry that it needs, in order, before this method returns
   * @param listener receives durability events and the failure, from then on
   * @throws OpLogCorruptException if a durable entry is damaged or missing, or {@code recovery}
   *     cuts one, or the log begins behind the entry that it needs, or ends before the one before;
   *     nothing was changed then
   * @throws OpLogFullException if there is no room for a new segment
   * @throws RootVersionException if the log's roots have another version than the options say;
   *     {@code recovery} has received nothing then
   */
  public static ChronicleOpLog open(
      Path directory,
      OpLogOptions options,
      ChunkSync chunkSync,
      RecoveryListener recovery,
      OpLogListener listener)
      throws IOException {
    return open(
        directory,
        options,
        chunkSync,
        recovery,
        listener,
        SegmentWrite.DSYNC,
        TreeDeletion.FILE_BY_FILE,
        LogClock.SYSTEM);
  }

  /**
   * The version of the roots of the log in a directory; the latest one if it has no segment yet.
   *
   * @throws RootVersionException if the version is unknown to this program
   * @throws OpLogCorruptException if the segment that says so is damaged
   */
  public static RootVersion rootVersion(Path directory) throws IOException {
    LogFiles files = LogFiles.in(directory);
    RootVersion found = LogRecovery.rootVersion(files, directory);
    if (found == null) {
      var _ = LogRecovery.recover(files, (_, _) -> RecoveryListener.Verdict.KEEP);
      return RootVersion.LATEST;
    }
    return found;
  }

  /**
   * The first index of the log in a directory; 1 if it has no segment yet.
   *
   * @throws OpLogCorruptException if the segment that says so is damaged
   */
  public static long firstIndex(Path directory) throws IOException {
    return LogRecovery.firstIndex(LogFiles.in(directory));
  }

  /**
   * Reads the log in a directory as {@link #open} would, without changing anything there. Its roots
   * may have any version that is known.
   *
   * @param reader receives every entry that it needs, in order
   * @throws OpLogCorruptException as for {@link #open}
   */
  public static void read(Path directory, RecoveryListener reader) throws IOException {
    var _ = LogRecovery.recover(LogFiles.in(directory), reader);
  }

  static ChronicleOpLog open(
      Path directory,
      OpLogOptions options,
      ChunkSync chunkSync,
      RecoveryListener recovery,
      OpLogListener listener,
      SegmentWrite disk,
      TreeDeletion deletion,
      LogClock clock)
      throws IOException {
    DurableFiles.createDirectories(directory);
    LogFiles files = LogFiles.in(directory);
    RootVersion found = LogRecovery.rootVersion(files, directory);
    if (found != null && found != options.roots()) {
      throw new RootVersionException(directory, found.code(), options.roots());
    }
    long sequence = LogRecovery.nextSequence(files);
    SegmentPreparer preparer =
        new SegmentPreparer(
            directory, options.firstSegmentBytes(), options.segmentBytes(), sequence, disk);
    preparer.start();
    try {
      RecoveredLog recovered = LogRecovery.recover(files, recovery);
      deleteUnpublished(directory, sequence);
      preparer.freed();
      if (!recovered.carried().isEmpty()) {
        chunkSync.sync(); // the new segment will declare these entries durable
      }
      OpenSegment begun = beginSegment(directory, options.roots(), recovered, preparer, disk);
      SegmentCatalog catalog = new SegmentCatalog();
      recovered.segments().forEach(catalog::add);
      catalog.add(begun.segment().readable(recovered.durableIndex() + 1, begun.positions()));
      tidy(recovered, deletion);
      ChronicleOpLog log =
          new ChronicleOpLog(
              options,
              chunkSync,
              listener,
              preparer,
              catalog,
              new LogTrim(files, catalog, deletion, listener::onWithdrawn),
              begun,
              clock);
      log.chunkSync.start();
      log.writer.start();
      return log;
    } catch (IOException | RuntimeException | Error e) {
      closeAfter(e, preparer);
      throw e;
    }
  }

  private static void closeAfter(Throwable failure, SegmentPreparer preparer) {
    try {
      preparer.close();
    } catch (IOException e) {
      failure.addSuppressed(e);
    }
  }

  private static OpenSegment beginSegment(
      Path directory,
      RootVersion roots,
      RecoveredLog recovered,
      SegmentPreparer preparer,
      SegmentWrite disk)
      throws IOException {
    int bytes = SegmentLayout.segmentBytesFor(recovered.carried());
    SegmentAppender segment;
    try {
      segment = preparer.take();
      if (bytes > segment.segmentBytes()) {
        segment.discard();
        segment = SegmentAppender.prepare(directory, segment.sequence(), bytes, disk, () -> false);
      }
    } catch (IOException e) {
      throw new OpLogFullException("no room for a new op log segment in " + directory, e);
    }
    try {
      return OpenSegment.begin(
          segment,
          roots,
          recovered.durableIndex() + 1,
          recovered.durableHash(),
          recovered.carried());
    } catch (IOException | RuntimeException e) {
      segment.close();
      throw e;
    }
  }

  /**
   * Deletes unpublished segments of earlier runs, once recovery has shown that the log is complete
   * without them.
   */
  private static void deleteUnpublished(Path directory, long exceptSequence) throws IOException {
    Set<Path> kept =
        Set.of(
            SegmentLayout.spare(directory, exceptSequence),
            SegmentLayout.placeholder(directory, exceptSequence));
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory)) {
      for (Path entry : entries) {
        if (SegmentLayout.isUnpublished(entry) && !kept.contains(entry)) {
          DurableFiles.deleteTree(entry);
        }
      }
    }
  }

  /**
   * Frees space. Nothing depends on it, because the new segment has voided all of this. A segment
   * is withdrawn before it is deleted: with only some of its files left, it would count as damaged.
   */
  private static void tidy(RecoveredLog recovered, TreeDeletion deletion) {
    try {
      for (Path directory : recovered.obsolete()) {
        deletion.delete(LogTrim.withdraw(directory));
      }
      List<LogSegmentFile> segments = recovered.segments();
      if (!segments.isEmpty() && recovered.lastSegmentEnd() > 0) {
        SyncedFileOps.shrink(
            segments.getLast().file(), SegmentLayout.sealedBytes(recovered.lastSegmentEnd()));
      }
    } catch (IOException e) {
      LOG.warn("op log: cannot remove what recovery has made void", e);
    }
  }

  @Override
  public void append(long index, byte[] payload, boolean needsChunkSync) throws OpLogFullException {
    requireUsable();
    if (index != appendedIndex + 1) {
      throw new IllegalArgumentException("index " + index + " does not follow " + appendedIndex);
    }
    if (payload.length > maxPayloadBytes) {
      throw new IllegalArgumentException(
          "payload of " + payload.length + " bytes, at most " + maxPayloadBytes);
    }
    long needed = SegmentLayout.reservedBytes(payload.length);
    SegmentAppender rollTo = null;
    if (!fits(needed)) {
      rollTo = preparer.take();
      segment = rollTo;
      capacity = rollTo.roomLeft();
      room = capacity;
      reserved = 0;
    }
    reserved += needed;
    appendedIndex = index;
    writer.offer(new PendingEntry(index, payload, needsChunkSync, clock.nanoTime(), rollTo));
  }

  /**
   * Whether the segment has this much room; queries what batches have returned only when needed.
   */
  private boolean fits(long needed) {
    if (reserved + needed > room) {
      room = capacity + segment.returned();
    }
    return reserved + needed <= room;
  }

  @Override
  public boolean mayWait() {
    long needed = Math.max(SegmentLayout.reservedBytes(maxPayloadBytes), keptBytes());
    return !fits(needed) && !preparer.answersAtOnce();
  }

  @Override
  public boolean isNearlyFull() {
    return !fits(keptBytes()) && !preparer.hasSpare();
  }

  private long keptBytes() {
    return Math.min(capacity / 4, KEPT_BYTES);
  }

  @Override
  public long preallocatedBytes() {
    return segment.unusedBytes() + preparer.spareBytes();
  }

  @Override
  public @Nullable LoneCommit tryLoneCommit() {
    return closed ? null : writer.tryLoneCommit();
  }

  private void requireUsable() {
    @Nullable OpLogFailedException failure = writer.failure();
    if (failure != null) {
      throw failure;
    }
    if (closed) {
      throw new OpLogFailedException("op log is closed");
    }
  }

  @Override
  public int maxPayloadBytes() {
    return maxPayloadBytes;
  }

  @Override
  public long firstIndex() {
    return catalog.firstIndex();
  }

  @Override
  public long appendedIndex() {
    return appendedIndex;
  }

  @Override
  public long durableIndex() {
    return writer.durableIndex();
  }

  @Override
  public byte[] read(long index) throws IOException {
    long durable = durableIndex();
    long first = firstIndex();
    Objects.checkIndex(index - first, durable + 1 - first);
    byte[][] found = new byte[1][];
    catalog.read(index, index, 1, (at, payload) -> found[0] = payload);
    return found[0];
  }

  @Override
  public int read(long fromIndex, long maxBytes, RecordConsumer consumer) throws IOException {
    long durable = durableIndex();
    long first = firstIndex();
    Objects.checkIndex(fromIndex - first, durable + 2 - first);
    return fromIndex > durable ? 0 : catalog.read(fromIndex, durable, maxBytes, consumer);
  }

  @Override
  public long trim(long throughIndex) throws IOException {
    requireUsable();
    if (throughIndex > durableIndex()) {
      throw new IllegalArgumentException(
          "entry " + throughIndex + " is not durable, only " + durableIndex());
    }
    return trim.trim(throughIndex);
  }

  @Override
  public List<LogSegment> segments() throws IOException {
    long durable = durableIndex();
    return catalog.segments(durable);
  }

  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    trim.close();
    writer.close();
    chunkSync.close();
    preparer.close();
  }
}
