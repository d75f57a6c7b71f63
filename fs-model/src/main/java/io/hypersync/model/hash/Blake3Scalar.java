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

  static final int IV0 = 0x6A09E667;
  static final int IV1 = 0xBB67AE85;
  static final int IV2 = 0x3C6EF372;
  static final int IV3 = 0xA54FF53A;
  static final int IV4 = 0x510E527F;
  static final int IV5 = 0x9B05688C;
  static final int IV6 = 0x1F83D9AB;
  static final int IV7 = 0x5BE0CD19;

  private static final VarHandle INT =
      MethodHandles.byteArrayViewVarHandle(int[].class, ByteOrder.LITTLE_ENDIAN);

  private Blake3Scalar() {}

  /** Hashes a range that the caller has checked to lie inside the array. */
  static Hash hash(byte[] data, int offset, int length) {
    if (offset + length < Integer.BYTES) {
      // The tail of a block is read by words that end where the data ends, so one must fit.
      byte[] shifted = new byte[Integer.BYTES + length];
      System.arraycopy(data, offset, shifted, Integer.BYTES, length);
      return tree(shifted, Integer.BYTES, length, 0, ROOT);
    }
    return tree(data, offset, length, 0, ROOT);
  }

  /**
   * The chaining value of a subtree.
   *
   * @param position where its bytes begin; {@code position + length} is at least four
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
    return compress(data, position, length, chunk, CHUNK_START, CHUNK_END | rootFlag);
  }

  /** The chaining value of the inner node above two others. */
  static Hash parent(Hash left, Hash right, int rootFlag) {
    byte[] block = new byte[BLOCK_BYTES];
    left.write(block, 0);
    right.write(block, Hash.BYTES);
    return compress(block, 0, BLOCK_BYTES, 0, PARENT, rootFlag);
  }

  /** Two words of a chaining value as they appear in a {@link Hash}. */
  static long pack(int even, int odd) {
    return (long) Integer.reverseBytes(even) << Integer.SIZE
        | Integer.toUnsignedLong(Integer.reverseBytes(odd));
  }

  /**
   * Chains the blocks of one chunk or one parent.
   *
   * <p>All state is in locals: an array for it would be garbage on every call, and stay in memory.
   * The seven rounds are a loop that permutes the message words; measured, that takes two thirds of
   * the time of the unrolled form.
   *
   * @param firstFlags flags of the first block only
   * @param lastFlags flags of the last block only
   */
  private static Hash compress(
      byte[] data, int position, int length, int chunk, int firstFlags, int lastFlags) {
    int h0 = IV0;
    int h1 = IV1;
    int h2 = IV2;
    int h3 = IV3;
    int h4 = IV4;
    int h5 = IV5;
    int h6 = IV6;
    int h7 = IV7;
    int end = position + length;
    int flags = firstFlags;
    for (int at = position; ; at += BLOCK_BYTES) {
      int left = end - at;
      boolean last = left <= BLOCK_BYTES;
      int m0;
      int m1;
      int m2;
      int m3;
      int m4;
      int m5;
      int m6;
      int m7;
      int m8;
      int m9;
      int m10;
      int m11;
      int m12;
      int m13;
      int m14;
      int m15;
      if (left >= BLOCK_BYTES) {
        m0 = (int) INT.get(data, at);
        m1 = (int) INT.get(data, at + 4);
        m2 = (int) INT.get(data, at + 8);
        m3 = (int) INT.get(data, at + 12);
        m4 = (int) INT.get(data, at + 16);
        m5 = (int) INT.get(data, at + 20);
        m6 = (int) INT.get(data, at + 24);
        m7 = (int) INT.get(data, at + 28);
        m8 = (int) INT.get(data, at + 32);
        m9 = (int) INT.get(data, at + 36);
        m10 = (int) INT.get(data, at + 40);
        m11 = (int) INT.get(data, at + 44);
        m12 = (int) INT.get(data, at + 48);
        m13 = (int) INT.get(data, at + 52);
        m14 = (int) INT.get(data, at + 56);
        m15 = (int) INT.get(data, at + 60);
      } else {
        m0 = tailWord(data, at, end);
        m1 = tailWord(data, at + 4, end);
        m2 = tailWord(data, at + 8, end);
        m3 = tailWord(data, at + 12, end);
        m4 = tailWord(data, at + 16, end);
        m5 = tailWord(data, at + 20, end);
        m6 = tailWord(data, at + 24, end);
        m7 = tailWord(data, at + 28, end);
        m8 = tailWord(data, at + 32, end);
        m9 = tailWord(data, at + 36, end);
        m10 = tailWord(data, at + 40, end);
        m11 = tailWord(data, at + 44, end);
        m12 = tailWord(data, at + 48, end);
        m13 = tailWord(data, at + 52, end);
        m14 = tailWord(data, at + 56, end);
        m15 = tailWord(data, at + 60, end);
      }
      int v0 = h0;
      int v1 = h1;
      int v2 = h2;
      int v3 = h3;
      int v4 = h4;
      int v5 = h5;
      int v6 = h6;
      int v7 = h7;
      int v8 = IV0;
      int v9 = IV1;
      int v10 = IV2;
      int v11 = IV3;
      int v12 = chunk;
      int v13 = 0;
      int v14 = Math.min(left, BLOCK_BYTES);
      int v15 = last ? flags | lastFlags : flags;
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
      if (last) {
        return new Hash(
            pack(v0 ^ v8, v1 ^ v9),
            pack(v2 ^ v10, v3 ^ v11),
            pack(v4 ^ v12, v5 ^ v13),
            pack(v6 ^ v14, v7 ^ v15));
      }
      h0 = v0 ^ v8;
      h1 = v1 ^ v9;
      h2 = v2 ^ v10;
      h3 = v3 ^ v11;
      h4 = v4 ^ v12;
      h5 = v5 ^ v13;
      h6 = v6 ^ v14;
      h7 = v7 ^ v15;
      flags = 0;
    }
  }

  /**
   * The message word at {@code at} of data that ends at {@code end}, zeros beyond. Without a
   * branch: reads the last whole word instead and shifts out what comes before {@code at}.
   */
  private static int tailWord(byte[] data, int at, int end) {
    int wordAt = Math.min(at, end - Integer.BYTES);
    int excessBits = Math.min(at - wordAt, Integer.BYTES) * Byte.SIZE;
    return (int) (Integer.toUnsignedLong((int) INT.get(data, wordAt)) >>> excessBits);
  }
}
