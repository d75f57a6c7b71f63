package io.hypersync.leader.lease;

import java.util.ArrayDeque;

/** Remembers which index had been reached a fixed time ago. */
final class DelayedIndex {
  private record Sample(long timeNs, long index) {}

  private final long delayNs;
  private final ArrayDeque<Sample> samples = new ArrayDeque<>();
  private long newest;
  private long due;

  DelayedIndex(long delayNs) {
    this.delayNs = delayNs;
  }

  /** Records that an index has been reached; smaller or equal ones are ignored. */
  void reached(long index, long nowNs) {
    if (index > newest) {
      newest = index;
      samples.addLast(new Sample(nowNs, index));
    }
  }

  /** The index that had been reached {@code delayNs} before {@code nowNs}; 0 if none. */
  long dueThrough(long nowNs) {
    while (!samples.isEmpty() && nowNs - samples.getFirst().timeNs >= delayNs) {
      due = samples.removeFirst().index;
    }
    return due;
  }
}
