package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.wire.file.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * Cuts the log of a leader that does not run behind an entry (docs/diverged.md). What is cut is
 * kept aside; who calls this has written it down already. The caller holds the lock on the state
 * directory.
 *
 * <p>A published segment makes void what older ones hold from its first index on, and first indexes
 * never decrease. So a cut is an empty segment that begins behind the entry, in place of those that
 * begin there or later. In which order, so that a crash between any two steps leaves the log as it
 * was, or as it is to be, or one that no leader starts on until the cut is repeated:
 *
 * <ol>
 *   <li>Each segment that will go gets its place aside: an empty directory, which is made in the
 *       log's and moved there. Another filesystem, or one that is full, says so now. Where no trace
 *       was made, the segment that holds the entry is copied there: it has later ones, too.
 *   <li>The new segment is allocated, under a name that counts for nothing.
 *   <li>A mark is made ({@link CutMark}). From then on the log may be neither the one nor the
 *       other, and a leader refuses to start.
 *   <li>Segments that begin behind the entry are moved aside, the newest first: what is there is at
 *       any time a log that ends at the entry or later. Nothing is deleted.
 *   <li>The new segment is published; the log ends at the entry.
 *   <li>Names in both folders are synced once more, and the mark goes.
 * </ol>
 *
 * <p>The new segment says that what stays is durable. That must be known from the log itself: after
 * a sync that failed, what can be read may be in memory only, and another sync does not fail. So
 * the entry is none behind {@link Extent#durableIndex}. When a marked cut is repeated, that was
 * seen before the mark.
 *
 * <p>Repeated after a crash, it does what is left: a segment that is aside already is not there to
 * be moved, and one that is published already is the newest.
 */
public final class LogCut {
  /** What has just been done; for tests that end it there. */
  public enum Step {
    /** What goes has its places aside. */
    RESERVED,
    /** The new segment has its room. */
    PREPARED,
    /** No leader starts. */
    MARKED,
    /** One segment more is aside. */
    MOVED,
    /** The log is cut. */
    PUBLISHED,
    /** A leader may start. */
    DONE
  }

  /**
   * How far a log goes.
   *
   * @param lastIndex its last valid entry; 0 if there is none
   * @param durableIndex the last of them which the log itself says is on stable storage. Less than
   *     the other if a leader was killed in its last batch, or its disk failed
   */
  public record Extent(long lastIndex, long durableIndex) {}

  private LogCut() {}

  /** The cut that was begun and not finished. */
  public static Optional<CutMark> unfinished(Path stateDir) throws IOException {
    return CutMark.read(stateDir);
  }

  /** How far the log in that directory goes. */
  public static Extent extent(Path directory) throws IOException {
    LogRecovery.Marked log = LogRecovery.mark(LogFiles.in(directory), 0);
    return new Extent(log.lastIndex(), log.durableIndex());
  }

  /**
   * Cuts the log.
   *
   * @param stateDir of the leader
   * @param wanted where to cut, and where segments go: a folder that is not there yet. If this cut
   *     was begun before, it goes on with the folder that it had
   * @param reached told of each step
   * @return how many segments are aside now that were not before
   * @throws IllegalArgumentException if the log has no such entry, or does not say that it is
   *     durable, or another cut was begun
   * @throws IOException if it cannot be done. If nothing is marked the log is as it was
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if an entry that was durable is damaged
   */
  public static int cut(Path stateDir, CutMark wanted, Consumer<Step> reached) throws IOException {
    Path directory = stateDir.resolve("oplog");
    long after = wanted.after();
    Optional<CutMark> begun = unfinished(stateDir);
    CutMark cut = begun.orElse(wanted);
    LogFiles files = LogFiles.in(directory);
    LogRecovery.Marked log = LogRecovery.mark(files, after);
    requirePossible(begun, log, after);
    List<SegmentFile> later =
        log.published().stream().filter(segment -> segment.firstIndex() > after).toList();
    boolean isCut = log.lastIndex() == after && later.size() == 1;
    int moved = 0;
    if (isCut) {
      DurableFiles.createDirectories(cut.segments(), DurableFiles.OWNER_ONLY_DIRECTORY);
    } else {
      SegmentAppender segment = prepare(directory, log, cut, begun.isPresent(), later, reached);
      try {
        cut.write(stateDir);
        reached.accept(Step.MARKED);
        moved = moveAside(directory, cut.segments(), later, reached);
        var _ = OpenSegment.begin(segment, after + 1, log.hash(), List.of());
        reached.accept(Step.PUBLISHED);
      } finally {
        segment.close();
      }
    }
    // Who was killed may have changed names in either and synced none.
    DurableFiles.syncDirectory(cut.segments());
    DurableFiles.syncDirectory(directory);
    CutMark.remove(stateDir);
    reached.accept(Step.DONE);
    return moved;
  }

  private static void requirePossible(Optional<CutMark> begun, LogRecovery.Marked log, long after) {
    if (begun.isPresent() && begun.get().after() != after) {
      throw new IllegalArgumentException("a cut after " + begun.get().after() + " was begun");
    }
    if (after < 1 || after > log.lastIndex()) {
      throw new IllegalArgumentException("the log has no entry " + after);
    }
    if (begun.isEmpty() && after > log.durableIndex()) {
      throw new IllegalArgumentException("entry " + after + " is not known to be on the disk");
    }
  }

  /** All that may fail for want of space. What it made is gone again if it fails. */
  private static SegmentAppender prepare(
      Path directory,
      LogRecovery.Marked log,
      CutMark cut,
      boolean isRepeated,
      List<SegmentFile> later,
      Consumer<Step> reached)
      throws IOException {
    boolean isThere = Files.exists(cut.segments(), LinkOption.NOFOLLOW_LINKS);
    try {
      DurableFiles.createDirectories(cut.segments(), DurableFiles.OWNER_ONLY_DIRECTORY);
      for (SegmentFile segment : later) {
        reserve(directory, cut.segments(), segment);
      }
      if (cut.trace() == null && !isRepeated) {
        copyLast(log.published(), cut);
      }
      DurableFiles.syncDirectory(cut.segments());
      reached.accept(Step.RESERVED);
      SegmentAppender segment =
          SegmentAppender.prepare(
              directory,
              LogRecovery.nextSequence(LogFiles.in(directory)),
              OpLogOptions.DEFAULT.firstSegmentBytes(),
              SegmentWrite.DSYNC,
              () -> false);
      reached.accept(Step.PREPARED);
      return segment;
    } catch (IOException e) {
      if (!isThere && !isRepeated) {
        DurableFiles.deleteTree(cut.segments());
      }
      throw e;
    }
  }

  /** A rename tells for sure whether there is a way from the one to the other, and room for it. */
  private static void reserve(Path directory, Path aside, SegmentFile segment) throws IOException {
    Path place = aside.resolve(segment.directory().getFileName());
    if (Files.exists(place)) {
      return;
    }
    Path empty = SegmentLayout.spare(directory, segment.sequence());
    DurableFiles.deleteTree(empty);
    Files.createDirectory(empty, DurableFiles.OWNER_ONLY_DIRECTORY);
    try {
      Files.move(empty, place, StandardCopyOption.ATOMIC_MOVE);
    } catch (AtomicMoveNotSupportedException e) {
      throw new IOException(aside + " is not on the same filesystem as " + directory, e);
    } finally {
      Files.deleteIfExists(empty);
    }
  }

  private static void copyLast(List<SegmentFile> published, CutMark cut) throws IOException {
    for (SegmentFile segment : published.reversed()) {
      if (segment.firstIndex() <= cut.after()) {
        Path copy = cut.segments().resolve(segment.directory().getFileName());
        Files.createDirectories(copy, DurableFiles.OWNER_ONLY_DIRECTORY);
        Path file = copy.resolve(segment.file().getFileName());
        Files.copy(segment.file(), file, StandardCopyOption.COPY_ATTRIBUTES);
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE)) {
          channel.force(true);
        }
        DurableFiles.syncDirectory(copy);
        return;
      }
    }
  }

  private static int moveAside(
      Path directory, Path aside, List<SegmentFile> segments, Consumer<Step> reached)
      throws IOException {
    for (SegmentFile segment : segments.reversed()) {
      Path from = segment.directory();
      Files.move(from, aside.resolve(from.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.syncDirectory(aside); // before the other one: it may be in both, never in none
      DurableFiles.syncDirectory(directory);
      reached.accept(Step.MOVED);
    }
    return segments.size();
  }
}
