package io.hypersync.leader.sequencer;

import java.util.Arrays;
import org.agrona.collections.Long2LongHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A map from longs to longs other than 0, for keys that mostly count up without gaps: about eight
 * bytes per key in a large map, and little for a small one, as most are. The leader's largest
 * table, at least ten million remembered intents, is made of these.
 *
 * <p>Keys far from the others go to a hash map, so a client that sends such keys costs no more heap
 * than with a hash map from the start. Single-threaded.
 */
final class SequenceMap {
  /** Returned for a key without a value. */
  static final long NONE = 0;

  private static final int FIRST_VALUES = 4;
  private static final int PAGE_SHIFT = 10;
  private static final int PAGE = 1 << PAGE_SHIFT;

  /** The largest gap between keys that the pages may contain. */
  private static final int MAX_GAP = 64;

  private static final long[] NO_VALUES = {};
  private static final long @Nullable [][] NO_PAGES = {};

  /** Heap of the object and its array headers. */
  private static final int OWN_BYTES = 96;

  /** Heap of a key and a value, times four, for a hash map that has just doubled its capacity. */
  private static final int BYTES_OF_OTHER = 64;

  private long heapBytes = OWN_BYTES;
  private long base;

  /** How many keys, from the base on, the pages cover. */
  private long reach;

  /** Page 0, which grows until it has full size. */
  private long[] first = NO_VALUES;

  /** The other pages; null where no key has been put. */
  private long @Nullable [][] more = NO_PAGES;

  private @Nullable Long2LongHashMap others;

  /** The value, or {@link #NONE}. */
  long get(long key) {
    long at = key - base;
    if (at >= 0 && at < reach) {
      long[] page = page((int) (at >>> PAGE_SHIFT));
      int inPage = (int) at & (PAGE - 1);
      long value = page == null || inPage >= page.length ? NONE : page[inPage];
      if (value != NONE) {
        return value;
      }
    }
    return others == null ? NONE : others.get(key);
  }

  /** About how many bytes of heap the map takes, for any pattern of keys. */
  long heapBytes() {
    return heapBytes;
  }

  /** Sets the value and replaces any earlier one. */
  void put(long key, long value) {
    if (reach == 0) {
      base = key;
    }
    long at = key - base;
    if (at < 0 || at > reach + MAX_GAP || (at >= reach && get(key) != NONE)) {
      if (others == null) {
        others = new Long2LongHashMap(NONE);
      }
      heapBytes += BYTES_OF_OTHER;
      others.put(key, value);
      return;
    }
    int page = (int) (at >>> PAGE_SHIFT);
    int inPage = (int) at & (PAGE - 1);
    writable(page, inPage)[inPage] = value;
    reach = Math.max(reach, at + 1);
  }

  private long @Nullable [] page(int page) {
    if (page == 0) {
      return first;
    }
    return page - 1 < more.length ? more[page - 1] : null;
  }

  private long[] writable(int page, int inPage) {
    if (page == 0) {
      if (inPage >= first.length) {
        int room = Math.max(FIRST_VALUES, Integer.highestOneBit(inPage) << 1);
        heapBytes -= (long) first.length * Long.BYTES;
        first = Arrays.copyOf(first, Math.min(PAGE, room));
        heapBytes += (long) first.length * Long.BYTES;
      }
      return first;
    }
    if (page > more.length) {
      more = Arrays.copyOf(more, Math.max(FIRST_VALUES, 2 * page));
    }
    long[] known = more[page - 1];
    if (known == null) {
      known = new long[PAGE];
      more[page - 1] = known;
      heapBytes += (long) PAGE * Long.BYTES + 2 * Long.BYTES;
    }
    return known;
  }
}
