package io.hypersync.model.hash;

import static io.hypersync.model.hash.Blake3Chain.BLOCK_BYTES;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_BYTES;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_END;
import static io.hypersync.model.hash.Blake3Chain.CHUNK_START;
import static io.hypersync.model.hash.Blake3Chain.PARENT;
import static io.hypersync.model.hash.Blake3Chain.ROOT;
import static jdk.incubator.vector.VectorOperators.ROR;
import static jdk.incubator.vector.VectorOperators.XOR;

import jdk.incubator.vector.ByteVector;
import jdk.incubator.vector.IntVector;
import jdk.incubator.vector.VectorSpecies;

/**
 * BLAKE3 with one chunk, or one inner node of the tree, per vector lane, for long inputs. Work that
 * would leave most lanes empty is done by {@link Blake3Quarters} and {@link Blake3Rows}. Referenced
 * only after {@link Blake3} has found the vector module, because this class does not link without
 * it.
 *
 * <p>An instance is the scratch memory of one call. Up to {@value #BATCH} chunks are hashed into a
 * table of chaining values, whose width is then halved level by level:
 *
 * <pre>
 *              chunk 0   chunk 1   ...  chunk 63
 *   word 0   |  [0]    |  [1]    |    |  [63]   |
 *   word 1   |  [64]   |  [65]   |    |  [127]  |
 *   ...
 *   word 7   |  [448]  |  [449]  |    |  [511]  |
 * </pre>
 *
 * <p>Each method keeps its vectors in local variables and passes data to other methods through
 * arrays: a vector passed to a method that the compiler does not inline would be boxed.
 */
final class Blake3Vector {
  private static final int BATCH = 64;
  private static final int WORDS = 16;
  private static final int CV_WORDS = 8;
  private static final int ROUNDS = 7;
  private static final int MAX_CALLERS = 16;
  private static final Blake3Rows ROWS = Blake3Rows.INSTANCE;

  private static final VectorSpecies<Integer> INTS =
      IntVector.SPECIES_PREFERRED.length() > MAX_CALLERS
          ? IntVector.SPECIES_512
          : IntVector.SPECIES_PREFERRED;
  private static final VectorSpecies<Byte> BYTES = INTS.withLanes(byte.class);
  private static final int LANES = INTS.length();

  private static final boolean HAS_QUARTERS = Blake3Quarters.isUsable();

  /**
   * A vector of fewer chunks than this, or of fewer parents than {@link #MIN_PARENTS}, takes longer
   * than hashing them by fours or one by one.
   */
  private static final int MIN_CHUNKS = HAS_QUARTERS ? 13 : 2;

  private static final int MIN_PARENTS = 4;

  /** The least length, in bytes, from which the table of chaining values is faster. */
  private static final int MIN_BYTES = (HAS_QUARTERS ? MIN_CHUNKS : 3) * CHUNK_BYTES;

  private static final IntVector LANE_INDEX = IntVector.zero(INTS).addIndex(1);
  private static final IntVector EVEN_LANES = LANE_INDEX.mul(2);
  private static final IntVector ODD_LANES = EVEN_LANES.add(1);

  /** For each round, the offsets in {@link #message} of its sixteen words. */
  private static final int[] SCHEDULE = schedule();

  /**
   * For each power of two {@code s}, at {@code s * LANES}: the lanes that {@link #transpose}
   * selects for the first of two rows when it swaps groups of {@code s} words.
   */
  private static final int[] SWAP_FIRST = swaps(0);

  private static final int[] SWAP_SECOND = swaps(1);

  private final byte[] data;
  private final int[] message = new int[WORDS * LANES];
  private int[] table = new int[CV_WORDS * BATCH];
  private int[] nextTable = new int[CV_WORDS * BATCH];

  private Blake3Vector(byte[] data) {
    this.data = data;
  }

  /** Whether the processor has vectors of at least four ints, fewer of which would gain nothing. */
  static boolean isUsable() {
    return LANES >= 4;
  }

  /**
   * Hashes a range that the caller has checked to lie inside the array.
   *
   * @param length in bytes; offset plus length must be at least 8
   */
  static Hash hash(byte[] data, int offset, int length) {
    return length < MIN_BYTES
        ? fewChunks(data, offset, length, 0, ROOT)
        : new Blake3Vector(data).tree(offset, length, 0, ROOT);
  }

