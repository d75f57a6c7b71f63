package io.hypersync.model.hash;

import java.util.List;
import java.util.Objects;

/**
 * BLAKE3, the 256-bit hash of chunks, log entries and trie nodes (hypersync.md 8.1.1, 9.1).
 *
 * <p>Short inputs, below 2 KiB, are hashed one compression at a time with its state in four vectors
 * ({@link Blake3Rows}); longer inputs are hashed several 1 KiB BLAKE3 chunks at a time ({@link
 * Blake3Vector}). Each of the two vector implementations is used only once measurements have shown
 * that it is faster than scalar code ({@link VectorWarmUp}); the JVM must have been started with
 * {@code --add-modules jdk.incubator.vector}. Inputs of up to 2 KiB allocate nothing but chaining
 * values. All methods may be called from any thread.
 */
public final class Blake3 {
  /**
   * The least input length, in bytes, that has two whole chunks, which can be hashed side by side.
   */
  private static final int LONG_BYTES = 2 * Blake3Chain.CHUNK_BYTES;

  /**
   * Warm-up of short hashes starts after 16 MiB, or the trie nodes that about ten thousand
   * mutations change: hashing them takes about a tenth of the time that compiling the vector code
   * takes.
   */
  private static final int WORTH_BLOCKS_OF_SHORT = 1 << 18;

  /**
   * Warm-up of long hashes starts after 64 MiB, which also take about a tenth of the compile time.
   */
  private static final int WORTH_BLOCKS_OF_LONG = 1 << 20;

  private static final VectorFaults FAULTS = new VectorFaults();

  // Lambdas and a nested class, because the classes they name do not link where the vector module
  // is absent.

  /** Warm-up of the code for inputs shorter than {@link #LONG_BYTES}. */
  static final VectorWarmUp SHORT =
      new VectorWarmUp(
          "blake3-short",
          WORTH_BLOCKS_OF_SHORT,
          () -> vectorsArePresent() && Blake3Rows.isUsable(),
          new Rows(),
          0,
          // Two whole blocks and a partial one.
          List.of(157),
          FAULTS);

  /** Warm-up of the code for inputs of {@link #LONG_BYTES} and more. */
  static final VectorWarmUp LONG =
      new VectorWarmUp(
          "blake3-long",
          WORTH_BLOCKS_OF_LONG,
          () -> vectorsArePresent() && Blake3Vector.isUsable(),
          (data, offset, length) -> Blake3Vector.hash(data, offset, length),
          LONG_BYTES,
          // What remains for Blake3Rows; what Blake3Quarters hashes; enough chunks to fill all
          // lanes.
          List.of(157, 3500, 40_000),
          FAULTS);

  /**
   * Vector code for short inputs. Linked against the vector module only when a method is called.
   */
  private static final class Rows implements VectorWarmUp.Way {
    @Override
    public Hash hash(byte[] data, int offset, int length) {
      return Blake3Rows.INSTANCE.hash(data, offset, length);
    }

    @Override
    public Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
      return Blake3Rows.INSTANCE.pairAndTail(left, right, tail, tailBytes);
    }

    @Override
    public Hash keyedPair(Hash key, Hash left, Hash right) {
      return Blake3Rows.INSTANCE.keyedPair(key, left, right);
    }
  }

  private Blake3() {}

  /** Faults of vector code found in this process, for status and logs. */
  public static VectorFaults vectorFaults() {
    return FAULTS;
  }

  private static boolean vectorsArePresent() {
    return ModuleLayer.boot().findModule("jdk.incubator.vector").isPresent();
  }

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
    if (length >= LONG_BYTES) {
      return LONG.isOver(length)
          ? Blake3Vector.hash(data, offset, length)
          : Blake3Scalar.INSTANCE.hash(data, offset, length);
    }
    return SHORT.isOver(length)
        ? Blake3Rows.INSTANCE.hash(data, offset, length)
        : Blake3Scalar.INSTANCE.hash(data, offset, length);
  }

  /**
   * The hash of two hashes (64 bytes) followed by 1 to 8 more bytes, as in an inner node of a trie.
   * The words go from the hashes straight into two compressions, without an array.
   *
   * @param tail the extra bytes, the first in the lowest 8 bits; the unused high bytes must be zero
   * @param tailBytes the number of extra bytes, 1 to 8
   */
  public static Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
    return SHORT.isOver(2 * Blake3Chain.BLOCK_BYTES)
        ? Blake3Rows.INSTANCE.pairAndTail(left, right, tail, tailBytes)
        : Blake3Scalar.INSTANCE.pairAndTail(left, right, tail, tailBytes);
  }

  /**
   * The keyed hash (BLAKE3's {@code keyed_hash} mode) of two hashes, 64 bytes, as in an inner node
   * of a trie of {@code RootVersion.V2}: one compression, without an array.
   *
   * <p>The keyed mode exists only for this input, which is below 2 KiB: like all such inputs it is
   * hashed by scalar code or by {@link Blake3Rows}, never by {@link Blake3Vector}.
   *
   * @param key the 32 bytes of the key, in order
   */
  public static Hash keyedPair(Hash key, Hash left, Hash right) {
    return SHORT.isOver(Blake3Chain.BLOCK_BYTES)
        ? Blake3Rows.INSTANCE.keyedPair(key, left, right)
        : Blake3Scalar.INSTANCE.keyedPair(key, left, right);
  }
}
