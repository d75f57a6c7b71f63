package io.hypersync.model.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * The sequential part of BLAKE3: hashes one block after another with the compression function of
 * the subclass, scalar or vector.
 *
 * <p>The input is split into chunks of 1 KiB, and a chunk into blocks of 64 bytes. The blocks of a
 * chunk are chained; the chunks are the leaves of a binary tree whose left subtrees are complete. A
 * chaining value, whether of an inner node or the final result, is represented as a {@link Hash}.
 */
abstract sealed class Blake3Chain permits Blake3Scalar, Blake3Rows {
  static final int CHUNK_BYTES = 1024;
  static final int BLOCK_BYTES = 64;

  static final int CHUNK_START = 1;
  static final int CHUNK_END = 2;
  static final int PARENT = 4;
  static final int ROOT = 8;

  /** Set in every compression of the keyed mode. */
  static final int KEYED_HASH = 16;

  static final int IV0 = 0x6A09E667;
  static final int IV1 = 0xBB67AE85;
  static final int IV2 = 0x3C6EF372;
  static final int IV3 = 0xA54FF53A;
  static final int IV4 = 0x510E527F;
  static final int IV5 = 0x9B05688C;
  static final int IV6 = 0x1F83D9AB;
  static final int IV7 = 0x5BE0CD19;

  static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The initial chaining value of every chunk and of every inner node. */
  private static final Hash INITIAL =
      new Hash(pack(IV0, IV1), pack(IV2, IV3), pack(IV4, IV5), pack(IV6, IV7));

  /**
   * Placeholder for {@code data} in a compression that reads nothing from it. It is still one block
   * long: C2 hoists the bounds check out of the loop over the blocks, and an array that is too
   * short makes it deoptimise and compile again, during which hashing with {@link Blake3Rows} is a
   * hundred times slower for about a second.
   */
  private static final byte[] NO_DATA = new byte[BLOCK_BYTES];

  /** Hashes a range that the caller has checked to lie inside the array. */
  final Hash hash(byte[] data, int offset, int length) {
    if (offset + length < Long.BYTES) {
      // tail() reads eight bytes at a time, up to the end of the data, so eight must exist before
      // it.
      byte[] shifted = new byte[Long.BYTES + length];
      System.arraycopy(data, offset, shifted, Long.BYTES, length);
      return tree(shifted, Long.BYTES, length, 0, ROOT);
    }
    return tree(data, offset, length, 0, ROOT);
  }

  /**
   * See {@link Blake3#keyedPair}. In the keyed mode the initial chaining value is the key: eight
   * little-endian words, as in any chaining value, so a {@link Hash} holds the key's bytes in
   * order.
   */
  final Hash keyedPair(Hash key, Hash left, Hash right) {
    return pair(key, left, right, KEYED_HASH | CHUNK_START | CHUNK_END | ROOT);
  }

