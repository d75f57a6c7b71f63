package io.hypersync.leader.oplog.chronicle;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Detects that the log has become idle, on a thread of its own, and has one watermark written then.
 *
 * <p>While there are commits, the thread checks at most ten times a second. While there are none
 * and the last one is covered by a watermark, it sleeps until the next commit wakes it. So only the
 * first commit after an idle period pays for a wake-up, after it has reported that it is durable;
 * no other commit pays anything.
 */
final class IdleWatermark implements AutoCloseable {
  /** Without a commit for this long, the log counts as idle. */
  static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

  private final LogClock clock;
  private final Writer writer;
  private final Thread thread;
  private volatile boolean sleeps = true;
  private volatile boolean closing;

  /** Writes the watermarks; called by the detecting thread. */
  interface Writer {
    /** Whether durable entries exist that no watermark covers. */
    boolean isDue();

    /** Time of the last commit, by the log's clock. */
    long lastCommitNanos();

    /**
     * Writes a watermark if the log is still idle.
     *
     * @return false if it is not idle, or is being written
     */
    boolean writeWatermark();
  }

  IdleWatermark(LogClock clock, Writer writer) {
    this.clock = clock;
    this.writer = writer;
    this.thread = Thread.ofPlatform().name("oplog-idle").daemon().unstarted(this::run);
  }

  void start() {
    thread.start();
  }

  /**
   * A commit was made, which {@link Writer#isDue} reflects already; called by whoever writes the
   * log.
   */
  void committed() {
    if (sleeps) {
      sleeps = false;
      LockSupport.unpark(thread);
    }
  }

  private void run() {
    while (!closing) {
      if (writer.isDue()) {
        long left = writer.lastCommitNanos() + IDLE_NANOS - clock.nanoTime();
        if (left > 0) {
          clock.park(this, left);
        } else if (!writer.writeWatermark()) {
          clock.park(this, IDLE_NANOS);
        }
      } else {
        sleep();
      }
    }
  }

  private void sleep() {
    sleeps = true; // either this thread sees what is due, or the committer sees that it sleeps
    while (sleeps && !closing && !writer.isDue()) {
      LockSupport.park(this);
    }
    sleeps = false;
  }

  /** Ends the thread and waits for its end. */
  @Override
  public void close() {
    closing = true;
    LockSupport.unpark(thread);
    if (thread.isAlive()) {
      SegmentPreparer.joinUninterruptibly(thread);
    }
  }
}