  private Hash tree(int position, int length, int chunk, int rootFlag) {
    if (length < MIN_BYTES) {
      return fewChunks(data, position, length, chunk, rootFlag);
    }
    if (length <= BATCH * CHUNK_BYTES) {
      return batch(position, length, chunk, rootFlag);
    }
    int leftChunks = Blake3Chain.leftChunks(length);
    int leftBytes = leftChunks * CHUNK_BYTES;
    return ROWS.parent(
        tree(position, leftBytes, chunk, 0),
        tree(position + leftBytes, length - leftBytes, chunk + leftChunks, 0),
        rootFlag);
  }

  private static Hash fewChunks(byte[] data, int position, int length, int chunk, int rootFlag) {
    return HAS_QUARTERS
        ? Blake3Quarters.tree(data, position, length, chunk, rootFlag)
        : ROWS.tree(data, position, length, chunk, rootFlag);
  }

  /** The chaining value of a subtree of 2 to {@link #BATCH} chunks. */
  private Hash batch(int position, int length, int chunk, int rootFlag) {
    int wholeChunks = length / CHUNK_BYTES;
    int done = 0;
    while (wholeChunks - done >= MIN_CHUNKS) {
      int count = Math.min(LANES, wholeChunks - done);
      chunks(position + done * CHUNK_BYTES, count, chunk + done, done);
      done += count;
    }
    while (HAS_QUARTERS && wholeChunks - done > 1) {
      int count = Math.min(Blake3Quarters.CHUNKS, wholeChunks - done);
      quarters(position + done * CHUNK_BYTES, count, chunk + done, done);
      done += count;
    }
    // At most one whole chunk and one partial chunk are left.
    for (int at = done * CHUNK_BYTES; at < length; at += CHUNK_BYTES) {
      int bytes = Math.min(CHUNK_BYTES, length - at);
      put(table, done, ROWS.chunk(data, position + at, bytes, chunk + done, 0));
      done++;
    }
    int nodes = done;
    while (nodes > 1) {
      parents(nodes, nodes == 2 ? PARENT | rootFlag : PARENT);
      nodes = (nodes + 1) / 2;
    }
    return get(0);
  }

  /**
   * Fills {@code count} columns of the table, from {@code column} on, with the chaining values of
   * whole chunks.
   */
  private void chunks(int position, int count, int chunk, int column) {
    start(table, column);
    for (int block = 0; block < CHUNK_BYTES; block += BLOCK_BYTES) {
      transpose(data, position + block, count - 1, message);
      int flags =
          switch (block) {
            case 0 -> CHUNK_START;
            case CHUNK_BYTES - BLOCK_BYTES -> CHUNK_END;
            default -> 0;
          };
      compress(message, table, column, chunk, 1, flags);
    }
  }

  /** Like {@link #chunks}, for at most four chunks, by {@link Blake3Quarters}. */
  private void quarters(int position, int count, int chunk, int column) {
    long[] values = new long[Blake3Quarters.VALUES];
    Blake3Quarters.chunks(data, position, count, chunk, values);
    for (int i = 0; i < count; i++) {
      put(table, column + i, Blake3Quarters.value(values, i));
    }
  }

  /**
   * Replaces one level of the tree by the level above, half as wide: each pair of nodes is replaced
   * by its parent, and an unpaired last node moves up unchanged.
   */
  private void parents(int nodes, int flags) {
    int pairs = nodes / 2;
    if (pairs < MIN_PARENTS) {
      for (int column = 0; column < pairs; column++) {
        Hash parent = ROWS.parent(get(2 * column), get(2 * column + 1), flags & ROOT);
        put(nextTable, column, parent);
      }
    } else {
      for (int column = 0; column < pairs; column += LANES) {
        pairUp(table, 2 * column, message);
        start(nextTable, column);
        compress(message, nextTable, column, 0, 0, flags);
      }
    }
    if (nodes % 2 != 0) {
      for (int row = 0; row < CV_WORDS * BATCH; row += BATCH) {
        nextTable[row + pairs] = table[row + nodes - 1];
      }
    }
    int[] halved = nextTable;
    nextTable = table;
    table = halved;
  }

