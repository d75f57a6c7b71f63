package io.hypersync.chunkstore;

import io.hypersync.model.hash.Hash;
import java.util.List;

/**
 * How far a collection is, for status and metrics (hypersync.md 14.2, 16).
 *
 * @param segmentsToClean segments that are to be emptied and deleted; 0 until they are known
 * @param segmentsDeleted segments that have been deleted
 * @param segmentsLeft segments that were to be deleted and stay: a living chunk of theirs cannot be
 *     read, or the file cannot be deleted
 * @param chunksRemoved dead chunks that are not in the store any more
 * @param chunksCopied living chunks that have another place now
 * @param bytesCopied bytes of their records
 * @param bytesDeleted size of the deleted files
 * @param liveBytes bytes of records that are alive, as far as known; 0 until they are measured
 * @param deadBytes all other bytes of the segments, without those that have been deleted
 * @param unreadableChunks living chunks that could not be read, or were damaged, when they were to
 *     be copied. They count as missing ({@link ChunkStore#getVerified}), and their segments stay
 * @param unreadable the first {@link #MAX_UNREADABLE} of them
 */
public record CollectionProgress(
    Phase phase,
    int segmentsToClean,
    int segmentsDeleted,
    int segmentsLeft,
    long chunksRemoved,
    long chunksCopied,
    long bytesCopied,
    long bytesDeleted,
    long liveBytes,
    long deadBytes,
    long unreadableChunks,
    List<Hash> unreadable) {
  /** How many hashes {@link #unreadable} has at most. */
  public static final int MAX_UNREADABLE = 1_000;

  /** The steps of a collection, in order. */
  public enum Phase {
    /** The caller marks living chunks. */
    MARKING,
    /** Living bytes are counted, by segment. */
    MEASURING,
    /** Segments are emptied and deleted. */
    CLEANING,
    /** Nothing is left to be done. */
    DONE,
    /** The run was finished or aborted. */
    ENDED
  }

  /** Copies the list. */
  public CollectionProgress {
    unreadable = List.copyOf(unreadable);
  }

  /** How far the sweep is, in words for a person. */
  public String describeSweep() {
    return "sweeping: "
        + segmentsDeleted
        + " of "
        + segmentsToClean
        + " segments, "
        + bytesCopied
        + " bytes copied, "
        + bytesDeleted
        + " deleted";
  }

  /** By how much the store has become smaller, in bytes. */
  public long freedBytes() {
    return bytesDeleted - bytesCopied;
  }

  /** About what was dead before anything was deleted, in bytes. */
  public long deadBeforeBytes() {
    return deadBytes + bytesDeleted;
  }

  /** Whether nothing is left to be swept. */
  public boolean isDone() {
    return phase == Phase.DONE || phase == Phase.ENDED;
  }
}
