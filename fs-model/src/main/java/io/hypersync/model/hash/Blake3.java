package io.hypersync.model.hash;

import java.util.Objects;

/**
 * BLAKE3, the unkeyed 256-bit hash of chunks, log entries and trie nodes (hypersync.md 8.1.1, 9.1).
 *
 * <p>Short inputs go through scalar code that allocates nothing but the result. Longer ones are
 * hashed one 1 KiB BLAKE3 chunk per vector lane, provided that the JVM was started with {@code
 * --add-modules jdk.incubator.vector}; without the module they take the scalar code too. All
 * methods may be called from any thread.
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
    if (length >= VECTOR_MIN_BYTES && VectorUnit.USABLE) {
      return Blake3Vector.hash(data, offset, length);
    }
    return Blake3Scalar.hash(data, offset, length);
  }

  /**
   * Decided at the first long input, not earlier: {@link Blake3Vector} does not link when the
   * module is absent, and loading the vector classes takes a while.
   */
  private static final class VectorUnit {
    static final boolean USABLE =
        ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent()
            && Blake3Vector.isUsable();
  }
}
