package io.hypersync.chunkstore;

import java.util.concurrent.ThreadLocalRandom;

/**
 * A set of longs without any object per element: open addressing with linear probing, between 3/8
 * and 3/4 full. Not thread-safe.
 *
 * <p>The position of an element depends on a random number, because hashes can be chosen by a
 * client: otherwise it could make all of them collide.
 */
final class FingerprintSet {
  private static final long MIX = ThreadLocalRandom.current().nextLong() | 1;
  private static final int SMALLEST = 16;

  /** A power of two of slots; 0 is an empty one. */
  private long[] slots = new long[SMALLEST];

  private int used;
  private boolean containsZero;

  /** Adds an element; returns whether it is new. */
  boolean add(long element) {
    if (element == 0) {
      boolean isNew = !containsZero;
      containsZero = true;
      return isNew;
    }
    int at = slot(element);
    if (slots[at] == element) {
      return false;
    }
    slots[at] = element;
    used++;
    if (used > slots.length / 4 * 3) {
      grow();
    }
    return true;
  }

  boolean contains(long element) {
    return element == 0 ? containsZero : slots[slot(element)] == element;
  }

  int size() {
    return used + (containsZero ? 1 : 0);
  }

  private void grow() {
    long[] old = slots;
    slots = new long[Math.multiplyExact(old.length, 2)];
    for (long element : old) {
      if (element != 0) {
        slots[slot(element)] = element;
      }
    }
  }

  /** The slot that has the element, or else the one where it belongs. */
  private int slot(long element) {
    int at = (int) ((element * MIX) >>> (Long.numberOfLeadingZeros(slots.length) + 1));
    while (slots[at] != 0 && slots[at] != element) {
      at = (at + 1) & (slots.length - 1);
    }
    return at;
  }
}
