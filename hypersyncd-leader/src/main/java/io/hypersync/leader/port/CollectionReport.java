package io.hypersync.leader.port;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a collection has found and done.
 *
 * @param isDryRun whether nothing was to be removed
 * @param headIndex the newest entry that it looked at
 * @param logAfter chunks of entries up to this one may be gone, unless something else keeps them
 * @param pages how many pages of snapshots were read
 * @param entries entries of the log that were read
 * @param liveBytes what is alive in the store
 * @param deadBytes the rest, before the sweep
 * @param freedBytes by how much the store has become smaller, or would become
 * @param copiedBytes what had to be copied for that, or would have to be
 * @param chunksRemoved dead chunks that are gone
 * @param unreadable living chunks that could not be read when they were to be copied
 * @param tookNs how long it took
 * @param pins what keeps chunks that the head does not have, or has only in files without a name
 */
public record CollectionReport(
    boolean isDryRun,
    long headIndex,
    long logAfter,
    long pages,
    long entries,
    long liveBytes,
    long deadBytes,
    long freedBytes,
    long copiedBytes,
    long chunksRemoved,
    long unreadable,
    long tookNs,
    List<Pin> pins) {
  /** Copies the list. */
  public CollectionReport {
    pins = List.copyOf(pins);
  }

  /** How much of what is alive the head does not have, in bytes. */
  public long pinnedBytes() {
    return pins.stream().mapToLong(Pin::bytes).sum();
  }

  /** What a pin is. */
  public enum Kind {
    /** Intents in progress. */
    UPLOADS,
    /** Entries that workers may still have to apply, or that no snapshot has. */
    LOG,
    /** A retained snapshot. */
    SNAPSHOT,
    /** A state of the past that workers have mounted. */
    MOUNTED,
    /** A state that an entry of the log restores. */
    RESTORE,
    /** Files of the newest state that have no name and are open on workers. */
    OPEN,
    /** States older than the newest one that are in memory: their pages. */
    MEMORY
  }

  /**
   * What keeps chunks that the head does not have, or has only in files without a name. Each chunk
   * counts once: for intents, then for the log, then for the newest snapshot that has it, then for
   * states of the past that are mounted, then for states that entries restore, then for files
   * without a name, then for states in memory.
   *
   * @param index of the snapshot or the state that is mounted; of the entry that restores a state;
   *     for the log, the entry behind which all are kept; else 0
   * @param name of the snapshot, if it has one; the workers that have mounted the state, have the
   *     files open, or keep the log
   * @param sinceNs when the snapshot was taken, or the state mounted or held; when the oldest entry
   *     that is kept was committed; when the oldest intent came; the oldest change time of files
   *     without a name. In nanoseconds since 1970; 0 if there is none
   * @param bytes of chunks and pages, in bytes. Those of a snapshot are kept by it and perhaps by
   *     older ones, and by nothing else
   * @param reason why the log is kept; null for all else
   */
  public record Pin(
      Kind kind,
      long index,
      String name,
      long sinceNs,
      long bytes,
      LogKeeper.@Nullable Reason reason) {
    /** Of all but the log. */
    public Pin(Kind kind, long index, String name, long sinceNs, long bytes) {
      this(kind, index, name, sinceNs, bytes, null);
    }
  }
}
