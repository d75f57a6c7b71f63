package io.hypersync.raptorq;

/** Arithmetic of single octets, the elements of GF(256) (RFC 6330 section 5.7). */
final class Octets {
  /** How many elements the field has. */
  static final int COUNT = 256;

  /** x^8 + x^4 + x^3 + x^2 + 1, reduced by which products are octets again. */
  private static final int POLYNOMIAL = 0x11D;

  private static final int GROUP = COUNT - 1;

  /** Powers of alpha = 2, twice, so that a sum of two logarithms needs no reduction. */
  private static final int[] EXP = new int[2 * GROUP];

  private static final int[] LOG = new int[COUNT];

  static {
    int power = 1;
    for (int i = 0; i < GROUP; i++) {
      EXP[i] = power;
      EXP[i + GROUP] = power;
      LOG[power] = i;
      power <<= 1;
      if (power >= COUNT) {
        power ^= POLYNOMIAL;
      }
    }
  }

  private Octets() {}

  /** The product; both factors are 0 to 255, and so is the result. */
  static int multiply(int left, int right) {
    return left == 0 || right == 0 ? 0 : EXP[LOG[left] + LOG[right]];
  }

  /**
   * The number whose product with this one is 1.
   *
   * @throws ArithmeticException for 0, which has none
   */
  static int inverse(int octet) {
    if (octet == 0) {
      throw new ArithmeticException("0 has no inverse");
    }
    return EXP[GROUP - LOG[octet]];
  }

  /** alpha to this power, 0 to 254. */
  static int power(int exponent) {
    return EXP[exponent];
  }
}
