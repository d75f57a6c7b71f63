package io.hypersync.model.hash;

import static io.hypersync.model.hash.Blake3Chain.BLOCK_BYTES;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_BYTES;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_END;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_START;
import static jdk.incubator.vector.VectorOperators.REVERSE_BYTES;
import static jdk.incubator.vector.VectorOperators.ROR;
import static jdk.incubator.vector.VectorOperators.XOR;

import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorMask;
import jdk.incubator.vector.VectorShape;
import jdk.incubator.vector.VectorShuffle;
import jdk.incubator.vector.VectorSpecies;

/**
 * Hashes two to four BLAKE3 chunks at once: four {@link Blake3Rows} computations in the four
 * quarters of 512-bit vectors, in about the time of one. For an input of few chunks this uses the
 * processor better than one chunk per lane ({@link Blake3Vector}), which would leave most lanes
 * empty.
 *
 * <p>This class does not link without the vector module.
 */
final class Blake3Quarters {
  /** The number of chunks that are hashed at once. */
  static final int CHUNKS = 4;

  /** Length, in longs, of the array that holds {@link #CHUNKS} chaining values. */
  static final int VALUES = CHUNKS * Hash.BYTES / Long.BYTES;

  private static final VectorSpecies<Byte> BYTES = ByteVector.SPECIES_512;
  private static final VectorSpecies<Integer> INTS = IntVector.SPECIES_512;
  private static final int LANES = INTS.length();
  private static final int QUARTER = LANES / CHUNKS;

  private static final VectorMask<Integer> UPPER_HALF = VectorMask.fromLong(INTS, 0xFF00);

  private static final VectorShuffle<Integer> LEFT = rotation(1);
  private static final VectorShuffle<Integer> TWO = rotation(2);
  private static final VectorShuffle<Integer> RIGHT = rotation(3);

  private static final IntVector INITIAL_A =
      quarters(Blake3Chain.IV0, Blake3Chain.IV1, Blake3Chain.IV2, Blake3Chain.IV3);
  private static final IntVector INITIAL_B =
      quarters(Blake3Chain.IV4, Blake3Chain.IV5, Blake3Chain.IV6, Blake3Chain.IV7);
  private static final IntVector COUNTERS =
      IntVector.fromArray(INTS, new int[] {0, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0}, 0);
  private static final IntVector COUNTER_LANE = quarters(1, 0, 0, 0);
  private static final IntVector LENGTH = quarters(0, 0, BLOCK_BYTES, 0);
  private static final IntVector FLAGS_LANE = quarters(0, 0, 0, 1);

  // Select the words m0 to m3 of the first round, in the order that Blake3Rows defines.
  private static final IntVector FIRST_0 = ofTwoBlocks(0, 2, 4, 6);
  private static final IntVector FIRST_1 = ofTwoBlocks(1, 3, 5, 7);
  private static final IntVector FIRST_2 = ofTwoBlocks(14, 8, 10, 12);
  private static final IntVector FIRST_3 = ofTwoBlocks(15, 9, 11, 13);

  private static final IntVector NEXT_0 = inQuarters(Blake3Rows.NEXT_0);
  private static final IntVector NEXT_1_OF_23 = inQuarters(Blake3Rows.NEXT_1_OF_23);
  private static final IntVector NEXT_1 = inQuarters(Blake3Rows.NEXT_1);
  private static final IntVector NEXT_2_OF_23 = inQuarters(Blake3Rows.NEXT_2_OF_23);
  private static final IntVector NEXT_2 = inQuarters(Blake3Rows.NEXT_2);
  private static final IntVector NEXT_3_OF_23 = inQuarters(Blake3Rows.NEXT_3_OF_23);
  private static final IntVector NEXT_3 = inQuarters(Blake3Rows.NEXT_3);

  private Blake3Quarters() {}

  /** Whether the processor has 512-bit vectors. */
  static boolean isUsable() {
    return VectorShape.preferredShape().vectorBitSize() >= INTS.vectorBitSize();
  }

  /**
   * The chaining value of a subtree.
   *
   * @param chunk index of its first chunk in the whole input
   * @param rootFlag {@link Blake3Chain#ROOT} if this is the whole input, else 0
   */
  static Hash tree(byte[] data, int position, int length, int chunk, int rootFlag) {
    if (length < 2 * CHUNK_BYTES) {
      return Blake3Rows.INSTANCE.tree(data, position, length, chunk, rootFlag);
    }
    if (length <= CHUNKS * CHUNK_BYTES) {
      return fewChunks(data, position, length, chunk, rootFlag);
    }
    int leftChunks = Blake3Chain.leftChunks(length);
    int leftBytes = leftChunks * CHUNK_BYTES;
    return Blake3Rows.INSTANCE.parent(
        tree(data, position, leftBytes, chunk, 0),
        tree(data, position + leftBytes, length - leftBytes, chunk + leftChunks, 0),
        rootFlag);
  }

