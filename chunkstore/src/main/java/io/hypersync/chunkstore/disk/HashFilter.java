package io.hypersync.chunkstore.disk;

import io.hypersync.model.hash.Hash;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;

/**
 * A set of hashes that forgets which they were: of one that was added it says "perhaps", of nearly
 * all others "no" (a blocked Bloom filter: of a part that is full about one in 200 passes). It
 * takes 1.5 to 3 bytes of the heap for a hash, and 64 bytes are looked at in each of its parts.
 *
 * <p>It grows by a part twice as large as the one before, so there are few. Hashes are evenly
 * distributed, so their own bits say where: the first word which line, the second one bit in each
 * word of the line.
 *
 * <p>Any thread may add and ask. Who finds out in any other way that a hash was added is not told
 * "no" afterwards.
 */
final class HashFilter {
  private static final VarHandle WORD = MethodHandles.arrayElementVarHandle(long[].class);
  private static final int WORDS_PER_LINE = 8;
  private static final int BITS_PER_POSITION = 6;
  private static final int HASHES_PER_LINE = 42; // 12 bits each
  private static final int SMALLEST = 1 << 16;
  private static final int LARGEST = 1 << 27;

  /** The newest part, to which hashes are added, is the last; replaced as a whole. */
  private volatile List<long[]> parts = List.of();

  /** How many more hashes the newest part takes; guarded by this. */
  private int room;

  /**
   * Nothing is in it.
   *
   * @param expected so many hashes will be added at once; it takes more, too
   */
  HashFilter(long expected) {
    grow(Math.clamp(expected, SMALLEST, LARGEST));
  }

  /** From now on this hash may be there. */
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

  /** False if it was never added. */
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

  /** Shifts take the lowest six bits of the distance. */
  private static long bit(Hash hash, int word) {
    return 1L << (hash.w1() >>> (word * BITS_PER_POSITION));
  }
}
