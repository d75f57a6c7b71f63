package io.hypersync.leader.sequencer;

import org.agrona.collections.Long2ObjectHashMap;
import org.jspecify.annotations.Nullable;

/**
 * A map from numbers to numbers other than 0 whose keys are counted up, with few left out: nine
 * bytes for each, a quarter of what a hash map takes. The ten million intents that a leader
 * remembers at least are its largest table.
 *
 * <p>Single-threaded. Keys far apart cost a page of 528 bytes each, which does no more than waste
 * memory.
 */
final class SequenceMap {
  private static final int PAGE_SHIFT = 6;
  private static final int PAGE = 1 << PAGE_SHIFT;

  /** By the upper bits of the key. */
  private final Long2ObjectHashMap<long[]> pages = new Long2ObjectHashMap<>();

  /** The page of the newest key, which the next one is most likely on. */
  private long @Nullable [] newest;

  private long newestAt;

  /** The value, or 0. */
  long get(long key) {
    long[] page = page(key);
    return page == null ? 0 : page[(int) key & (PAGE - 1)];
  }

  /** Sets the value, in place of what it was. */
  void put(long key, long value) {
    long[] page = page(key);
    if (page == null) {
      page = new long[PAGE];
      pages.put(key >>> PAGE_SHIFT, page);
    }
    page[(int) key & (PAGE - 1)] = value;
    newest = page;
    newestAt = key >>> PAGE_SHIFT;
  }

  private long @Nullable [] page(long key) {
    long at = key >>> PAGE_SHIFT;
    return newest != null && newestAt == at ? newest : pages.get(at);
  }
}