  private static void put(int[] table, int column, Hash value) {
    putPair(table, column, value.w0());
    putPair(table, column + 2 * BATCH, value.w1());
    putPair(table, column + 4 * BATCH, value.w2());
    putPair(table, column + 6 * BATCH, value.w3());
  }

  private static void putPair(int[] table, int at, long packed) {
    table[at] = Blake3Chain.even(packed);
    table[at + BATCH] = Blake3Chain.odd(packed);
  }

  private Hash get(int column) {
    return new Hash(
        getPair(column),
        getPair(column + 2 * BATCH),
        getPair(column + 4 * BATCH),
        getPair(column + 6 * BATCH));
  }

  private long getPair(int at) {
    return Blake3Chain.pack(table[at], table[at + BATCH]);
  }

  /** Sets the chaining values of {@link #LANES} columns to the initial chaining value. */
  private static void start(int[] table, int column) {
    IntVector.broadcast(INTS, Blake3Chain.IV0).intoArray(table, column);
    IntVector.broadcast(INTS, Blake3Chain.IV1).intoArray(table, column + BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV2).intoArray(table, column + 2 * BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV3).intoArray(table, column + 3 * BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV4).intoArray(table, column + 4 * BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV5).intoArray(table, column + 5 * BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV6).intoArray(table, column + 6 * BATCH);
    IntVector.broadcast(INTS, Blake3Chain.IV7).intoArray(table, column + 7 * BATCH);
  }

  /**
   * Builds the message blocks of {@link #LANES} parents: each is the chaining values of two
   * adjacent columns, from {@code column} on, one after the other.
   */
  private static void pairUp(int[] table, int column, int[] message) {
    for (int word = 0; word < CV_WORDS; word++) {
      int at = word * BATCH + column;
      IntVector low = IntVector.fromArray(INTS, table, at);
      IntVector high = IntVector.fromArray(INTS, table, at + LANES);
      EVEN_LANES.selectFrom(low, high).intoArray(message, word * LANES);
      ODD_LANES.selectFrom(low, high).intoArray(message, (word + CV_WORDS) * LANES);
    }
  }

  /**
   * Loads one block of each chunk and transposes, so that vector w of the message holds word w of
   * all chunks.
   *
   * <p>Squares of LANES by LANES words are transposed by swapping: first single words between rows
   * 1 apart, then pairs between rows 2 apart, and so on.
   *
   * @param position offset of the block in the first chunk
   * @param lastLane the last lane in use; lanes past it repeat its data and their results are
   *     ignored
   */
  private static void transpose(byte[] data, int position, int lastLane, int[] message) {
    IntVector firstSwap = IntVector.fromArray(INTS, SWAP_FIRST, LANES);
    IntVector secondSwap = IntVector.fromArray(INTS, SWAP_SECOND, LANES);
    for (int square = 0; square < WORDS * LANES; square += LANES * LANES) {
      int from = position + square / LANES * Integer.BYTES;
      for (int lane = 0; lane < LANES; lane += 2) {
        int evenFrom = from + Math.min(lane, lastLane) * CHUNK_BYTES;
        int hostileFrom = from + Math.min(lane + 1, lastLane) * CHUNK_BYTES;
        IntVector even = ByteVector.fromArray(BYTES, data, evenFrom).reinterpretAsInts();
        IntVector odd = ByteVector.fromArray(BYTES, data, hostileFrom).reinterpretAsInts();
        int to = square + lane * LANES;
        firstSwap.selectFrom(even, odd).intoArray(message, to);
        secondSwap.selectFrom(even, odd).intoArray(message, to + LANES);
      }
      for (int distance = 2; distance < LANES; distance *= 2) {
        swapRows(message, square, distance);
      }
    }
  }

