package io.hypersync.leader.daemon;

import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.LongConsumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Looks once a second how much room the leader's disk has, which workers tell their callers of
 * statfs. Not on the agent's thread: a disk may take long to answer.
 */
final class FreeSpaceThread implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(FreeSpaceThread.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final Path directory;
  private final LongConsumer listener;
  private final Thread thread;

  /**
   * Does nothing yet.
   *
   * @param directory on the disk that is meant
   * @param listener takes the bytes, on a thread of this
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