  /**
   * The chaining value of a subtree of two to {@link #CHUNKS} chunks, the last of which may be
   * partial.
   */
  private static Hash fewChunks(byte[] data, int position, int length, int chunk, int rootFlag) {
    int whole = length / CHUNK_BYTES;
    long[] values = new long[VALUES];
    chunks(data, position, whole, chunk, values);
    Blake3Rows rows = Blake3Rows.INSTANCE;
    Hash left = value(values, 0);
    Hash right = value(values, 1);
    if (length <= 2 * CHUNK_BYTES) {
      return rows.parent(left, right, rootFlag);
    }
    left = rows.parent(left, right, 0);
    int wholeBytes = whole * CHUNK_BYTES;
    Hash last =
        wholeBytes == length
            ? value(values, whole - 1)
            : rows.chunk(data, position + wholeBytes, length - wholeBytes, chunk + whole, 0);
    right = length <= 3 * CHUNK_BYTES ? last : rows.parent(value(values, 2), last, 0);
    return rows.parent(left, right, rootFlag);
  }

  /**
   * Computes the chaining values of whole chunks.
   *
   * @param count the number of chunks, 1 to {@link #CHUNKS}
   * @param chunk index of the first one in the whole input
   * @param values receives words 0 to 3 of each chunk's chaining value, then words 4 to 7 of each,
   *     packed as in a {@link Hash}; the entries past {@code count} repeat the data of the last
   *     chunk and must be ignored
   */
  static void chunks(byte[] data, int position, int count, int chunk, long[] values) {
    int second = Math.min(count - 1, 1) * CHUNK_BYTES;
    int third = Math.min(count - 1, 2) * CHUNK_BYTES;
    int fourth = (count - 1) * CHUNK_BYTES;
    IntVector a = INITIAL_A;
    IntVector b = INITIAL_B;
    IntVector dWithoutFlags = COUNTERS.add(COUNTER_LANE.mul(chunk)).add(LENGTH);
    for (int block = 0; block < CHUNK_BYTES; block += BLOCK_BYTES) {
      int at = position + block;
      IntVector block0 = ByteVector.fromArray(BYTES, data, at).reinterpretAsInts();
      IntVector block1 = ByteVector.fromArray(BYTES, data, at + second).reinterpretAsInts();
      IntVector block2 = ByteVector.fromArray(BYTES, data, at + third).reinterpretAsInts();
      IntVector block3 = ByteVector.fromArray(BYTES, data, at + fourth).reinterpretAsInts();
      IntVector m0 =
          FIRST_0.selectFrom(block0, block1).blend(FIRST_0.selectFrom(block2, block3), UPPER_HALF);
      IntVector m1 =
          FIRST_1.selectFrom(block0, block1).blend(FIRST_1.selectFrom(block2, block3), UPPER_HALF);
      IntVector m2 =
          FIRST_2.selectFrom(block0, block1).blend(FIRST_2.selectFrom(block2, block3), UPPER_HALF);
      IntVector m3 =
          FIRST_3.selectFrom(block0, block1).blend(FIRST_3.selectFrom(block2, block3), UPPER_HALF);
      int flags =
          switch (block) {
            case 0 -> CHUNK_START;
            case CHUNK_BYTES - BLOCK_BYTES -> CHUNK_END;
            default -> 0;
          };
      IntVector c = INITIAL_A;
      IntVector d = dWithoutFlags.add(FLAGS_LANE.mul(flags));
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
    }
    a.reinterpretAsLongs().lanewise(REVERSE_BYTES).intoArray(values, 0);
    b.reinterpretAsLongs().lanewise(REVERSE_BYTES).intoArray(values, 2 * CHUNKS);
  }

  /**
   * The chaining value of the chunk with this number, 0 to 3, from an array that {@link #chunks}
   * has filled.
   */
  static Hash value(long[] values, int chunk) {
    int low = 2 * chunk;
    int high = low + 2 * CHUNKS;
    return new Hash(values[low], values[low + 1], values[high], values[high + 1]);
  }

  private static IntVector quarters(int... lanes) {
    return vector(lane -> lanes[lane % QUARTER]);
  }

  private static VectorShuffle<Integer> rotation(int distance) {
    return VectorShuffle.fromOp(
        INTS, lane -> lane / QUARTER * QUARTER + (lane + distance) % QUARTER);
  }

  /**
   * Lane numbers for {@code selectFrom} that take words of the first block into the even quarters
   * and of the second block into the odd ones.
   */
  private static IntVector ofTwoBlocks(int... words) {
    return vector(lane -> lane / QUARTER % 2 * LANES + words[lane % QUARTER]);
  }

  /**
   * Lane numbers for {@code selectFrom} that do within each quarter what {@code narrow} does in
   * 128-bit vectors.
   */
  private static IntVector inQuarters(IntVector narrow) {
    return vector(
        lane -> {
          int from = narrow.lane(lane % QUARTER);
          return lane / QUARTER * QUARTER + from / QUARTER * LANES + from % QUARTER;
        });
  }

  private static IntVector vector(IntUnaryOperator lanes) {
    return IntVector.fromArray(INTS, IntStream.range(0, LANES).map(lanes).toArray(), 0);
  }
}
