package io.hypersync.worker.inotify;

/** The thread, in another process, that makes the shadow calls. */
public interface ShadowCaller {
  /** Its thread id, as in the headers of its requests. */
  int tid();

  /**
   * Whether the thread with this id, which waits for a reply right now, is the caller: the ids of
   * ended threads are used again for others.
   */
  boolean isCalling();
}
