package io.hypersync.leader.oplog.chronicle;

import java.util.Arrays;

/**
 * A sparse index of a segment file, to find where to start reading for an index: one sample every
 * 16 KiB of records. Thread-safe for one writer and many readers.
 */
final class PositionIndex {
  private static final long SAMPLE_EVERY_BYTES = 16 << 10;

  private long[] indexes = new long[16];
  private long[] positions = new long[16];
  private int size;

  /** Adds the position of a record; indexes and positions must grow from call to call. */
  synchronized void add(long index, long position) {
    if (size > 0 && position - positions[size - 1] < SAMPLE_EVERY_BYTES) {
      return;
    }
    if (size == indexes.length) {
      indexes = Arrays.copyOf(indexes, size * 2);
      positions = Arrays.copyOf(positions, size * 2);
    }
    indexes[size] = index;
    positions[size] = position;
    size++;
  }

  /** The position of the last sample that is not after the index; 0 if there is none. */
  synchronized long floor(long index) {
    int found = Arrays.binarySearch(indexes, 0, size, index);
    int at = found >= 0 ? found : -found - 2;
    return at < 0 ? 0 : positions[at];
  }
}
