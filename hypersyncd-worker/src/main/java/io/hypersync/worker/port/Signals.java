package io.hypersync.worker.port;

/** Facts about a pending signal that a FUSE interrupt does not carry. */
@FunctionalInterface
public interface Signals {
  /**
   * Whether a signal that a thread has received ends its process: it has no handler, is not ignored
   * and not blocked. Also true for a thread that no longer exists, and for pid 0, which cannot be
   * inspected.
   *
   * @param pid the thread; 0 if it is in a pid namespace that is not visible to this process
   */
  boolean endCaller(int pid);
}
