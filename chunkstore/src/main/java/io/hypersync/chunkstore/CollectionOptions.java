package io.hypersync.chunkstore;

/**
 * How a collection works (hypersync.md 14.2).
 *
 * @param deadPercent a segment is emptied and deleted if at least this part of it is dead, 1 to
 *     100. Lower values take less disk and copy more. With random overwrites, 25 % copies 2.5 bytes
 *     for each byte that is written to the store, and keeps the disk at 1.13 times the living
 *     bytes; 50 % copies 0.9 and keeps it at 1.4 times; 75 % copies 0.3 and keeps it at 1.8 times
 * @param keepsReserve whether to keep a reserve file of one segment's size, which is given up on a
 *     full disk so that there is room to copy, and made again afterwards
 */
public record CollectionOptions(int deadPercent, boolean keepsReserve) {
  /** Segments that are half dead; with a reserve. */
  public static final CollectionOptions DEFAULT = new CollectionOptions(50, true);

  /** Rejects percentages that cannot be. */
  public CollectionOptions {
    if (deadPercent < 1 || deadPercent > 100) {
      throw new IllegalArgumentException(deadPercent + " percent");
    }
  }
}
