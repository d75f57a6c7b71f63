package io.hypersync.worker.inotify;

/** The thread of another process that makes the shadow calls, as the kernel's requests name it. */
public interface ShadowCaller {
  /** Its thread id. */
  int tid();

  /**
   * Whether the thread of this id, which waits for an answer at this moment, is the one: numbers of
   * threads that have ended are given to others.
   */
  boolean isCalling();
}
