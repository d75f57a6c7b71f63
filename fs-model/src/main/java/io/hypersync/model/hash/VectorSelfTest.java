package io.hypersync.model.hash;

import org.jspecify.annotations.Nullable;

/** Compares what two ways make of the same inputs. */
final class VectorSelfTest {
  /** Ends of blocks and chunks, of what goes by fours, and of what fills the lanes. */
  private static final int[] LENGTHS = {
    0, 1, 7, 8, 31, 63, 64, 65, 127, 128, 157, 1023, 1024, 1025, 2047, 2048, 2049, 3072, 3500, 4096,
    4097, 8192, 16_385, 40_000, 65_536
  };

  private static final int OFFSET = 3;
  private static final int MAX_TAIL_BYTES = 8;

  private VectorSelfTest() {}

  /**
   * Looks for an input of which the two ways make different hashes.
   *
   * @param shortest shorter inputs are left out: they are not hashed so
   * @return what differs, or null
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
    return null;
  }
}
