package io.hypersync.leader.presence;

/** Where tokens are signed, which takes milliseconds. */
@FunctionalInterface
public interface TokenSigner {
  /**
   * Runs a task, at once or later, on any thread; one after the other. A leader that ends may drop
   * it.
   */
  void sign(Runnable task);
}
