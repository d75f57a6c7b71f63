package io.hypersync.chunkstore;

import org.jspecify.annotations.Nullable;

/**
 * Holds a collection between its beginning and the moment when its roots are known. One thread puts
 * the run in before the other one hears of it, and that one takes it out. Thread-safe in this order
 * of calls.
 */
public final class BegunCollection {
  private volatile @Nullable CollectionRun run;

  /** A place without a run. */
  public BegunCollection() {}

  /** A run has begun. */
  public void begun(CollectionRun begun) {
    run = begun;
  }

  /**
   * Takes the run out.
   *
   * @throws IllegalStateException if there is none
   */
  public CollectionRun take() {
    CollectionRun begun = run;
    if (begun == null) {
      throw new IllegalStateException("no run has begun");
    }
    run = null;
    return begun;
  }

  /** Ends a run that nobody has taken out; does no I/O. */
  public void abort() {
    CollectionRun begun = run;
    if (begun != null) {
      begun.close();
    }
  }
}
