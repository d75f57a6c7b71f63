package io.hypersync.raptorq;

/**
 * Arithmetic of rows of octets: parts of byte arrays, each byte an element of GF(256) (RFC 6330
 * section 5.7). There are two implementations with equal results. Both have no state and may be
 * called from any thread. The two ranges of a call must not overlap.
 */
public sealed interface OctetRows permits ScalarOctetRows, VectorOctetRows {
  /** The system property that forces scalar code if it is {@code true}. */
  String FORCE_SCALAR = "hypersync.raptorq.scalar";

  /**
   * The faster one that this JVM has: vectors if it was started with {@code --add-modules
   * jdk.incubator.vector}, unless {@link #FORCE_SCALAR} says otherwise.
   */
  static OctetRows best() {
    return OctetRowsChoice.BEST;
  }

  /** The one that needs no vectors. */
  static OctetRows scalar() {
    return ScalarOctetRows.INSTANCE;
  }

  /**
   * Makes the JVM compile the vector code, in this thread. Until it is compiled it is a hundred
   * times slower than scalar code, so a daemon calls this before its first block, on a thread that
   * may be busy for a second.
   */
  static void warmUp() {
    OctetRowsChoice.warmUp();
  }

  /**
   * Adds a row, multiplied by a factor, to another row.
   *
   * @param length of both ranges, in bytes
   * @param factor 0 to 255; 0 changes nothing, and 1 is the sum
   * @throws IndexOutOfBoundsException if a range is not inside its array; what was added by then
   *     stays
   */
  void multiplyAdd(byte[] to, int toOffset, byte[] from, int fromOffset, int length, int factor);
}
