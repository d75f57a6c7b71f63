package io.hypersync.model.lock;

/**
 * Bytes of a file.
 *
 * @param first the first byte, at least 0
 * @param last the last byte, inclusive; {@link #TO_THE_END} for the end of the file however long
 */
public record LockRange(long first, long last) {
  /** The last byte of a range that goes on to the end of the file. */
  public static final long TO_THE_END = Long.MAX_VALUE;

  /** Every byte there can be. */
  public static final LockRange WHOLE = new LockRange(0, TO_THE_END);

  /** Rejects an empty range. */
  public LockRange {
    if (first < 0 || last < first) {
      throw new IllegalArgumentException("bytes " + first + " to " + last);
    }
  }

  /** Whether both have a byte in common. */
  public boolean overlaps(LockRange other) {
    return first <= other.last && other.first <= last;
  }

  /** The bytes in common; only for ranges that overlap. */
  public LockRange intersection(LockRange other) {
    return new LockRange(Math.max(first, other.first), Math.min(last, other.last));
  }
}
