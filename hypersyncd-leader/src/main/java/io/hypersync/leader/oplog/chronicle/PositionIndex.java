package io.hypersync.leader.oplog.chronicle;

import java.util.Arrays;

/**
 * A sparse index of a segment file, to find where to start reading for an index: at most one sample
 * every 16 KiB of records. Thread-safe.
 */
final class PositionIndex {
  static final long SAMPLE_EVERY_BYTES = 16 << 10;

  private final boolean whole;
  private long[] indexes = new long[16];
  private long[] positions = new long[16];
  private int size;

  /** An index that gets the position of each record, in order. */
  PositionIndex() {
    this(true);
  }

  private PositionIndex(boolean whole) {
    this.whole = whole;
  }

  /** An index of a segment that was not read, which gets positions as readers come across them. */
  static PositionIndex unread() {
    return new PositionIndex(false);
  }

  /** Whether the index has all its samples, so that {@link #floor} is near what it is asked for. */
  boolean isWhole() {
    return whole;
  }

  /** Adds the position of a record, unless a sample near it is there. */
  synchronized void add(long index, long position) {
    int at = size > 0 && index <= indexes[size - 1] ? insertionPoint(index) : size;
    if ((at > 0 && position - positions[at - 1] < SAMPLE_EVERY_BYTES)
        || (at < size && positions[at] - position < SAMPLE_EVERY_BYTES)) {
      return;
    }
    if (size == indexes.length) {
      indexes = Arrays.copyOf(indexes, size * 2);
      positions = Arrays.copyOf(positions, size * 2);
    }
    System.arraycopy(indexes, at, indexes, at + 1, size - at);
    System.arraycopy(positions, at, positions, at + 1, size - at);
    indexes[at] = index;
    positions[at] = position;
    size++;
  }

  /** The position of the last sample that is not after the index; 0 if there is none. */
  synchronized long floor(long index) {
    int found = Arrays.binarySearch(indexes, 0, size, index);
    int at = found >= 0 ? found : -found - 2;
    return at < 0 ? 0 : positions[at];
  }

  /** The position of the first sample that is after the index; the given one if there is none. */
  synchronized long above(long index, long none) {
    int found = insertionPoint(index);
    int at = found < size && indexes[found] == index ? found + 1 : found;
    return at < size ? positions[at] : none;
  }

  /** The number of samples that are before the index. */
  private int insertionPoint(long index) {
    int found = Arrays.binarySearch(indexes, 0, size, index);
    return found >= 0 ? found : -found - 1;
  }
}
