package io.hypersync.model.hash;

import org.jspecify.annotations.Nullable;

/** Compares vector code with scalar code on fixed inputs. */
final class VectorSelfTest {
  /**
   * Lengths around the ends of blocks and chunks, of what {@link Blake3Quarters} hashes, and of
   * what fills the lanes of {@link Blake3Vector}.
   */
  private static final int[] LENGTHS = {
    0, 1, 7, 8, 31, 63, 64, 65, 127, 128, 157, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3500, 4096,
    4097, 8192, 16_385, 40_000, 65_536
  };

  private static final int OFFSET = 3;
  private static final int MAX_TAIL_BYTES = 8;

  private VectorSelfTest() {}

  /**
   * Hashes the fixed inputs both ways and looks for a difference.
   *
   * @param shortest shorter inputs are skipped, because this vector code never hashes them
   * @return a description of the first input whose hashes differ, or null if there is none
   */
  static @Nullable String difference(VectorWarmUp.Way vectors, int shortest) {
    byte[] data = new byte[OFFSET + LENGTHS[LENGTHS.length - 1]];
    for (int i = 0; i < data.length; i++) {
      data[i] = (byte) ((i * 0x9E3779B1) >>> 13);
    }
    for (int length : LENGTHS) {
      if (length >= shortest
          && !vectors
              .hash(data, OFFSET, length)
              .equals(Blake3Scalar.INSTANCE.hash(data, OFFSET, length))) {
        return length + " bytes";
      }
    }
    Hash left = Blake3Scalar.INSTANCE.hash(data, 0, 1);
    Hash right = Blake3Scalar.INSTANCE.hash(data, 0, 2);
    for (int tail = 1; tail <= MAX_TAIL_BYTES; tail++) {
      long bytes = 0x8070605040302010L >>> (Long.SIZE - Byte.SIZE * tail);
      if (!vectors
          .pairAndTail(left, right, bytes, tail)
          .equals(Blake3Scalar.INSTANCE.pairAndTail(left, right, bytes, tail))) {
        return "two hashes and " + tail + " bytes";
      }
    }
    Hash key = Blake3Scalar.INSTANCE.hash(data, 0, 3);
    if (!vectors
        .keyedPair(key, left, right)
        .equals(Blake3Scalar.INSTANCE.keyedPair(key, left, right))) {
      return "two hashes with a key";
    }
    return null;
  }
}
