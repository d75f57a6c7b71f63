package io.hypersync.worker.fuse.session;

import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * Counts the threads that may wait inside the kernel for answers of this process, and can keep
 * further ones out. A thread in there cannot be killed; what it waits for may wait for an answer
 * that this process gives. So a process that is to end, and to leave its calls to another one, must
 * have none: {@link #holdWhenIdle} waits for such a moment. Thread-safe.
 *
 * <p>All that a worker does in its own mount is counted here: notifications that can block, its own
 * walks, and calls that another process makes for it while a thread waits for them.
 */
public final class KernelCalls {
  private int inside;
  private boolean held;

  /** Nobody is inside. */
  public KernelCalls() {}

  /**
   * To be called before a thread goes where it may wait inside the kernel; may be nested.
   *
   * @return false if it must not: this process has left the mount, and what would be done now is
   *     the next one's. Else {@link #exit} has to follow
   */
  public synchronized boolean enter() {
    if (!held) {
      inside++;
    }
    return !held;
  }

  /** Whether this process has left the mount, or is about to. */
  public synchronized boolean areHeld() {
    return held;
  }

  /** The thread is back. */
  public synchronized void exit() {
    inside--;
    if (inside == 0) {
      notifyAll();
    }
  }

  /**
   * Waits for a moment in which no thread is inside, and lets none in from then on, for good. Until
   * that moment nobody is kept out: a wait in vain has changed nothing.
   *
   * @param limit how long to wait
   * @return false if there was no such moment; then all goes on as before
   */
  public synchronized boolean holdWhenIdle(Duration limit) throws InterruptedException {
    long limitNs = System.nanoTime() + limit.toNanos();
    while (inside > 0) {
      long leftMs = TimeUnit.NANOSECONDS.toMillis(limitNs - System.nanoTime());
      if (leftMs <= 0) {
        return false;
      }
      wait(leftMs);
    }
    held = true;
    return true;
  }
}
