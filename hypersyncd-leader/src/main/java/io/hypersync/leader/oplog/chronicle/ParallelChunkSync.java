package io.hypersync.leader.oplog.chronicle;

import io.hypersync.leader.oplog.ChunkSync;
import java.io.IOException;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Runs the chunk store's sync on its own thread while the log's writer syncs the log. */
final class ParallelChunkSync implements AutoCloseable {
  private final ChunkSync chunkSync;
  private final Thread thread;
  private volatile boolean running;
  private volatile boolean closing;
  private volatile @Nullable Thread waiter;
  private volatile @Nullable Throwable failure;

  ParallelChunkSync(ChunkSync chunkSync) {
    this.chunkSync = chunkSync;
    this.thread = Thread.ofPlatform().name("oplog-chunk-sync").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /** Starts a sync; called by the log's writer, never while one is running. */
  void begin() {
    waiter = Thread.currentThread();
    running = true;
    LockSupport.unpark(thread);
  }

  /**
   * Waits for the sync that {@link #begin} started.
   *
   * @throws IOException if it failed, or an earlier one did
   */
  void await() throws IOException {
    while (running) {
      LockSupport.park(this);
    }
    Throwable failed = failure;
    if (failed != null) {
      throw new IOException("chunk sync failed", failed);
    }
  }

  private void run() {
    while (true) {
      while (!running) {
        if (closing) {
          return;
        }
        LockSupport.park(this);
      }
      try {
        chunkSync.sync();
      } catch (Throwable e) {
        failure = e;
      }
      running = false;
      LockSupport.unpark(waiter);
    }
  }

  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (thread.isAlive()) {
      SegmentPreparer.joinUninterruptibly(thread);
    }
  }
}
