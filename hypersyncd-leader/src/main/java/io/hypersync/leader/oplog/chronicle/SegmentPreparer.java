package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.OpLogFailedException;
import io.hypersync.leader.oplog.OpLogFullException;
import io.hypersync.runtime.log.LogEvent;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps one spare segment allocated, on its own thread, and closes full segments. The first spare
 * is allocated during recovery, because neither needs the other. When the disk is full it keeps
 * trying, so that the log continues as soon as space is freed.
 *
 * <p>The first segment is small, and each further one is twice as large, up to a limit: a log that
 * is rarely written takes little disk space, and a busy one is not delayed by allocation.
 */
final class SegmentPreparer implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(SegmentPreparer.class);
  private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final Path logDirectory;
  private final int largestBytes;
  private final SegmentWrite disk;
  private final Thread thread;
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<SegmentAppender> retired = new ArrayDeque<>();
  private long nextSequence;
  private int nextBytes;
  private long retryAtNanos;
  private @Nullable SegmentAppender spare;
  private @Nullable Throwable failure; // of the last attempt, if it failed
  private boolean freed;
  private volatile boolean closing;

  SegmentPreparer(
      Path logDirectory, int firstBytes, int largestBytes, long nextSequence, SegmentWrite disk) {
    this.logDirectory = logDirectory;
    this.nextBytes = firstBytes;
    this.largestBytes = largestBytes;
    this.nextSequence = nextSequence;
    this.disk = disk;
    this.thread = Thread.ofPlatform().name("oplog-preparer").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Whether {@link #take} would return, or throw, without waiting. */
  boolean answersAtOnce() {
    lock.lock();
    try {
      return spare != null || failure != null || closing;
    } finally {
      lock.unlock();
    }
  }

  /**
   * The spare segment; blocks while one is being allocated.
   *
   * @throws OpLogFullException if the last attempt to allocate one failed; an {@link Error} of that
   *     attempt is thrown as it is
   */
  SegmentAppender take() throws OpLogFullException {
    lock.lock();
    try {
      while (spare == null && failure == null && !closing) {
        changed.awaitUninterruptibly();
      }
      if (spare == null) {
        if (closing) {
          throw new OpLogFailedException("op log is closed");
        }
        if (failure instanceof Error fault) {
          throw fault;
        }
        throw new OpLogFullException("no room for another op log segment", failure);
      }
      SegmentAppender taken = spare;
      spare = null;
      changed.signalAll();
      return taken;
    } finally {
      lock.unlock();
    }
  }

  /** Whether another segment is ready. */
  boolean hasSpare() {
    lock.lock();
    try {
      return spare != null;
    } finally {
      lock.unlock();
    }
  }

  /** Bytes of the spare segment's file; 0 while there is none. */
  long spareBytes() {
    lock.lock();
    try {
      return spare == null ? 0 : SegmentLayout.fileBytes(spare.segmentBytes());
    } finally {
      lock.unlock();
    }
  }

  /** Space was freed: the result of any attempt that began earlier and failed is discarded. */
  void freed() {
    lock.lock();
    try {
      failure = null;
      freed = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Takes a segment that will not be written any more, to close and truncate it. */
  void retire(SegmentAppender full) {
    lock.lock();
    try {
      retired.add(full);
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void run() {
    while (true) {
      SegmentAppender full = awaitWork();
      if (full != null) {
        putAway(full);
      } else if (closing) {
        return;
      } else {
        prepareSpare();
      }
    }
  }

  /**
   * A segment to close, or null when a spare is to be prepared or the thread is to end. A spare
   * comes first: who appends may wait for it, and nobody waits for a segment to be closed.
   */
  private @Nullable SegmentAppender awaitWork() {
    lock.lock();
    try {
      while (true) {
        long waitNanos = failure == null ? 0 : retryAtNanos - System.nanoTime();
        boolean isDue = spare == null && !closing;
        if (isDue && waitNanos <= 0) {
          freed = false; // the attempt begins here
          return null;
        }
        if (!retired.isEmpty() || closing) {
          return retired.poll();
        }
        if (isDue) {
          changed.awaitNanos(waitNanos);
        } else {
          changed.awaitUninterruptibly();
        }
      }
    } catch (InterruptedException e) {
      throw new AssertionError("nobody interrupts this thread", e);
    } finally {
      lock.unlock();
    }
  }

  private void prepareSpare() {
    SegmentAppender prepared = null;
    Throwable failed = null;
    try {
      prepared =
          SegmentAppender.prepare(logDirectory, nextSequence, nextBytes, disk, () -> closing);
    } catch (IOException | Error e) {
      failed = e;
    }
    lock.lock();
    try {
      if (failed != null && freed) {
        return; // tries again at once
      }
      if (prepared != null) {
        nextSequence++;
        nextBytes = (int) Math.min(2L * nextBytes, largestBytes);
        if (failure != null) {
          LOG.info(
              LogEvent.DISK_HAS_ROOM.marker(),
              "op log: room for a new segment again in {}",
              logDirectory);
        }
      } else if (failure == null && !closing) {
        LOG.warn(
            LogEvent.DISK_FULL.marker(),
            "op log: no room for a new segment in {}",
            logDirectory,
            failed);
      }
      spare = prepared;
      failure = failed;
      retryAtNanos = System.nanoTime() + RETRY_NANOS;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  private void putAway(SegmentAppender full) {
    full.close();
    try {
      SyncedFileOps.shrink(full.file(), SegmentLayout.sealedBytes(full.end()));
    } catch (NoSuchFileException e) {
      LOG.debug("op log: {} was trimmed before it was shrunk", full.file(), e);
    } catch (IOException e) {
      LOG.warn("op log: cannot shrink {}", full.file(), e);
    }
  }

  /** Ends the thread and deletes the spare. */
  @Override
  public void close() throws IOException {
    lock.lock();
    try {
      closing = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (thread.isAlive()) {
      joinUninterruptibly(thread);
    }
    SegmentAppender unused = spare;
    spare = null;
    if (unused != null) {
      unused.discard();
    }
  }

  static void joinUninterruptibly(Thread thread) {
    boolean interrupted = false;
    while (true) {
      try {
        thread.join();
        break;
      } catch (InterruptedException e) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
