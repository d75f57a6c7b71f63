package io.hypersync.leader.oplog.chronicle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Notices that the log has come to rest, on a thread of its own, and has that noted in the log
 * once.
 *
 * <p>While there are commits it looks ten times a second at most; while there are none, and what
 * there was has been noted, it sleeps until the next commit wakes it. So the first commit after a
 * rest pays for one wake-up, after it has told that it is durable, and no other pays anything.
 */
final class LogRest implements AutoCloseable {
  /** For so long nothing was committed. */
  static final long REST_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LogClock clock;
  private final Noting noting;
  private final Thread thread;
  private volatile boolean sleeps = true;
  private volatile boolean closing;

  /** What is noted; asked by the thread that waits. */
  interface Noting {
    /** Whether something is durable that no watermark says so of. */
    boolean isDue();

    /** When something was committed last, in the log's time. */
    long lastCommitNanos();

    /**
     * Notes it, if the log still rests.
     *
     * @return false if it does not, or something is being written
     */
    boolean note();
  }

  LogRest(LogClock clock, Noting noting) {
    this.clock = clock;
    this.noting = noting;
    this.thread = Thread.ofPlatform().name("oplog-rest").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * Something was committed, which {@link Noting#isDue} says already; called by who writes the log.
   */
  void committed() {
    if (sleeps) {
      sleeps = false;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closing) {
      if (noting.isDue()) {
        long left = noting.lastCommitNanos() + REST_NANOS - clock.nanoTime();
        if (left > 0) {
          clock.park(this, left);
        } else if (!noting.note()) {
          clock.park(this, REST_NANOS);
        }
      } else {
        sleep();
      }
    }
  }

  private void sleep() {
    sleeps = true; // either this thread sees what is due, or who commits sees that it sleeps
    while (sleeps && !closing && !noting.isDue()) {
      LockSupport.park(this);
    }
    sleeps = false;
  }

  /** Ends the thread. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (thread.isAlive()) {
      SegmentPreparer.joinUninterruptibly(thread);
    }
  }
}