  private static void swapRows(int[] message, int square, int distance) {
    IntVector firstSwap = IntVector.fromArray(INTS, SWAP_FIRST, distance * LANES);
    IntVector secondSwap = IntVector.fromArray(INTS, SWAP_SECOND, distance * LANES);
    for (int row = 0; row < LANES; row++) {
      if ((row & distance) == 0) {
        int firstAt = square + row * LANES;
        int secondAt = firstAt + distance * LANES;
        IntVector first = IntVector.fromArray(INTS, message, firstAt);
        IntVector second = IntVector.fromArray(INTS, message, secondAt);
        firstSwap.selectFrom(first, second).intoArray(message, firstAt);
        secondSwap.selectFrom(first, second).intoArray(message, secondAt);
      }
    }
  }

  /**
   * Does one compression in every lane and updates the chaining values in the columns of the table
   * from {@code column} on.
   *
   * @param counter the chunk counter of the first lane
   * @param counterStep the increment from lane to lane: 1 for chunks, 0 for parents
   */
  private static void compress(
      int[] message, int[] table, int column, int counter, int counterStep, int flags) {
    IntVector v0 = IntVector.fromArray(INTS, table, column);
    IntVector v1 = IntVector.fromArray(INTS, table, column + BATCH);
    IntVector v2 = IntVector.fromArray(INTS, table, column + 2 * BATCH);
    IntVector v3 = IntVector.fromArray(INTS, table, column + 3 * BATCH);
    IntVector v4 = IntVector.fromArray(INTS, table, column + 4 * BATCH);
    IntVector v5 = IntVector.fromArray(INTS, table, column + 5 * BATCH);
    IntVector v6 = IntVector.fromArray(INTS, table, column + 6 * BATCH);
    IntVector v7 = IntVector.fromArray(INTS, table, column + 7 * BATCH);
    IntVector v8 = IntVector.broadcast(INTS, Blake3Chain.IV0);
    IntVector v9 = IntVector.broadcast(INTS, Blake3Chain.IV1);
    IntVector v10 = IntVector.broadcast(INTS, Blake3Chain.IV2);
    IntVector v11 = IntVector.broadcast(INTS, Blake3Chain.IV3);
    IntVector v12 = LANE_INDEX.mul(counterStep).add(counter);
    IntVector v13 = IntVector.zero(INTS);
    IntVector v14 = IntVector.broadcast(INTS, BLOCK_BYTES);
    IntVector v15 = IntVector.broadcast(INTS, flags);
    // Message words are loaded inline: a helper method would exhaust C2's inlining budget.
    for (int r = 0; r < ROUNDS * WORDS; r += WORDS) {
      v0 = v0.add(v4).add(IntVector.fromArray(INTS, message, SCHEDULE[r]));
      v12 = v12.lanewise(XOR, v0).lanewise(ROR, 16);
      v8 = v8.add(v12);
      v4 = v4.lanewise(XOR, v8).lanewise(ROR, 12);
      v0 = v0.add(v4).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 1]));
      v12 = v12.lanewise(XOR, v0).lanewise(ROR, 8);
      v8 = v8.add(v12);
      v4 = v4.lanewise(XOR, v8).lanewise(ROR, 7);
      v1 = v1.add(v5).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 2]));
      v13 = v13.lanewise(XOR, v1).lanewise(ROR, 16);
      v9 = v9.add(v13);
      v5 = v5.lanewise(XOR, v9).lanewise(ROR, 12);
      v1 = v1.add(v5).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 3]));
      v13 = v13.lanewise(XOR, v1).lanewise(ROR, 8);
      v9 = v9.add(v13);
      v5 = v5.lanewise(XOR, v9).lanewise(ROR, 7);
      v2 = v2.add(v6).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 4]));
      v14 = v14.lanewise(XOR, v2).lanewise(ROR, 16);
      v10 = v10.add(v14);
      v6 = v6.lanewise(XOR, v10).lanewise(ROR, 12);
      v2 = v2.add(v6).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 5]));
      v14 = v14.lanewise(XOR, v2).lanewise(ROR, 8);
      v10 = v10.add(v14);
      v6 = v6.lanewise(XOR, v10).lanewise(ROR, 7);
      v3 = v3.add(v7).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 6]));
      v15 = v15.lanewise(XOR, v3).lanewise(ROR, 16);
      v11 = v11.add(v15);
      v7 = v7.lanewise(XOR, v11).lanewise(ROR, 12);
      v3 = v3.add(v7).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 7]));
      v15 = v15.lanewise(XOR, v3).lanewise(ROR, 8);
      v11 = v11.add(v15);
      v7 = v7.lanewise(XOR, v11).lanewise(ROR, 7);
      v0 = v0.add(v5).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 8]));
      v15 = v15.lanewise(XOR, v0).lanewise(ROR, 16);
      v10 = v10.add(v15);
      v5 = v5.lanewise(XOR, v10).lanewise(ROR, 12);
      v0 = v0.add(v5).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 9]));
      v15 = v15.lanewise(XOR, v0).lanewise(ROR, 8);
      v10 = v10.add(v15);
      v5 = v5.lanewise(XOR, v10).lanewise(ROR, 7);
      v1 = v1.add(v6).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 10]));
      v12 = v12.lanewise(XOR, v1).lanewise(ROR, 16);
      v11 = v11.add(v12);
      v6 = v6.lanewise(XOR, v11).lanewise(ROR, 12);
      v1 = v1.add(v6).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 11]));
      v12 = v12.lanewise(XOR, v1).lanewise(ROR, 8);
      v11 = v11.add(v12);
      v6 = v6.lanewise(XOR, v11).lanewise(ROR, 7);
      v2 = v2.add(v7).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 12]));
      v13 = v13.lanewise(XOR, v2).lanewise(ROR, 16);
      v8 = v8.add(v13);
      v7 = v7.lanewise(XOR, v8).lanewise(ROR, 12);
      v2 = v2.add(v7).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 13]));
      v13 = v13.lanewise(XOR, v2).lanewise(ROR, 8);
      v8 = v8.add(v13);
      v7 = v7.lanewise(XOR, v8).lanewise(ROR, 7);
      v3 = v3.add(v4).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 14]));
      v14 = v14.lanewise(XOR, v3).lanewise(ROR, 16);
      v9 = v9.add(v14);
      v4 = v4.lanewise(XOR, v9).lanewise(ROR, 12);
      v3 = v3.add(v4).add(IntVector.fromArray(INTS, message, SCHEDULE[r + 15]));
      v14 = v14.lanewise(XOR, v3).lanewise(ROR, 8);
      v9 = v9.add(v14);
      v4 = v4.lanewise(XOR, v9).lanewise(ROR, 7);
    }
    v0.lanewise(XOR, v8).intoArray(table, column);
    v1.lanewise(XOR, v9).intoArray(table, column + BATCH);
    v2.lanewise(XOR, v10).intoArray(table, column + 2 * BATCH);
    v3.lanewise(XOR, v11).intoArray(table, column + 3 * BATCH);
    v4.lanewise(XOR, v12).intoArray(table, column + 4 * BATCH);
    v5.lanewise(XOR, v13).intoArray(table, column + 5 * BATCH);
    v6.lanewise(XOR, v14).intoArray(table, column + 6 * BATCH);
    v7.lanewise(XOR, v15).intoArray(table, column + 7 * BATCH);
  }

  private static int[] schedule() {
    int[] permutation = {2, 6, 3, 10, 7, 0, 4, 13, 1, 11, 12, 5, 9, 14, 15, 8};
    int[] schedule = new int[ROUNDS * WORDS];
    for (int i = 0; i < schedule.length; i++) {
      schedule[i] =
          i < WORDS ? i * LANES : schedule[i - i % WORDS - WORDS + permutation[i % WORDS]];
    }
    return schedule;
  }

  /**
   * Lane numbers for one of the two rows of each swap: {@code side} 0 for the first row, 1 for the
   * second. Numbers from {@link #LANES} on select from the second row.
   */
  private static int[] swaps(int side) {
    int[] swaps = new int[LANES * LANES];
    for (int distance = 1; distance < LANES; distance *= 2) {
      for (int lane = 0; lane < LANES; lane++) {
        boolean fromFirst = (lane & distance) == 0;
        int shifted = fromFirst ? lane + side * distance : lane - (1 - side) * distance;
        swaps[distance * LANES + lane] = fromFirst ? shifted : LANES + shifted;
      }
    }
    return swaps;
  }
}
