package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogOptions;
import io.hypersync.wire.file.DurableFiles;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.OptionalLong;
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
 *   <li>The records that stay become durable. A leader that was killed may have left the last ones
 *       in memory only, and the new segment says that they are durable.
 *   <li>The new segment is allocated, under a name that counts for nothing: a disk that is full
 *       says so now.
 *   <li>A mark is made. From then on the log may be neither the one nor the other, and a leader
 *       refuses to start.
 *   <li>Segments that begin behind the entry are moved aside, the newest first: what is there is at
 *       any time a log that ends at the entry or later. Nothing is deleted.
 *   <li>The new segment is published; the log ends at the entry.
 *   <li>The mark goes.
 * </ol>
 *
 * <p>Repeated after a crash, it does what is left: a segment that is aside already is not there to
 * be moved, and one that is published already is the newest.
 */
public final class LogCut {
  private static final String MARK = "cut.unfinished";

  /** What has just been done; for tests that end it there. */
  public enum Step {
    /** What stays is on stable storage. */
    KEPT_IS_DURABLE,
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

  private LogCut() {}

  /** The entry behind which a cut was begun and not finished. */
  public static OptionalLong unfinished(Path stateDir) throws IOException {
    try {
      return OptionalLong.of(Long.parseLong(Files.readString(stateDir.resolve(MARK)).strip()));
    } catch (NoSuchFileException none) {
      return OptionalLong.empty();
    } catch (NumberFormatException e) {
      throw new IOException("what is in " + stateDir.resolve(MARK) + " is no number", e);
    }
  }

  /** The last valid entry of the log; 0 if there is none. */
  public static long lastIndex(Path directory) throws IOException {
    return LogRecovery.mark(LogFiles.in(directory), 0).lastIndex();
  }

  /**
   * Cuts the log.
   *
   * @param stateDir of the leader
   * @param aside where segments are moved, on the same filesystem; made if it is not there
   * @param after the last entry that stays
   * @param reached told of each step
   * @return how many segments are aside now that were not before
   * @throws IllegalArgumentException if the log has no such entry
   * @throws io.hypersync.leader.oplog.OpLogCorruptException if an entry that was durable is damaged
   */
  public static int cut(Path stateDir, Path aside, long after, Consumer<Step> reached)
      throws IOException {
    Path directory = stateDir.resolve("oplog");
    LogFiles files = LogFiles.in(directory);
    LogRecovery.Marked log = LogRecovery.mark(files, after);
    if (after < 1 || after > log.lastIndex()) {
      throw new IllegalArgumentException("the log has no entry " + after);
    }
    List<SegmentFile> later =
        log.published().stream().filter(segment -> segment.firstIndex() > after).toList();
    boolean isCut = log.lastIndex() == after && later.size() == 1;
    int moved = 0;
    if (!isCut) {
      makeDurable(log.published(), after);
      reached.accept(Step.KEPT_IS_DURABLE);
      SegmentAppender segment =
          SegmentAppender.prepare(
              directory,
              LogRecovery.nextSequence(files),
              OpLogOptions.DEFAULT.firstSegmentBytes(),
              SegmentWrite.DSYNC,
              () -> false);
      try {
        reached.accept(Step.PREPARED);
        mark(stateDir, after);
        reached.accept(Step.MARKED);
        moved = moveAside(directory, aside, later, reached);
        var _ = OpenSegment.begin(segment, after + 1, log.hash(), List.of());
        reached.accept(Step.PUBLISHED);
      } finally {
        segment.close();
      }
    }
    Files.deleteIfExists(stateDir.resolve(MARK));
    DurableFiles.syncDirectory(stateDir);
    reached.accept(Step.DONE);
    return moved;
  }

  private static void mark(Path stateDir, long after) throws IOException {
    DurableFiles.replace(
        stateDir.resolve(MARK), after + "\n", PosixFilePermissions.fromString("rw-------"));
  }

  private static void makeDurable(List<SegmentFile> segments, long after) throws IOException {
    for (SegmentFile segment : segments) {
      if (segment.firstIndex() <= after) {
        try (FileChannel channel = FileChannel.open(segment.file(), StandardOpenOption.WRITE)) {
          channel.force(true);
        }
      }
    }
  }

  private static int moveAside(
      Path directory, Path aside, List<SegmentFile> segments, Consumer<Step> reached)
      throws IOException {
    DurableFiles.createDirectories(aside, DurableFiles.OWNER_ONLY_DIRECTORY);
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
