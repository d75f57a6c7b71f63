package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.snapshot.CollectedFile;
import io.hypersync.snapshot.SnapshotCatalog;
import io.hypersync.snapshot.SnapshotDirectory;
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
 * Truncates the log of a stopped leader after a given entry (docs/diverged.md). Removed segments
 * are kept in another folder; the caller has exported the whole log to a trace before, if it could.
 * The caller holds the lock on the state directory.
 *
 * <p>A published segment voids whatever older segments hold from its first index on, and first
 * indexes never decrease. So a cut is an empty segment that begins right after the entry and
 * replaces those that begin there or later. The order of steps ensures that a crash between any two
 * of them leaves the old log, or the new one, or a log on which no leader starts until the cut is
 * repeated:
 *
 * <ol>
 *   <li>For each segment to be removed, an empty directory is created in the log directory and
 *       renamed into the folder for removed segments. If that folder is on another filesystem, or
 *       the disk is full, the cut fails here. If no trace was made, the segment that holds the
 *       entry is copied there, because it holds later entries, too.
 *   <li>The new segment is allocated under a name that recovery ignores.
 *   <li>A mark is written ({@link CutMark}). From now on the log may be neither the old nor the new
 *       one, and a leader refuses to start.
 *   <li>Segments that begin after the entry are moved aside, newest first, so that the remaining
 *       segments are at any time a log that ends at the entry or later. Nothing is deleted.
 *   <li>The new segment is published; the log ends at the entry.
 *   <li>Both directories are synced once more, snapshots of entries that were cut off are removed,
 *       what collections have said is lowered ({@link CollectedFile}), and then the mark is
 *       removed.
 * </ol>
 *
 * <p>The new segment declares the remaining entries durable. The log itself must prove that: after
 * a failed sync, readable data may be in memory only, and another sync would succeed. So the entry
 * must not be after {@link Extent#durableIndex}. For a repeated cut, this was checked before the
 * mark was written.
 *
 * <p>Snapshots of entries that are cut off are of a history that is no more, so no leader may begin
 * with one. They go while the mark is there, and no leader starts; and behind the log, so that as
 * long as the log is whole all of its snapshots are there, too. Of a log that was trimmed the
 * caller has read a snapshot of an entry that stays, all of its pages, before the cut: none of
 * those is removed here, so a leader begins with it, or with one between it and the entry.
 *
 * <p>Repeated after a crash, the cut does what is left: a segment that was moved is not in the log
 * directory any more, and a new segment that was published is the newest one.
 */
public final class LogCut {
  /** A step that has just been completed; tests interrupt the cut there. */
  public enum Step {
    /** Places for the removed segments are reserved. */
    RESERVED,
    /** The new segment is allocated. */
    PREPARED,
    /** The mark is durable: no leader starts. */
    MARKED,
    /** One more segment was moved aside. */
    MOVED,
    /** The new segment is published: the log is cut. */
    PUBLISHED,
    /** The mark is removed: a leader may start. */
    DONE
  }

  /**
   * The extent of a log.
   *
   * @param firstIndex the first index that it holds; 1 unless it was trimmed
   * @param lastIndex its last valid entry; {@code firstIndex - 1} if there is none
   * @param durableIndex the last of them that the log itself proves to be on stable storage. Less
   *     than {@code lastIndex} if a leader was killed during its last batch, or its disk failed
   */
  public record Extent(long firstIndex, long lastIndex, long durableIndex) {}

  private LogCut() {}

  /** The mark of a cut that was begun and not finished. */
  public static Optional<CutMark> unfinished(Path stateDir) throws IOException {
    return CutMark.read(stateDir);
  }

  /** The extent of the log in a directory. */
  public static Extent extent(Path directory) throws IOException {
    LogRecovery.Marked log = LogRecovery.mark(LogFiles.in(directory), 0);
    return new Extent(log.firstIndex(), log.lastIndex(), log.durableIndex());
  }

  /**
   * Cuts the log.
   *
   * @param stateDir of the leader
   * @param wanted where to cut, and a folder for removed segments that does not exist yet. If this
   *     cut was begun before, the folder of the earlier attempt is used
   * @param reached called after each step
   * @return how many segments this call has moved aside
   * @throws IllegalArgumentException if the log has no such entry, or does not prove that it is
   *     durable, or another cut was begun
   * @throws IOException if the cut fails. Unless the mark was written, the log is unchanged
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
    List<LogSegmentFile> later =
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
        var _ = OpenSegment.begin(segment, log.roots(), after + 1, log.hash(), List.of());
        reached.accept(Step.PUBLISHED);
      } finally {
        segment.close();
      }
    }
    // An earlier attempt that was killed may have changed names in both directories without
    // syncing.
    DurableFiles.syncDirectory(cut.segments());
    DurableFiles.syncDirectory(directory);
    removeSnapshotsBehind(stateDir, after);
    CollectedFile.lower(
        stateDir, after); // else no leader starts: the log would be too short for it
    CutMark.remove(stateDir);
    reached.accept(Step.DONE);
    return moved;
  }

  /** Snapshots of entries that are cut off are of a history that is no more. */
  private static void removeSnapshotsBehind(Path stateDir, long after) throws IOException {
    SnapshotCatalog catalog = SnapshotDirectory.of(stateDir);
    for (long index : catalog.indexes()) {
      if (index > after) {
        catalog.remove(index);
      }
    }
  }

  private static void requirePossible(Optional<CutMark> begun, LogRecovery.Marked log, long after) {
    if (begun.isPresent() && begun.get().after() != after) {
      throw new IllegalArgumentException("a cut after " + begun.get().after() + " was begun");
    }
    if (after < log.firstIndex() || after > log.lastIndex()) {
      throw new IllegalArgumentException("the log has no entry " + after);
    }
    if (begun.isEmpty() && after > log.durableIndex()) {
      throw new IllegalArgumentException("entry " + after + " is not known to be on the disk");
    }
  }

  /** Does everything that may fail for lack of space; on failure, a new folder is deleted. */
  private static SegmentAppender prepare(
      Path directory,
      LogRecovery.Marked log,
      CutMark cut,
      boolean isRepeated,
      List<LogSegmentFile> later,
      Consumer<Step> reached)
      throws IOException {
    boolean isThere = Files.exists(cut.segments(), LinkOption.NOFOLLOW_LINKS);
    try {
      DurableFiles.createDirectories(cut.segments(), DurableFiles.OWNER_ONLY_DIRECTORY);
      for (LogSegmentFile segment : later) {
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

  /**
   * Reserves a place for a segment by a rename, which shows that a rename to that folder works and
   * that there is room for the name.
   */
  private static void reserve(Path directory, Path aside, LogSegmentFile segment)
      throws IOException {
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

  private static void copyLast(List<LogSegmentFile> published, CutMark cut) throws IOException {
    for (LogSegmentFile segment : published.reversed()) {
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
      Path directory, Path aside, List<LogSegmentFile> segments, Consumer<Step> reached)
      throws IOException {
    for (LogSegmentFile segment : segments.reversed()) {
      Path from = segment.directory();
      Files.move(from, aside.resolve(from.getFileName()), StandardCopyOption.ATOMIC_MOVE);
      DurableFiles.syncDirectory(aside); // first: may be in both, never in neither
      DurableFiles.syncDirectory(directory);
      reached.accept(Step.MOVED);
    }
    return segments.size();
  }
}
