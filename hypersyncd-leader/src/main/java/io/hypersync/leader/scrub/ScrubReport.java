package io.hypersync.leader.scrub;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * What a scrub has found so far, or in the end.
 *
 * @param headIndex the last entry of the newest state that it reads
 * @param snapshots how many snapshots it has read, the newest state among them
 * @param ofSnapshots how many there are
 * @param chunks how many chunks it has come to; some may count twice when there are very many
 * @param pages the same of pages
 * @param bytes what it has read, in bytes, repeated reads among them
 * @param bad how many chunks and pages were missing or damaged
 * @param mended how many of those can be read by now
 * @param lostCount how many are not there, and nobody has them
 * @param waiting how many are being looked for
 * @param lost the first of those that are lost
 * @param isComplete whether it has read everything; false while it runs, and if so many are lost
 *     that it has stopped
 */
public record ScrubReport(
    long headIndex,
    int snapshots,
    int ofSnapshots,
    long chunks,
    long pages,
    long bytes,
    long bad,
    long mended,
    long lostCount,
    int waiting,
    List<Lost> lost,
    boolean isComplete) {
  /** What can be lost. */
  public enum Kind {
    /** Bytes of a file, or the value of an extended attribute. */
    CHUNK,
    /** A part of a snapshot; what only it leads to was not read. */
    PAGE
  }

  /**
   * A chunk or a page that nobody has.
   *
   * @param snapshot the index of the newest snapshot that needs it
   */
  public record Lost(Kind kind, Hash hash, long snapshot) {}
}
