package io.hypersync.model.hash;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/**
 * BLAKE3 on one core's integer registers.
 *
 * <p>The input is cut into chunks of 1 KiB, a chunk into blocks of 64 bytes. The blocks of a chunk
 * are chained; the chunks are the leaves of a binary tree whose left subtrees are complete. A
 * chaining value, that of an inner node as much as the final result, is held as a {@link Hash}.
 */
final class Blake3Scalar {
  static final int CHUNK_BYTES = 1024;
  static final int BLOCK_BYTES = 64;

  static final int CHUNK_START = 1;
  static final int CHUNK_END = 2;
  static final int PARENT = 4;
  static final int ROOT = 8;
  static final int KEYED_HASH = 16;

  static final int IV0 = 0x6A09E667;
  static final int IV1 = 0xBB67AE85;
  static final int IV2 = 0x3C6EF372;
  static final int IV3 = 0xA54FF53A;
  static final int IV4 = 0x510E527F;
  static final int IV5 = 0x9B05688C;
  static final int IV6 = 0x1F83D9AB;
  static final int IV7 = 0x5BE0CD19;

  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

  /** The chaining value that a chunk, or an inner node of the unkeyed tree, begins with. */
  private static final Hash INITIAL =
      new Hash(pack(IV0, IV1), pack(IV2, IV3), pack(IV4, IV5), pack(IV6, IV7));

  private Blake3Scalar() {}

  /** Hashes a range that the caller has checked to lie inside the array. */
  static Hash hash(byte[] data, int offset, int length) {
    if (offset + length < Long.BYTES) {
      // The tail of a block is read by words that end where the data ends, so one must fit.
      byte[] shifted = new byte[Long.BYTES + length];
      System.arraycopy(data, offset, shifted, Long.BYTES, length);
      return tree(shifted, Long.BYTES, length, 0, ROOT);
    }
    return tree(data, offset, length, 0, ROOT);
  }

  /** See {@link Blake3#keyedPair}. */
  static Hash keyedPair(Hash key, Hash left, Hash right) {
    return pair(key, left, right, KEYED_HASH | CHUNK_START | CHUNK_END | ROOT);
  }

