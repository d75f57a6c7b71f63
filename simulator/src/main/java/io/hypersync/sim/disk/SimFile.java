package io.hypersync.sim.disk;

import io.hypersync.sim.world.Prng;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A file with Linux's semantics: cached pages over sectors on disk. A page that is being written
 * when power is lost may be torn: some of its sectors are old, some new, and some hold garbage,
 * even those that were not being changed. After a failed sync no page is dirty any more although
 * the disk may have none of it, and the page cache may drop those pages at any time.
 */
final class SimFile {
  private static final int SECTOR = 512;
  private static final int SECTORS_PER_PAGE = 8;
  private static final int SOME = 4;

  private byte[] cached;
  private byte[] stable;
  private final BitSet dirty = new BitSet();

  /** Creates a file whose content is durable, with {@code allocated} bytes at least. */
  SimFile(byte[] bytes, int allocated) {
    int length = (Math.max(bytes.length, allocated) + SECTOR - 1) / SECTOR * SECTOR;
    cached = Arrays.copyOf(bytes, length);
    stable = cached.clone();
  }

  /** The bytes that a reader gets; not a copy. */
  byte[] bytes() {
    return cached;
  }

  /**
   * Writes the first {@code count} bytes into the page cache; the file grows as needed, with zeros.
   */
  void write(long position, byte[] bytes, int count) {
    int end = (int) position + count;
    if (end > cached.length) {
      int length = (2 * end + SECTOR - 1) / SECTOR * SECTOR;
      cached = Arrays.copyOf(cached, length);
      stable = Arrays.copyOf(stable, length);
    }
    System.arraycopy(bytes, 0, cached, (int) position, count);
    if (count > 0) {
      dirty.set((int) position / SECTOR, (end - 1) / SECTOR + 1);
    }
  }

  /** Completes a sync: everything is on disk. */
  void sync() {
    dirty.stream().forEach(this::store);
    dirty.clear();
  }

  /**
   * Fails a sync: a random part of the dirty sectors reaches the disk, and none is dirty any more.
   */
  void failSync(Prng prng) {
    dirty.stream().filter(_ -> prng.oneIn(2)).forEach(this::store);
    dirty.clear();
  }

  /** Drops random clean pages from the cache, so that they are read from disk again. */
  void evict(Prng prng) {
    int pages = cached.length / SECTOR / SECTORS_PER_PAGE;
    for (int page = 0; page <= pages; page++) {
      int first = page * SECTORS_PER_PAGE;
      int next = dirty.nextSetBit(first);
      if ((next < 0 || next >= first + SECTORS_PER_PAGE) && prng.oneIn(2)) {
        int from = Math.min(first * SECTOR, cached.length);
        int to = Math.min(from + SECTORS_PER_PAGE * SECTOR, cached.length);
        System.arraycopy(stable, from, cached, from, to - from);
      }
    }
  }

  /**
   * Loses power. Either a prefix of the dirty sectors or a random subset is on disk, and pages that
   * were to be written may be torn.
   *
   * @return the number of torn pages
   */
  int losePower(Prng prng) {
    boolean inOrder = prng.oneIn(2);
    int left = inOrder ? prng.below(dirty.cardinality() + 1) : 0;
    BitSet missed = new BitSet();
    for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
      if (inOrder ? left-- > 0 : prng.oneIn(2)) {
        store(sector);
      } else {
        missed.set(sector / SECTORS_PER_PAGE);
      }
    }
    int torn = 0;
    for (int page = missed.nextSetBit(0); page >= 0; page = missed.nextSetBit(page + 1)) {
      if (prng.oneIn(SOME)) {
        tear(page, prng);
        torn++;
      }
    }
    dirty.clear();
    cached = stable.clone();
    return torn;
  }

  /** Fills random sectors of a page with garbage, including sectors that were not being written. */
  private void tear(int page, Prng prng) {
    int first = page * SECTORS_PER_PAGE;
    int next = Math.min(first + SECTORS_PER_PAGE, stable.length / SECTOR);
    for (int sector = first; sector < next; sector++) {
      if (prng.oneIn(2)) {
        byte[] garbage = prng.bytes(SECTOR);
        System.arraycopy(garbage, 0, stable, sector * SECTOR, SECTOR);
      }
    }
  }

  /** Flips bits of a byte, on disk and in the page cache. */
  void flip(int position, int bits) {
    stable[position] ^= (byte) bits;
    cached[position] ^= (byte) bits;
  }

  private void store(int sector) {
    System.arraycopy(cached, sector * SECTOR, stable, sector * SECTOR, SECTOR);
  }
}
