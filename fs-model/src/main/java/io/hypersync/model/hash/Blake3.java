package io.hypersync.model.hash;

import java.util.Objects;

/**
 * BLAKE3, the 256-bit hash of chunks, log entries and trie nodes (hypersync.md 8.1.1, 9.1).
 *
 * <p>Short inputs go through scalar code that allocates nothing but the result. Longer ones are
 * hashed one 1 KiB BLAKE3 chunk per vector lane, once that is known to be faster ({@link
 * VectorWarmUp}); the JVM must have been started with {@code --add-modules jdk.incubator.vector}.
 * All methods may be called from any thread.
 */
public final class Blake3 {
  /** From this many bytes on, filling the lanes costs less than hashing chunk after chunk. */
  private static final int VECTOR_MIN_BYTES = 3 * Blake3Scalar.CHUNK_BYTES;

  private Blake3() {}

  /** Hashes the whole array. */
  public static Hash hash(byte[] data) {
    return hash(data, 0, data.length);
  }

  /**
   * Hashes {@code length} bytes from {@code offset}.
   *
   * @throws IndexOutOfBoundsException if that range is not inside the array
   */
  public static Hash hash(byte[] data, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, data.length);
    if (length >= VECTOR_MIN_BYTES && VectorWarmUp.isOver(length)) {
      return Blake3Vector.hash(data, offset, length);
    }
    return Blake3Scalar.hash(data, offset, length);
  }

  /**
   * The keyed hash of two hashes: BLAKE3's {@code keyed_hash} of the 64 bytes of {@code left} and
   * {@code right} in this order, under the 32 bytes of {@code key}, all as {@link Hash#write} gives
   * them.
   *
   * <p>It is the hash of an inner node of a trie: what the node is (the trie it belongs to, and the
   * bit it branches at) is in the key, so that no two kinds of nodes, and nothing that {@link
   * #hash(byte[])} gives, can have the same hash. As the message is exactly one block, it is one
   * compression, which allocates nothing but the result.
   */
  public static Hash keyedPair(Hash key, Hash left, Hash right) {
    return Blake3Scalar.keyedPair(key, left, right);
  }
}
