package io.hypersync.leader.oplog.chronicle;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The segment that a log goes on in once it has been recovered. A thread of its own allocates it
 * while the log is replayed: neither needs anything of the other, and until it is published it is
 * nothing that recovery reads. If the log is refused nobody takes it, and closing this removes it.
 */
final class FirstSegment implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FirstSegment.class);

  /** What its thread is called. */
  static final String THREAD_NAME = "oplog-first-segment";

  private final Path logDirectory;
  private final long sequence;
  private final int segmentBytes;
  private final SegmentWrite disk;
  private final FutureTask<SegmentAppender> prepared;
  private volatile boolean unwanted;
  private boolean taken;

  private FirstSegment(Path logDirectory, long sequence, int segmentBytes, SegmentWrite disk) {
    this.logDirectory = logDirectory;
    this.sequence = sequence;
    this.segmentBytes = segmentBytes;
    this.disk = disk;
    this.prepared = new FutureTask<>(() -> allocate(segmentBytes));
  }

  /**
   * Begins to allocate it.
   *
   * @param sequence higher than that of any published segment
   */
  static FirstSegment prepare(
      Path logDirectory, long sequence, int segmentBytes, SegmentWrite disk) {
    FirstSegment first = new FirstSegment(logDirectory, sequence, segmentBytes, disk);
    Thread.ofPlatform().daemon().name(THREAD_NAME).start(first.prepared);
    return first;
  }

  /**
   * Waits for it. Allocates another one if it has to be larger, or if there was no room for it:
   * what earlier runs have left is gone by now.
   *
   * @param bytes that it must have at least
   * @throws IOException if there is no space or the disk fails
   */
  SegmentAppender take(int bytes) throws IOException {
    taken = true;
    SegmentAppender segment;
    try {
      segment = await();
    } catch (IOException e) {
      LOG.debug("op log: tries again to allocate the first segment", e);
      return allocate(Math.max(bytes, segmentBytes));
    }
    if (bytes > segmentBytes) {
      segment.discard();
      return allocate(bytes);
    }
    return segment;
  }

  /** Ends the thread, and removes what nobody has taken. */
  @Override
  public void close() {
    if (taken) {
      return;
    }
    unwanted = true;
    try {
      await().discard();
    } catch (IOException e) {
      LOG.debug("op log: the first segment was not needed, and could not be made or removed", e);
    }
  }

  private SegmentAppender allocate(int bytes) throws IOException {
    return SegmentAppender.prepare(logDirectory, sequence, bytes, disk, () -> unwanted);
  }

  private SegmentAppender await() throws IOException {
    boolean interrupted = false;
    try {
      while (true) {
        try {
          return prepared.get();
        } catch (InterruptedException e) {
          interrupted = true;
        }
      }
    } catch (ExecutionException e) {
      throw failure(e.getCause());
    } finally {
      if (interrupted) {
        Thread.currentThread().interrupt();
      }
    }
  }

  /** A fault of ours is thrown here as it was there. */
  private static IOException failure(@Nullable Throwable cause) {
    return switch (cause) {
      case IOException disk -> new IOException(disk.getMessage(), disk);
      case RuntimeException fault -> throw fault;
      case Error fault -> throw fault;
      case null, default -> throw new IllegalStateException(cause);
    };
  }
}
