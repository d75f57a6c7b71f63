package io.hypersync.worker.inotify;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Shadow calls that wait for their turn. One that would report the same event as the last one in
 * the queue is merged with it, as inotify merges identical events that nobody has read.
 * Thread-safe.
 */
public final class ShadowQueue {
  /**
   * The most calls that wait; what comes then is dropped and counted. Each keeps two states alive,
   * which are a few KB apart from the next ones.
   */
  public static final int CAPACITY = 8_192;

  private final int capacity;
  private final ArrayDeque<ShadowJob> jobs = new ArrayDeque<>();
  private long merged;
  private long dropped;

  /** An empty queue. */
  public ShadowQueue(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Adds a call.
   *
   * @return false if it had to be dropped
   */
  public synchronized boolean offer(ShadowJob job) {
    ShadowJob last = jobs.peekLast();
    if (last != null
        && last.call() instanceof ShadowCall.Touch waiting
        && job.call() instanceof ShadowCall.Touch touch
        && touch.repeats(waiting)) {
      merged++;
      return true;
    }
    if (jobs.size() >= capacity) {
      dropped++;
      return false;
    }
    jobs.addLast(job);
    return true;
  }

  /** The oldest call, or null. */
  public synchronized @Nullable ShadowJob poll() {
    return jobs.pollFirst();
  }

  /** How many calls were merged with another one. */
  public synchronized long merged() {
    return merged;
  }

  /** How many calls were dropped. */
  public synchronized long dropped() {
    return dropped;
  }
}
