package io.hypersync.model.lock;

/**
 * A non-empty range of bytes of a file, for locks.
 *
 * @param first offset of the first byte, at least 0
 * @param last offset of the last byte, inclusive; {@link #TO_THE_END} if the range has no end
 */
public record LockRange(long first, long last) {
  /**
   * Value of {@code last} in a range that covers everything up to the end of the file, wherever the
   * end is or will be.
   */
  public static final long TO_THE_END = Long.MAX_VALUE;

  /** The range of a whole-file lock. */
  public static final LockRange WHOLE = new LockRange(0, TO_THE_END);

  /** Rejects a negative first byte and an empty range. */
  public LockRange {
    if (first < 0 || last < first) {
      throw new IllegalArgumentException("bytes " + first + " to " + last);
    }
  }

  /** Whether the two ranges have a byte in common. */
  public boolean overlaps(LockRange other) {
    return first <= other.last && other.first <= last;
  }

  /**
   * The bytes that both ranges contain.
   *
   * @throws IllegalArgumentException if they do not overlap
   */
  public LockRange intersection(LockRange other) {
    return new LockRange(Math.max(first, other.first), Math.min(last, other.last));
  }
}
