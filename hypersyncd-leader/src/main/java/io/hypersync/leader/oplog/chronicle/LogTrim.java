package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Removes the oldest segments of an open log, one after another. Thread-safe; shares nothing with
 * the writer but the catalog.
 *
 * <p>Of each segment, first readers lose sight of it. Then its directory gets a name that recovery
 * ignores, and the log's directory is synced. Only then are its files deleted. The next segment
 * follows. So a crash between any two steps leaves a log that begins at one of these segments or
 * behind them, without a gap, and at most one directory to be deleted by the next start. Segments
 * are taken from the directory and by their sequence numbers, because there may be void ones that
 * an earlier start failed to delete: with its successor gone, such a segment would count as
 * damaged.
 */
final class LogTrim implements AutoCloseable {
  private final LogFiles files;
  private final SegmentCatalog catalog;
  private final TreeDeletion deletion;
  private final Runnable withdrawn;
  private final ReentrantLock lock = new ReentrantLock();
  private boolean closed; // guarded by lock

  /**
   * A trim of this log.
   *
   * @param withdrawn run when a segment is out of the log, before its files are deleted
   */
  LogTrim(LogFiles files, SegmentCatalog catalog, TreeDeletion deletion, Runnable withdrawn) {
    this.files = files;
    this.catalog = catalog;
    this.deletion = deletion;
    this.withdrawn = withdrawn;
  }

  /** See {@link io.hypersync.leader.oplog.OpLog#trim}. */
  long trim(long throughIndex) throws IOException {
    lock.lock();
    try {
      if (closed) {
        throw new OpLogFailedException("op log is closed");
      }
      LogSegmentFile kept = catalog.holding(throughIndex + 1);
      if (kept != null) {
        for (Path segment : before(kept)) {
          catalog.remove(SegmentLayout.sequenceOf(segment));
          Path unused = withdraw(segment);
          withdrawn.run();
          deletion.delete(unused);
        }
      }
      return catalog.firstIndex();
    } finally {
      lock.unlock();
    }
  }

  /** The published segments that are older than the given one, oldest first. */
  private List<Path> before(LogSegmentFile kept) throws IOException {
    List<Path> older = new ArrayList<>();
    for (Path segment : files.segments()) {
      if (Long.compare(SegmentLayout.sequenceOf(segment), kept.sequence()) < 0) {
        older.add(segment);
      }
    }
    older.sort(Comparator.comparingLong(SegmentLayout::sequenceOf));
    return older;
  }

  /** Takes a published segment out of the log, durably; returns its new path. */
  static Path withdraw(Path segment) throws IOException {
    Path log = segment.getParent();
    Path withdrawn = SegmentLayout.spare(log, SegmentLayout.sequenceOf(segment));
    Files.move(segment, withdrawn, StandardCopyOption.ATOMIC_MOVE);
    DurableFiles.syncDirectory(log);
    return withdrawn;
  }

  /** Waits for a call of {@link #trim} that is under way, and lets no further one begin. */
  @Override
  public void close() {
    lock.lock();
    try {
      closed = true;
    } finally {
      lock.unlock();
    }
  }
}
