package io.hypersync.runtime.agent;

import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Does something once a second, on a virtual thread of its own, because it may block: a disk may
 * take long to answer.
 */
public final class Periodic implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Periodic.class);
  private static final Duration INTERVAL = Duration.ofSeconds(1);

  private final String owner;
  private final Runnable action;
  private final Thread thread;

  /**
   * Creates the thread without starting it.
   *
   * @param name the thread's name
   * @param owner who stops when this does, for the log: "the leader"
   * @param action called every second, on the thread; ends it by a RejectedExecutionException
   */
  public Periodic(String name, String owner, Runnable action) {
    this.owner = owner;
    this.action = action;
    this.thread = Thread.ofVirtual().name(name).unstarted(this::run);
  }

  /** Starts it; the first action is done at once. */
  public void start() {
    thread.start();
  }

  /** Stops it; does not wait for an action that runs. */
  @Override
  public void close() {
    thread.interrupt();
  }

  private void run() {
    try {
      while (true) {
        action.run();
        Thread.sleep(INTERVAL);
      }
    } catch (InterruptedException | RejectedExecutionException stopped) {
      LOG.debug("{} stops", owner, stopped);
    }
  }
}
