package io.hypersync.raptorq;

import java.util.Arrays;

/**
 * Which intermediate symbols are added up to the encoding symbol of an internal symbol id (RFC 6330
 * sections 5.3.5.1 to 5.3.5.4).
 */
final class Tuples {
  /** Section 5.3.5.2: f[d - 1] <= v < f[d] gives the degree d. */
  private static final int[] DEGREES = {
    0, 5243, 529531, 704294, 791675, 844104, 879057, 904023, 922747, 937311, 948962, 958494, 966438,
    973160, 978921, 983914, 988283, 992138, 995565, 998631, 1001391, 1003887, 1006157, 1008229,
    1010129, 1011876, 1013490, 1014983, 1016370, 1017662, 1048576
  };

  private static final int DEGREE_RANGE = 1 << 20;
  private static final int BYTE = 0xFF;
  private static final int[] V0 = Rfc6330Tables.INSTANCE.random(0);
  private static final int[] V1 = Rfc6330Tables.INSTANCE.random(1);
  private static final int[] V2 = Rfc6330Tables.INSTANCE.random(2);
  private static final int[] V3 = Rfc6330Tables.INSTANCE.random(3);

  /** Below this LT degree the PI degree is random, 2 or 3; from it on it is 2. */
  private static final int SMALL_DEGREE = 4;

  private final int ltSymbols;
  private final int inactive;
  private final int inactivePrime;
  private final int stride;
  private final int start;

  Tuples(SystematicIndex index) {
    ltSymbols = index.ltSymbols();
    inactive = index.permanentlyInactive();
    inactivePrime = index.inactivePrime();
    stride = (53591 + index.index() * 997) | 1;
    start = 10267 * (index.index() + 1);
  }

  /** Rand[y, i, m] of section 5.3.5.1; y has 32 bits without a sign. */
  static int random(int y, int i, int m) {
    int mixed =
        V0[(y + i) & BYTE]
            ^ V1[((y >>> 8) + i) & BYTE]
            ^ V2[((y >>> 16) + i) & BYTE]
            ^ V3[((y >>> 24) + i) & BYTE];
    return Integer.remainderUnsigned(mixed, m);
  }

  /**
   * The intermediate symbols of an encoding symbol, each once, in no particular order: the indices
   * that Enc[] of section 5.3.5.3 visits for the tuple of section 5.3.5.4.
   *
   * @param internalId ISI: below K' the source symbols with their padding, then repair symbols
   */
  int[] neighbours(int internalId) {
    int y = start + internalId * stride;
    int degree = degree(random(y, 0, DEGREE_RANGE));
    int step = 1 + random(y, 1, ltSymbols - 1);
    int at = random(y, 2, ltSymbols);
    int inactiveDegree = degree < SMALL_DEGREE ? 2 + random(internalId, 3, 2) : 2;
    int inactiveStep = 1 + random(internalId, 4, inactivePrime - 1);
    int inactiveAt = random(internalId, 5, inactivePrime);
    int[] found = new int[degree + inactiveDegree];
    for (int i = 0; i < degree; i++) {
      found[i] = at;
      at = (at + step) % ltSymbols;
    }
    for (int i = degree; i < found.length; i++) {
      while (inactiveAt >= inactive) {
        inactiveAt = (inactiveAt + inactiveStep) % inactivePrime;
      }
      found[i] = ltSymbols + inactiveAt;
      inactiveAt = (inactiveAt + inactiveStep) % inactivePrime;
    }
    return found;
  }

  /** Deg[v] of section 5.3.5.2. */
  private int degree(int v) {
    int place = Arrays.binarySearch(DEGREES, v);
    int degree = place >= 0 ? place + 1 : -place - 1;
    return Math.min(degree, ltSymbols - 2);
  }
}