  /** See {@link Blake3#pairAndTail}. */
  final Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
    return compress(
        pair(INITIAL, left, right, CHUNK_START),
        NO_DATA,
        0,
        0,
        tail,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        0,
        tailBytes,
        0,
        CHUNK_END | ROOT);
  }

  /**
   * The chaining value of a subtree.
   *
   * @param position offset of its first byte; {@code position + length} must be at least 8
   * @param chunk index of its first chunk in the whole input
   * @param rootFlag {@link #ROOT} if this is the whole input, else 0
   */
  final Hash tree(byte[] data, int position, int length, int chunk, int rootFlag) {
    if (length <= CHUNK_BYTES) {
      return chunk(data, position, length, chunk, rootFlag);
    }
    int leftChunks = leftChunks(length);
    int leftBytes = leftChunks * CHUNK_BYTES;
    return parent(
        tree(data, position, leftBytes, chunk, 0),
        tree(data, position + leftBytes, length - leftBytes, chunk + leftChunks, 0),
        rootFlag);
  }

  /**
   * The number of chunks in the left subtree: the largest power of two that leaves at least one
   * byte for the right one.
   */
  static int leftChunks(int length) {
    return Integer.highestOneBit((length - 1) / CHUNK_BYTES);
  }

  /**
   * The chaining value of one chunk of at most {@link #CHUNK_BYTES}.
   *
   * @param position offset of its first byte; {@code position + length} must be at least 8
   */
  final Hash chunk(byte[] data, int position, int length, int chunk, int rootFlag) {
    int end = position + length;
    int last = position + (Math.max(length, 1) - 1) / BLOCK_BYTES * BLOCK_BYTES;
    boolean whole = end - last == BLOCK_BYTES;
    return compress(
        INITIAL,
        position < last ? data : NO_DATA,
        position,
        last,
        whole ? (long) LONG.get(data, last) : tail(data, last, end),
        whole ? (long) LONG.get(data, last + 8) : tail(data, last + 8, end),
        whole ? (long) LONG.get(data, last + 16) : tail(data, last + 16, end),
        whole ? (long) LONG.get(data, last + 24) : tail(data, last + 24, end),
        whole ? (long) LONG.get(data, last + 32) : tail(data, last + 32, end),
        whole ? (long) LONG.get(data, last + 40) : tail(data, last + 40, end),
        whole ? (long) LONG.get(data, last + 48) : tail(data, last + 48, end),
        whole ? (long) LONG.get(data, last + 56) : tail(data, last + 56, end),
        chunk,
        end - last,
        CHUNK_START,
        CHUNK_END | rootFlag);
  }

  /** The chaining value of the inner node over two subtrees. */
  final Hash parent(Hash left, Hash right, int rootFlag) {
    return pair(INITIAL, left, right, PARENT | rootFlag);
  }

  private Hash pair(Hash value, Hash left, Hash right, int flags) {
    return compress(
        value,
        NO_DATA,
        0,
        0,
        Long.reverseBytes(left.w0()),
        Long.reverseBytes(left.w1()),
        Long.reverseBytes(left.w2()),
        Long.reverseBytes(left.w3()),
        Long.reverseBytes(right.w0()),
        Long.reverseBytes(right.w1()),
        Long.reverseBytes(right.w2()),
        Long.reverseBytes(right.w3()),
        0,
        BLOCK_BYTES,
        flags,
        0);
  }

  /**
   * Compresses the blocks of one chunk in sequence, or the single block of a parent. All blocks but
   * the last are read from {@code data}; the last one, which may be partial or come from hashes, is
   * passed by value and so needs no array.
   *
   * @param value the initial chaining value
   * @param position offset of the first block, unless that is the last one
   * @param lastPosition offset at which the last block would start: {@code position} plus a
   *     multiple of {@link #BLOCK_BYTES}
   * @param last01 words 0 (the lower half) and 1 of the last block; the next seven likewise
   * @param counter index of the chunk; 0 for a parent
   * @param lastLength the number of message bytes in the last block
   * @param firstFlags flags of the first block, which may also be the last
   * @param lastFlags additional flags of the last block
   */
  abstract Hash compress(
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
      int lastFlags);

  /**
   * The two message words at {@code at} of data that ends at {@code end}, with zeros past the end.
   * Branch-free: if they reach past the end, it reads the last eight bytes of the data instead and
   * shifts out those before {@code at}.
   */
  private static long tail(byte[] data, int at, int end) {
    int wordsAt = Math.min(at, end - Long.BYTES);
    int excessBits = Math.min(at - wordsAt, Long.BYTES) * Byte.SIZE;
    // In two steps, because Java takes a shift count of 64 as 0.
    return (long) LONG.get(data, wordsAt) >>> (excessBits / 2) >>> (excessBits / 2);
  }

  /** Packs two words of a chaining value into one word of a {@link Hash}. */
  static long pack(int even, int odd) {
    return (long) Integer.reverseBytes(even) << Integer.SIZE
        | Integer.toUnsignedLong(Integer.reverseBytes(odd));
  }

  /** The first of the two words packed by {@link #pack}. */
  static int even(long packed) {
    return Integer.reverseBytes((int) (packed >>> Integer.SIZE));
  }

  /** The second of the two words packed by {@link #pack}. */
  static int odd(long packed) {
    return Integer.reverseBytes((int) packed);
  }
}
