package io.hypersync.wire.multicast;

/**
 * Which of the newest packet numbers were seen: a ring of bits in which a word is cleared when the
 * window moves onto it (RFC 6479). What is older than the window counts as seen. Not thread-safe.
 */
public final class ReplayWindow {
  /** So many packets may come later than a newer one, and be taken. */
  public static final int SIZE = 4_096;

  /** One word more than the window needs: the newest one is not full. */
  private static final int WORDS = 2 * SIZE / Long.SIZE;

  private final long[] seen = new long[WORDS];
  private long newest;

  /** Whether a number was not seen yet, and is not too old to tell. Numbers begin with 1. */
  public boolean isNew(long number) {
    if (number <= 0 || number + SIZE <= newest) {
      return false;
    }
    return number > newest || (seen[word(number)] & bit(number)) == 0;
  }

  /** Takes a number that {@link #isNew}, once its packet is known to be the sender's. */
  public void add(long number) {
    if (number > newest) {
      long moved = Math.min((number >>> 6) - (newest >>> 6), WORDS);
      for (long i = 1; i <= moved; i++) {
        seen[(int) ((newest >>> 6) + i & WORDS - 1)] = 0;
      }
      newest = number;
    }
    seen[word(number)] |= bit(number);
  }

  /** The highest number; 0 before the first one. */
  public long newest() {
    return newest;
  }

  private static int word(long number) {
    return (int) (number >>> 6 & WORDS - 1);
  }

  private static long bit(long number) {
    return 1L << number;
  }
}
