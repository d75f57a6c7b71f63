package io.hypersync.raptorq;

import java.util.Objects;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.VectorOperators;
import jdk.incubator.vector.VectorSpecies;

/**
 * Rows of octets by vectors. A product is linear in its factors, so that of an octet is the sum of
 * those of its two halves. Each half has 16 values, whose products fit into one vector, from which
 * a shuffle picks those of all octets at once.
 */
final class VectorOctetRows implements OctetRows {
  static final VectorOctetRows INSTANCE = new VectorOctetRows();

  private static final int LONGEST_BITS = 512;

  /**
   * The longest vectors, or the shortest that hold all products of a half. With those of 256 bits
   * an encoder takes half as long again as with the shortest: AVX2 has no instruction that shuffles
   * bytes across their middle.
   */
  private static final VectorSpecies<Byte> SPECIES =
      ByteVector.SPECIES_PREFERRED.vectorBitSize() == LONGEST_BITS
          ? ByteVector.SPECIES_512
          : ByteVector.SPECIES_128;

  private static final int LANES = SPECIES.length();
  private static final int HALF_BITS = 4;
  private static final int HALF_VALUES = 1 << HALF_BITS;
  private static final byte HALF_MASK = HALF_VALUES - 1;

  /**
   * For each factor the products of the 16 low halves, then those of the 16 high halves, each
   * repeated to the length of a vector, because a shuffle of a long vector picks from all of it.
   */
  private static final byte[] HALVES = new byte[Octets.COUNT * 2 * LANES];

  static {
    for (int factor = 0; factor < Octets.COUNT; factor++) {
      for (int lane = 0; lane < LANES; lane++) {
        int half = lane % HALF_VALUES;
        int at = factor * 2 * LANES + lane;
        HALVES[at] = (byte) Octets.multiply(factor, half);
        HALVES[at + LANES] = (byte) Octets.multiply(factor, half << HALF_BITS);
      }
    }
  }

  private VectorOctetRows() {}

  /** Whether this machine has vectors with room for the products of a half. */
  static boolean isUsable() {
    return ByteVector.SPECIES_PREFERRED.length() >= HALF_VALUES;
  }

  @Override
  public void multiplyAdd(
      byte[] to, int toOffset, byte[] from, int fromOffset, int length, int factor) {
    Objects.checkFromIndexSize(toOffset, length, to.length);
    Objects.checkFromIndexSize(fromOffset, length, from.length);
    if (factor <= 1 || length < LANES) {
      ScalarOctetRows.INSTANCE.multiplyAdd(to, toOffset, from, fromOffset, length, factor);
      return;
    }
    // A vector passed to a method that is not inlined is boxed, so all is here.
    ByteVector low = ByteVector.fromArray(SPECIES, HALVES, factor * 2 * LANES);
    ByteVector high = ByteVector.fromArray(SPECIES, HALVES, factor * 2 * LANES + LANES);
    int end = SPECIES.loopBound(length);
    for (int i = 0; i < end; i += LANES) {
      ByteVector octets = ByteVector.fromArray(SPECIES, from, fromOffset + i);
      ByteVector lowHalves = octets.and(HALF_MASK);
      // Bytes have no shift of their own: longs are shifted, and the mask drops what came across.
      ByteVector highHalves =
          octets
              .reinterpretAsLongs()
              .lanewise(VectorOperators.LSHR, HALF_BITS)
              .reinterpretAsBytes()
              .and(HALF_MASK);
      ByteVector.fromArray(SPECIES, to, toOffset + i)
          .lanewise(VectorOperators.XOR, lowHalves.selectFrom(low))
          .lanewise(VectorOperators.XOR, highHalves.selectFrom(high))
          .intoArray(to, toOffset + i);
    }
    ScalarOctetRows.addProducts(to, toOffset + end, from, fromOffset + end, length - end, factor);
  }
}