  /**
   * The chaining value of a subtree.
   *
   * @param position where its bytes begin; {@code position + length} is at least eight
   * @param chunk index of its first chunk in the whole input
   * @param rootFlag {@link #ROOT} if this is the whole input, else 0
   */
  private static Hash tree(byte[] data, int position, int length, int chunk, int rootFlag) {
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

  /** How many chunks go left: the largest power of two that leaves at least a byte on the right. */
  static int leftChunks(int length) {
    return Integer.highestOneBit((length - 1) / CHUNK_BYTES);
  }

  /** The chaining value of one chunk of at most {@link #CHUNK_BYTES}. */
  static Hash chunk(byte[] data, int position, int length, int chunk, int rootFlag) {
    int end = position + length;
    int flags = CHUNK_START;
    Hash value = INITIAL;
    int at = position;
    for (; end - at > BLOCK_BYTES; at += BLOCK_BYTES) {
      value =
          compress(
              value,
              (long) LONG.get(data, at),
              (long) LONG.get(data, at + 8),
              (long) LONG.get(data, at + 16),
              (long) LONG.get(data, at + 24),
              (long) LONG.get(data, at + 32),
              (long) LONG.get(data, at + 40),
              (long) LONG.get(data, at + 48),
              (long) LONG.get(data, at + 56),
              chunk,
              BLOCK_BYTES,
              flags);
      flags = 0;
    }
    return compress(
        value,
        tail(data, at, end),
        tail(data, at + 8, end),
        tail(data, at + 16, end),
        tail(data, at + 24, end),
        tail(data, at + 32, end),
        tail(data, at + 40, end),
        tail(data, at + 48, end),
        tail(data, at + 56, end),
        chunk,
        end - at,
        flags | CHUNK_END | rootFlag);
  }

  /** The chaining value of the inner node above two others. */
  static Hash parent(Hash left, Hash right, int rootFlag) {
    return pair(INITIAL, left, right, PARENT | rootFlag);
  }

  private static Hash pair(Hash value, Hash left, Hash right, int flags) {
    return compress(
        value,
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
        flags);
  }

  /** Two words of a chaining value as they appear in a {@link Hash}. */
  static long pack(int even, int odd) {
    return (long) Integer.reverseBytes(even) << Integer.SIZE
        | Integer.toUnsignedLong(Integer.reverseBytes(odd));
  }

  /**
   * One compression: the chaining value after {@code value} and one block.
   *
   * <p>All state is in locals: an array for it would be garbage on every call, and stay in memory.
   * The seven rounds are a loop that permutes the message words; measured, that takes two thirds of
   * the time of the unrolled form.
   *
   * @param m01 message words 0 (the lower half) and 1, and so on with the next seven
   * @param counter index of the chunk, 0 for anything but a chunk
   * @param length how many of the block's bytes are the message's
   */
  private static Hash compress(
      Hash value,
      long m01,
      long m23,
      long m45,
      long m67,
      long m89,
      long mAB,
      long mCD,
      long mEF,
      int counter,
      int length,
      int flags) {
    int m0 = (int) m01;
    int m1 = (int) (m01 >>> Integer.SIZE);
    int m2 = (int) m23;
    int m3 = (int) (m23 >>> Integer.SIZE);
    int m4 = (int) m45;
    int m5 = (int) (m45 >>> Integer.SIZE);
    int m6 = (int) m67;
    int m7 = (int) (m67 >>> Integer.SIZE);
    int m8 = (int) m89;
    int m9 = (int) (m89 >>> Integer.SIZE);
    int m10 = (int) mAB;
    int m11 = (int) (mAB >>> Integer.SIZE);
    int m12 = (int) mCD;
    int m13 = (int) (mCD >>> Integer.SIZE);
    int m14 = (int) mEF;
    int m15 = (int) (mEF >>> Integer.SIZE);
    int v0 = Integer.reverseBytes((int) (value.w0() >>> Integer.SIZE));
    int v1 = Integer.reverseBytes((int) value.w0());
    int v2 = Integer.reverseBytes((int) (value.w1() >>> Integer.SIZE));
    int v3 = Integer.reverseBytes((int) value.w1());
    int v4 = Integer.reverseBytes((int) (value.w2() >>> Integer.SIZE));
    int v5 = Integer.reverseBytes((int) value.w2());
    int v6 = Integer.reverseBytes((int) (value.w3() >>> Integer.SIZE));
    int v7 = Integer.reverseBytes((int) value.w3());
    int v8 = IV0;
    int v9 = IV1;
    int v10 = IV2;
    int v11 = IV3;
    int v12 = counter;
    int v13 = 0;
    int v14 = length;
    int v15 = flags;
    for (int round = 0; ; round++) {
      v0 += v4 + m0;
      v12 = Integer.rotateRight(v12 ^ v0, 16);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 12);
      v0 += v4 + m1;
      v12 = Integer.rotateRight(v12 ^ v0, 8);
      v8 += v12;
      v4 = Integer.rotateRight(v4 ^ v8, 7);
      v1 += v5 + m2;
      v13 = Integer.rotateRight(v13 ^ v1, 16);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 12);
      v1 += v5 + m3;
      v13 = Integer.rotateRight(v13 ^ v1, 8);
      v9 += v13;
      v5 = Integer.rotateRight(v5 ^ v9, 7);
      v2 += v6 + m4;
      v14 = Integer.rotateRight(v14 ^ v2, 16);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 12);
      v2 += v6 + m5;
      v14 = Integer.rotateRight(v14 ^ v2, 8);
      v10 += v14;
      v6 = Integer.rotateRight(v6 ^ v10, 7);
      v3 += v7 + m6;
      v15 = Integer.rotateRight(v15 ^ v3, 16);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 12);
      v3 += v7 + m7;
      v15 = Integer.rotateRight(v15 ^ v3, 8);
      v11 += v15;
      v7 = Integer.rotateRight(v7 ^ v11, 7);
      v0 += v5 + m8;
      v15 = Integer.rotateRight(v15 ^ v0, 16);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 12);
      v0 += v5 + m9;
      v15 = Integer.rotateRight(v15 ^ v0, 8);
      v10 += v15;
      v5 = Integer.rotateRight(v5 ^ v10, 7);
      v1 += v6 + m10;
      v12 = Integer.rotateRight(v12 ^ v1, 16);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 12);
      v1 += v6 + m11;
      v12 = Integer.rotateRight(v12 ^ v1, 8);
      v11 += v12;
      v6 = Integer.rotateRight(v6 ^ v11, 7);
      v2 += v7 + m12;
      v13 = Integer.rotateRight(v13 ^ v2, 16);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 12);
      v2 += v7 + m13;
      v13 = Integer.rotateRight(v13 ^ v2, 8);
      v8 += v13;
      v7 = Integer.rotateRight(v7 ^ v8, 7);
      v3 += v4 + m14;
      v14 = Integer.rotateRight(v14 ^ v3, 16);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 12);
      v3 += v4 + m15;
      v14 = Integer.rotateRight(v14 ^ v3, 8);
      v9 += v14;
      v4 = Integer.rotateRight(v4 ^ v9, 7);
      if (round == 6) {
        break;
      }
      int p0 = m2;
      int p1 = m6;
      int p2 = m3;
      int p3 = m10;
      int p4 = m7;
      int p5 = m0;
      int p6 = m4;
      int p7 = m13;
      int p8 = m1;
      int p9 = m11;
      int p10 = m12;
      int p11 = m5;
      int p12 = m9;
      int p13 = m14;
      int p14 = m15;
      int p15 = m8;
      m0 = p0;
      m1 = p1;
      m2 = p2;
      m3 = p3;
      m4 = p4;
      m5 = p5;
      m6 = p6;
      m7 = p7;
      m8 = p8;
      m9 = p9;
      m10 = p10;
      m11 = p11;
      m12 = p12;
      m13 = p13;
      m14 = p14;
      m15 = p15;
    }
    return new Hash(
        pack(v0 ^ v8, v1 ^ v9),
        pack(v2 ^ v10, v3 ^ v11),
        pack(v4 ^ v12, v5 ^ v13),
        pack(v6 ^ v14, v7 ^ v15));
  }

  /**
   * The two message words at {@code at} of data that ends at {@code end}, zeros beyond. Without a
   * branch: reads the last whole words instead and shifts out what comes before {@code at}.
   */
  private static long tail(byte[] data, int at, int end) {
    int wordsAt = Math.min(at, end - Long.BYTES);
    int excessBits = Math.min(at - wordsAt, Long.BYTES) * Byte.SIZE;
    // In two steps, as a shift by 64 is one by 0.
    return (long) LONG.get(data, wordsAt) >>> (excessBits / 2) >>> (excessBits / 2);
  }
}
