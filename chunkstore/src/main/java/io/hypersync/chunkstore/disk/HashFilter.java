package io.hypersync.chunkstore.disk;

import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A blocked Bloom filter of hashes that grows. For a hash that was added the answer is always
 * "maybe", for nearly all others it is "no": in a full part about one in 200 of these also gets
 * "maybe". It takes 1.5 to 3 bytes of heap per hash, and a lookup reads one 64-byte line in each
 * part.
 *
 * <p>When the newest part is full, another of twice its size is added, so there are few parts.
 * Hashes are uniformly distributed, so their own bits give the position: the first word selects the
 * line, the second word selects one bit in each word of the line.
 *
 * <p>Thread-safe. A thread that learns in any other way that a hash was added never gets "no" for
 * it afterwards.
 */
final class HashFilter {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int WORDS_PER_LINE = 8;
  private static final int BITS_PER_POSITION = 6;
  private static final int HASHES_PER_LINE = 42; // 12 bits each
  private static final int SMALLEST = 1 << 16;
  private static final int LARGEST = 1 << 27;

  /**
   * All parts; the last one is the newest, to which hashes are added. The list is replaced as a
   * whole.
   */
  private volatile List<long[]> parts = List.of();

  /** The number of hashes that the newest part still takes; guarded by this. */
  private int room;

  /**
   * An empty filter.
   *
   * @param expected number of hashes that will soon be added; more are possible
   */
  HashFilter(long expected) {
    grow(Math.clamp(expected, SMALLEST, LARGEST));
  }

  /** Adds the hash. */
  synchronized void add(Hash hash) {
    if (mayContain(hash)) {
      return;
    }
    if (room == 0) {
      grow((int) Math.min(2L * capacity(parts.getLast()), LARGEST));
    }
    room--;
    long[] part = parts.getLast();
    int line = line(hash, part);
    for (int i = 0; i < WORDS_PER_LINE; i++) {
      long _ = (long) WORD.getAndBitwiseOrRelease(part, line + i, bit(hash, i));
    }
  }

  /** False if the hash was certainly never added. */
  boolean mayContain(Hash hash) {
    for (long[] part : parts) {
      if (hasAllBits(part, hash)) {
        return true;
      }
    }
    return false;
  }

  private static boolean hasAllBits(long[] part, Hash hash) {
    int line = line(hash, part);
    for (int i = 0; i < WORDS_PER_LINE; i++) {
      if (((long) WORD.getAcquire(part, line + i) & bit(hash, i)) == 0) {
        return false;
      }
    }
    return true;
  }

  private void grow(int hashes) {
    List<long[]> more = new ArrayList<>(parts);
    long[] part = new long[Math.ceilDiv(hashes, HASHES_PER_LINE) * WORDS_PER_LINE];
    more.add(part);
    room = capacity(part);
    parts = List.copyOf(more);
  }

  private static int capacity(long[] part) {
    return part.length / WORDS_PER_LINE * HASHES_PER_LINE;
  }

  private static int line(Hash hash, long[] part) {
    int lines = part.length / WORDS_PER_LINE;
    return (int) Math.unsignedMultiplyHigh(hash.w0(), lines) * WORDS_PER_LINE;
  }

  /** A long shift uses only the lowest six bits of the distance. */
  private static long bit(Hash hash, int word) {
    return 1L << (hash.w1() >>> (word * BITS_PER_POSITION));
  }
}
