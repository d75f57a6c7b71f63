package io.hypersync.chunkstore;

/**
 * How much of a segment is alive, and what a collection would do with it.
 *
 * @param segment number of the segment file
 * @param bytes size of the file
 * @param liveBytes bytes of the records of living chunks; in a segment that is still written to,
 *     everything that is not known to be dead
 */
public record SegmentUsage(int segment, long bytes, long liveBytes, Fate fate) {
  /** What a collection does with a segment. */
  public enum Fate {
    /** It stays: it is still written to, or has too few dead bytes. */
    KEPT,
    /** Its living chunks are copied to the newest segment, and the file is deleted. */
    COPIED_AND_DELETED,
    /** Nothing in it is alive: the file is deleted. */
    DELETED
  }

  /** The bytes that are not alive. */
  public long deadBytes() {
    return bytes - liveBytes;
  }

  /** By how many bytes the store shrinks. */
  public long freedBytes() {
    return fate == Fate.KEPT ? 0 : deadBytes();
  }

  /** How many bytes have to be copied for that. */
  public long copiedBytes() {
    return fate == Fate.COPIED_AND_DELETED ? liveBytes : 0;
  }
}
