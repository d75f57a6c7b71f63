package io.hypersync.model.hash;

import java.util.List;
import java.util.Objects;

/**
 * BLAKE3, the 256-bit hash of chunks, log entries and trie nodes (hypersync.md 8.1.1, 9.1).
 *
 * <p>Each compression of a short input has its state in four vectors ({@link Blake3Rows}); a longer
 * input is hashed several 1 KiB BLAKE3 chunks at a time ({@link Blake3Vector}). Both begin once
 * they are known to be faster than scalar code ({@link VectorWarmUp}); the JVM must have been
 * started with {@code --add-modules jdk.incubator.vector}. Up to 2 KiB nothing is allocated but
 * chaining values. All methods may be called from any thread.
 */
public final class Blake3 {
  /** From this many bytes on there are whole chunks to be hashed side by side. */
  private static final int LONG_BYTES = 2 * Blake3Chain.CHUNK_BYTES;

  /**
   * 16 MiB, or as many trie nodes as some ten thousand mutations change: a tenth of the time that
   * compiling takes.
   */
  private static final int WORTH_BLOCKS_OF_SHORT = 1 << 18;

  /** 64 MiB: a tenth of the time that compiling takes, here too. */
  private static final int WORTH_BLOCKS_OF_LONG = 1 << 20;

  private static final VectorFaults FAULTS = new VectorFaults();

  // Lambdas, as the classes in them do not link where the vector module is absent.

  /** For less than {@link #LONG_BYTES}. */
  static final VectorWarmUp SHORT =
      new VectorWarmUp(
          "blake3-short",
          WORTH_BLOCKS_OF_SHORT,
          () -> vectorsArePresent() && Blake3Rows.isUsable(),
          new Rows(),
          0,
          // Whole blocks, and one that is not.
          List.of(157),
          FAULTS);

  /** For all that is longer. */
  static final VectorWarmUp LONG =
      new VectorWarmUp(
          "blake3-long",
          WORTH_BLOCKS_OF_LONG,
          () -> vectorsArePresent() && Blake3Vector.isUsable(),
          (data, offset, length) -> Blake3Vector.hash(data, offset, length),
          LONG_BYTES,
          // What wide code leaves to narrow; what goes by fours; as many chunks as fill the lanes.
          List.of(157, 3500, 40_000),
          FAULTS);

  /** Links only when one of its methods is called. */
  private static final class Rows implements VectorWarmUp.Way {
    @Override
    public Hash hash(byte[] data, int offset, int length) {
      return Blake3Rows.INSTANCE.hash(data, offset, length);
    }

    @Override
    public Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
      return Blake3Rows.INSTANCE.pairAndTail(left, right, tail, tailBytes);
    }
  }

  private Blake3() {}

  /** Hashes by vectors that were found wrong; for reports. */
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
   * The hash of two hashes, 64 bytes, and a few bytes after them: of an inner node of a trie. The
   * words go straight from the hashes into two compressions.
   *
   * @param tail the bytes, the first one in the lowest bits, and zeros above the last
   * @param tailBytes how many, 1 to 8
   */
  public static Hash pairAndTail(Hash left, Hash right, long tail, int tailBytes) {
    return SHORT.isOver(2 * Blake3Chain.BLOCK_BYTES)
        ? Blake3Rows.INSTANCE.pairAndTail(left, right, tail, tailBytes)
        : Blake3Scalar.INSTANCE.pairAndTail(left, right, tail, tailBytes);
  }
}
