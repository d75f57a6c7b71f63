package io.hypersync.leader.oplog;

/** Rebuilds the caller's state from the log, entry by entry, while the log is opened. */
@FunctionalInterface
public interface RecoveryListener {
  /** What to do with a recovered entry. */
  enum Verdict {
    /** The entry belongs to the log. */
    KEEP,
    /**
     * The entry cannot be applied because its chunks did not survive. It and all that follow are
     * cut off. Legal only for entries that were never known to be durable.
     */
    CUT
  }

  /** The next entry in index order. No more entries follow after {@link Verdict#CUT}. */
  Verdict onRecord(long index, byte[] payload);

  /**
   * Called after the last entry, before recovery changes anything on disk: the last chance to
   * refuse the log with an exception.
   */
  default void ended() {}
}
