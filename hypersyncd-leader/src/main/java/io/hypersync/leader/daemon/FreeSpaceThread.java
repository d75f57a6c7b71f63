package io.hypersync.leader.daemon;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the free space of the leader's disk once a second; workers return it to statfs. Runs on
 * its own virtual thread, because the query may block on the disk.
 */
final class FreeSpaceThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FreeSpaceThread.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Path directory;
  private final LongConsumer listener;
  private final Thread thread;

  /**
   * Creates the thread without starting it.
   *
   * @param directory a directory on the disk to query
   * @param listener receives the free bytes, on this object's thread
   */
  FreeSpaceThread(Path directory, LongConsumer listener) {
    this.directory = directory;
    this.listener = listener;
    this.thread = Thread.ofVirtual().name("leader-free-space").unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        listener.accept(directory.toFile().getUsableSpace());
        Thread.sleep(INTERVAL);
      }
    } catch (InterruptedException | RejectedExecutionException stopped) {
      LOG.debug("the leader stops", stopped);
    }
  }
}
