package io.hypersync.worker.port;

/** What the kernel does not say of a caller when it tells that he has got a signal. */
@FunctionalInterface
public interface Signals {
  /**
   * Whether a signal that a thread has got ends its process: no handler is called, it is not
   * ignored, nor blocked. A thread that is gone has been ended, too, and so has one that cannot be
   * looked at, as far as anybody here can know.
   *
   * @param pid of the thread; 0 if it is in a pid namespace that this process does not see
   */
  boolean endCaller(int pid);
}
