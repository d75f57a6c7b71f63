package io.hypersync.worker.inotify;

import java.util.ArrayDeque;
import org.jspecify.annotations.Nullable;

/**
 * Shadow calls waiting to be made. A call that would report the same event as the last one in the
 * queue is merged with it, as inotify merges identical unread events. Thread-safe.
 */
public final class ShadowQueue {
  /**
   * Most waiting calls; further ones are dropped and counted. Each call keeps two states alive,
   * which differ from those of the next call by a few KB.
   */
  public static final int CAPACITY = 8_192;

  private final int capacity;
  private final ArrayDeque<ShadowJob> jobs = new ArrayDeque<>();
  private long merged;
  private long dropped;

  /** An empty queue for at most this many calls. */
  public ShadowQueue(int capacity) {
    this.capacity = capacity;
  }

  /**
   * Appends a call, or merges it with the last one.
   *
   * @return false if it was dropped because the queue is full
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

  /** Removes and returns the oldest call; null if there is none. */
  public synchronized @Nullable ShadowJob poll() {
    return jobs.pollFirst();
  }

  /** How many calls were merged into another one. */
  public synchronized long merged() {
    return merged;
  }

  /** How many calls were dropped. */
  public synchronized long dropped() {
    return dropped;
  }
}
