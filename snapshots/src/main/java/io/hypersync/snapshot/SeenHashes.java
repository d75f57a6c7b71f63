package io.hypersync.snapshot;

import io.hypersync.model.hash.Hash;

/**
 * The pages, or the chunks, that a walk has come to. Half of each hash is remembered, 128 bits, in
 * 21 to 43 bytes of heap. Nobody can make two pages whose halves are equal; with the 70 bits of the
 * chunk store's marks an attacker could, and one of the two would not be read.
 *
 * <p>It is bounded: when it is full it forgets everything. So it may take a page for new that is
 * not, which is read again then; never the other way round. Not thread-safe.
 */
public final class SeenHashes {
  private static final int SMALLEST = 1 << 10;

  private final int most;

  /** Two longs for each slot; two zeros are an empty one. */
  private long[] slots = new long[2 * SMALLEST];

  private int used;
  private boolean containsZero;
  private long distinct;

  /**
   * An empty set.
   *
   * @param most how many are remembered, at least 1
   */
  public SeenHashes(int most) {
    this.most = most;
  }

  /** Adds one; returns whether it is new, as far as is known. */
  public boolean add(Hash hash) {
    long high = hash.w0();
    long low = hash.w1();
    if ((high | low) == 0) {
      boolean isNew = !containsZero;
      containsZero = true;
      distinct += isNew ? 1 : 0;
      return isNew;
    }
    int at = slot(slots, high, low);
    if (slots[at] == high && slots[at + 1] == low) {
      return false;
    }
    if (used >= most) {
      slots = new long[2 * SMALLEST];
      used = 0;
      containsZero = false;
    } else if (used >= slots.length / 8 * 3) {
      grow();
    }
    at = slot(slots, high, low);
    slots[at] = high;
    slots[at + 1] = low;
    used++;
    distinct++;
    return true;
  }

  /** How many were new; those that were forgotten may count more than once. */
  public long count() {
    return distinct;
  }

  private void grow() {
    long[] old = slots;
    long[] larger = new long[Math.multiplyExact(old.length, 2)];
    for (int i = 0; i < old.length; i += 2) {
      if ((old[i] | old[i + 1]) != 0) {
        int at = slot(larger, old[i], old[i + 1]);
        larger[at] = old[i];
        larger[at + 1] = old[i + 1];
      }
    }
    slots = larger;
  }

  /** The place of an element, or else the one where it belongs. */
  private static int slot(long[] slots, long high, long low) {
    int mask = slots.length / 2 - 1;
    int at = (int) (low ^ (high >>> 32)) & mask;
    while ((slots[2 * at] | slots[2 * at + 1]) != 0
        && (slots[2 * at] != high || slots[2 * at + 1] != low)) {
      at = (at + 1) & mask;
    }
    return 2 * at;
  }
}
