package io.hypersync.model.hash;

import static jdk.incubator.vector.VectorOperators.ROR;
import static jdk.incubator.vector.VectorOperators.XOR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.LongVector;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * BLAKE3 with the state of one compression in four 128-bit vectors, one row of four words each:
 *
 * <pre>
 *   a:  v0  v1  v2  v3        A round mixes each column, then each diagonal. For the latter the
 *   b:  v4  v5  v6  v7        rows are rotated until the diagonals are columns, and then back:
 *   c:  v8  v9  v10 v11       a by one to the right, c by one to the left, d by two. b, which is
 *   d:  v12 v13 v14 v15       computed last, is not rotated.
 * </pre>
 *
 * <p>This class does not link without the vector module.
 */
final class Blake3Rows extends Blake3Chain {
  static final Blake3Rows INSTANCE = new Blake3Rows();

  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_128;
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_128;
  private static final VectorSpecies<Long> LONGS = LongVector.SPECIES_128;

  private static final VectorShuffle<Integer> LEFT = VectorShuffle.fromValues(INTS, 1, 2, 3, 0);
  private static final VectorShuffle<Integer> TWO = VectorShuffle.fromValues(INTS, 2, 3, 0, 1);
  private static final VectorShuffle<Integer> RIGHT = VectorShuffle.fromValues(INTS, 3, 0, 1, 2);

  /** Initial value of row c in every compression. */
  private static final IntVector INITIAL_C = ints(IV0, IV1, IV2, IV3);

  // Reordering of the words of a block. Lane numbers select from the first (0 to 3) or second (4 to
  // 7) of two vectors. A round adds m0 = (0 2 4 6) and m1 = (1 3 5 7) of its sixteen words to the
  // columns, and m2 = (14 8 10 12) and m3 = (15 9 11 13) to the diagonals, which are in the order
  // that starts with the diagonal of v3.
  private static final IntVector FIRST_0 = ints(0, 2, 4, 6);
  private static final IntVector FIRST_1 = ints(1, 3, 5, 7);
  private static final IntVector FIRST_2 = ints(6, 0, 2, 4);
  private static final IntVector FIRST_3 = ints(7, 1, 3, 5);

  // Selection of the next round's m0 to m3 from those of the present round. Where the words come
  // from three vectors it takes two steps; a lane of 0 in the first step is not used by the second.
  static final IntVector NEXT_0 = ints(1, 5, 7, 2);
  static final IntVector NEXT_1_OF_23 = ints(0, 2, 0, 7);
  static final IntVector NEXT_1 = ints(3, 5, 0, 7);
  static final IntVector NEXT_2_OF_23 = ints(4, 0, 3, 5);
  static final IntVector NEXT_2 = ints(4, 0, 6, 7);
  static final IntVector NEXT_3_OF_23 = ints(1, 6, 0, 0);
  static final IntVector NEXT_3 = ints(4, 5, 2, 7);

  private Blake3Rows() {}

  /** Whether the processor has 128-bit vectors. */
  static boolean isUsable() {
    return VectorShape.preferredShape().vectorBitSize() >= INTS.vectorBitSize();
  }

  /**
   * A single method, because a vector passed to a method that the compiler does not inline would be
   * boxed.
   */
  @Override
  Hash compress(
      Hash value,
      byte[] data,
      int position,
      int lastPosition,
      long last01,
      long last23,
      long last45,
      long last67,
      long last89,
      long lastAB,
      long lastCD,
      long lastEF,
      int counter,
      int lastLength,
      int firstFlags,
      int lastFlags) {
    IntVector a = ofLongs(Long.reverseBytes(value.w0()), Long.reverseBytes(value.w1()));
    IntVector b = ofLongs(Long.reverseBytes(value.w2()), Long.reverseBytes(value.w3()));
    int flags = firstFlags;
    for (int at = position; ; at += BLOCK_BYTES) {
      IntVector m0;
      IntVector m1;
      IntVector m2;
      IntVector m3;
      IntVector d;
      if (at < lastPosition) {
        m0 = ByteVector.fromArray(BYTES, data, at).reinterpretAsInts();
        m1 = ByteVector.fromArray(BYTES, data, at + 16).reinterpretAsInts();
        m2 = ByteVector.fromArray(BYTES, data, at + 32).reinterpretAsInts();
        m3 = ByteVector.fromArray(BYTES, data, at + 48).reinterpretAsInts();
        d = ofLongs(counter, (long) flags << Integer.SIZE | BLOCK_BYTES);
      } else {
        m0 = ofLongs(last01, last23);
        m1 = ofLongs(last45, last67);
        m2 = ofLongs(last89, lastAB);
        m3 = ofLongs(lastCD, lastEF);
        d = ofLongs(counter, (long) (flags | lastFlags) << Integer.SIZE | lastLength);
      }
      IntVector first0 = FIRST_0.selectFrom(m0, m1);
      m1 = FIRST_1.selectFrom(m0, m1);
      m0 = first0;
      IntVector first2 = FIRST_2.selectFrom(m2, m3);
      m3 = FIRST_3.selectFrom(m2, m3);
      m2 = first2;
      IntVector c = INITIAL_C;
      for (int round = 0; ; round++) {
        a = a.add(m0).add(b);
        d = d.lanewise(XOR, a).lanewise(ROR, 16);
        c = c.add(d);
        b = b.lanewise(XOR, c).lanewise(ROR, 12);
        a = a.add(m1).add(b);
        d = d.lanewise(XOR, a).lanewise(ROR, 8);
        c = c.add(d);
        b = b.lanewise(XOR, c).lanewise(ROR, 7);
        a = a.rearrange(RIGHT);
        c = c.rearrange(LEFT);
        d = d.rearrange(TWO);
        a = a.add(m2).add(b);
        d = d.lanewise(XOR, a).lanewise(ROR, 16);
        c = c.add(d);
        b = b.lanewise(XOR, c).lanewise(ROR, 12);
        a = a.add(m3).add(b);
        d = d.lanewise(XOR, a).lanewise(ROR, 8);
        c = c.add(d);
        b = b.lanewise(XOR, c).lanewise(ROR, 7);
        a = a.rearrange(LEFT);
        c = c.rearrange(RIGHT);
        d = d.rearrange(TWO);
        if (round == 6) {
          break;
        }
        IntVector next0 = NEXT_0.selectFrom(m0, m1);
        IntVector next1 = NEXT_1.selectFrom(m0, NEXT_1_OF_23.selectFrom(m2, m3));
        IntVector next2 = NEXT_2.selectFrom(m1, NEXT_2_OF_23.selectFrom(m2, m3));
        m3 = NEXT_3.selectFrom(m1, NEXT_3_OF_23.selectFrom(m2, m3));
        m0 = next0;
        m1 = next1;
        m2 = next2;
      }
      a = a.lanewise(XOR, c);
      b = b.lanewise(XOR, d);
      if (at >= lastPosition) {
        LongVector low = a.reinterpretAsLongs();
        LongVector high = b.reinterpretAsLongs();
        return new Hash(
            Long.reverseBytes(low.lane(0)),
            Long.reverseBytes(low.lane(1)),
            Long.reverseBytes(high.lane(0)),
            Long.reverseBytes(high.lane(1)));
      }
      flags = 0;
    }
  }

  /** Makes a vector of four words. Short enough that the compiler always inlines it. */
  private static IntVector ofLongs(long low, long high) {
    return LongVector.broadcast(LONGS, low).withLane(1, high).reinterpretAsInts();
  }

  private static IntVector ints(int... lanes) {
    return IntVector.fromArray(INTS, lanes, 0);
  }
}
