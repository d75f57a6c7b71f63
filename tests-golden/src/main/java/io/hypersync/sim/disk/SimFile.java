package io.hypersync.sim.disk;

import io.hypersync.sim.world.Chance;
import java.util.Arrays;
import java.util.BitSet;

/**
 * A file as Linux keeps it: pages in memory over sectors on the disk. A page that is being written
 * when power is lost may be torn: some of its sectors are old, some new, and some hold anything,
 * whatever was in them. After a failed sync nothing is dirty any more, though the disk has perhaps
 * none of it, and memory may forget it at any time.
 */
final class SimFile {
  private static final int SECTOR = 512;
  private static final int SECTORS_PER_PAGE = 8;
  private static final int SOME = 4;

  private byte[] cached;
  private byte[] stable;
  private final BitSet dirty = new BitSet();

  /** A file that is whole and durable. */
  SimFile(byte[] bytes, int allocated) {
    int length = (Math.max(bytes.length, allocated) + SECTOR - 1) / SECTOR * SECTOR;
    cached = Arrays.copyOf(bytes, length);
    stable = cached.clone();
  }

  /** What a reader finds; not a copy. */
  byte[] bytes() {
    return cached;
  }

  /** Writes into memory; the file is as long as it has to be, with zeros. */
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

  /** Everything is on the disk now. */
  void sync() {
    dirty.stream().forEach(this::store);
    dirty.clear();
  }

  /** A sync fails: of what was dirty some is on the disk, and nobody will try again. */
  void failSync(Chance chance) {
    dirty.stream().filter(_ -> chance.oneIn(2)).forEach(this::store);
    dirty.clear();
  }

  /** Memory is needed for something else: pages that pass for clean are read again when needed. */
  void evict(Chance chance) {
    int pages = cached.length / SECTOR / SECTORS_PER_PAGE;
    for (int page = 0; page <= pages; page++) {
      int first = page * SECTORS_PER_PAGE;
      int next = dirty.nextSetBit(first);
      if ((next < 0 || next >= first + SECTORS_PER_PAGE) && chance.oneIn(2)) {
        int from = Math.min(first * SECTOR, cached.length);
        int to = Math.min(from + SECTORS_PER_PAGE * SECTOR, cached.length);
        System.arraycopy(stable, from, cached, from, to - from);
      }
    }
  }

  /**
   * Power is lost: of what was dirty a first part is on the disk, or any part, and in pages that
   * were to be written there may be anything.
   *
   * @return how many pages are torn
   */
  int losePower(Chance chance) {
    boolean inOrder = chance.oneIn(2);
    int left = inOrder ? chance.below(dirty.cardinality() + 1) : 0;
    BitSet missed = new BitSet();
    for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
      if (inOrder ? left-- > 0 : chance.oneIn(2)) {
        store(sector);
      } else {
        missed.set(sector / SECTORS_PER_PAGE);
      }
    }
    int torn = 0;
    for (int page = missed.nextSetBit(0); page >= 0; page = missed.nextSetBit(page + 1)) {
      if (chance.oneIn(SOME)) {
        tear(page, chance);
        torn++;
      }
    }
    dirty.clear();
    cached = stable.clone();
    return torn;
  }

  /** Sectors of a page are anything from now on, those that nobody was writing, too. */
  private void tear(int page, Chance chance) {
    int first = page * SECTORS_PER_PAGE;
    int next = Math.min(first + SECTORS_PER_PAGE, stable.length / SECTOR);
    for (int sector = first; sector < next; sector++) {
      if (chance.oneIn(2)) {
        byte[] garbage = chance.bytes(SECTOR);
        System.arraycopy(garbage, 0, stable, sector * SECTOR, SECTOR);
      }
    }
  }

  /** Flips bits of a byte, on the disk and in memory. */
  void flip(int position, int bits) {
    stable[position] ^= (byte) bits;
    cached[position] ^= (byte) bits;
  }

  private void store(int sector) {
    System.arraycopy(cached, sector * SECTOR, stable, sector * SECTOR, SECTOR);
  }
}
