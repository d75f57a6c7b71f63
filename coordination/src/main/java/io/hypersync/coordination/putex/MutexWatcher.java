package io.hypersync.coordination.putex;

/** Is told what a {@link ProcessMutex} does. Called on its thread; must not block. */
public interface MutexWatcher {
  /**
   * It goes from one state to another.
   *
   * @param why for a person; empty if nothing went wrong
   */
  void moved(State from, State to, String why);

  /** A health check has succeeded, but took longer than R. */
  void slowCheck(long tookNs);

  /** Somebody else writes the same token. */
  void tokenInUse();
}
