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
   * The first entry that {@link #onRecord} is to receive; the caller has the state before it from
   * elsewhere, such as a snapshot (hypersync.md 13). Asked once, before the first entry; may refuse
   * the log with an exception, like {@link #ended}.
   *
   * <p>Full segments that end before it are not read, apart from their headers: damage in them is
   * found when they are read later. In the segment that holds it, the entries before it are checked
   * and not delivered. If the log begins behind it, or ends before its predecessor, the log is not
   * opened.
   *
   * @param first the first entry of the log; 1 if it has none
   * @return the index
   */
  default long firstNeeded(long first) {
    return first;
  }

  /**
   * Called when all entries of a full segment were received, before any of the next one: they are
   * durable, whatever becomes of the end of the log.
   *
   * @param last the last one of them
   */
  default void sealed(long last) {}

  /**
   * Called after the last entry, before recovery changes anything on disk: the last chance to
   * refuse the log with an exception.
   */
  default void ended() {}
}
