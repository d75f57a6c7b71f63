package io.hypersync.worker.cache;

import io.hypersync.chunkstore.CollectionOptions;

/**
 * How much disk a worker's chunks may take, and how often dead ones are removed.
 *
 * <p>A worker with a limit keeps, of the chunks of the newest state, those that were stored last
 * and those that were used last. The parts below add up to less than the limit, so that the store
 * can grow for a while before the next collection, and so that a segment may be dead in part.
 *
 * @param intervalNs {@code gc.interval} in nanoseconds: after this long a collection runs, if
 *     anything has changed
 * @param maxBytes {@code worker.cache_max} in bytes; {@link #NO_LIMIT} for none
 */
public record CacheLimits(long intervalNs, long maxBytes) {
  /** The whole workspace is kept. */
  public static final long NO_LIMIT = 0;

  private static final long MIB = 1L << 20;

  /** With less, there would be no room for what is being written. */
  public static final long LEAST_BYTES = 16 * MIB;

  /** With a limit, segments that are this far dead are emptied. */
  private static final int DEAD_PERCENT = 25;

  /** Whether there is a limit. */
  public boolean isLimited() {
    return maxBytes != NO_LIMIT;
  }

  /** Whether a store of this size has to become smaller. */
  boolean isOver(long storeBytes) {
    return isLimited() && storeBytes > maxBytes;
  }

  /** Whether a collection that runs anyway removes living chunks, too. */
  boolean isNearly(long storeBytes) {
    return isLimited() && storeBytes > maxBytes / 10 * 9;
  }

  /** Whether a store of this size may take chunks that nobody waits for. */
  boolean hasRoom(long storeBytes) {
    return !isLimited() || storeBytes < maxBytes / 10 * 6;
  }

  /** What a run for lack of room should free at least, and what may come until the next one. */
  long usefulBytes() {
    return isLimited() ? maxBytes / 32 : 16 * MIB;
  }

  /** How many bytes of the chunks that were stored last are kept. */
  long newestBytes() {
    return maxBytes / 8 * 5;
  }

  /** How many bytes of the chunks that were used last are in one generation of two. */
  public long recentBytes() {
    return maxBytes / 16;
  }

  /** The size of a segment of the store, in bytes: the newest one is never emptied. */
  public long segmentBytes(long usualBytes) {
    return isLimited() ? Math.clamp(maxBytes / 32, MIB, usualBytes) : usualBytes;
  }

  /** How segments are chosen. */
  public CollectionOptions options() {
    return isLimited() ? new CollectionOptions(DEAD_PERCENT, false) : CollectionOptions.DEFAULT;
  }
}
