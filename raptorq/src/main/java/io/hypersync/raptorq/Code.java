package io.hypersync.raptorq;

import java.util.ArrayList;
import java.util.List;

/**
 * The systematic code of RFC 6330 for K source symbols: every encoding symbol as a sum of source
 * symbols, each multiplied by a factor of GF(256).
 *
 * <p>RFC 6330 gets repair symbols from intermediate symbols, which it solves for anew for each
 * block of data. But the intermediate symbols are linear in the source symbols, with factors that
 * depend on K alone. So they are solved for once, with rows of factors in the place of symbols; the
 * factors of a repair symbol are then a sum of about seven rows.
 *
 * <p>Immutable; may be used from any thread. Making one takes about half a millisecond for K = 52,
 * and 40 for the greatest K, so keep it ({@link Codes}).
 */
public final class Code {
  /** The most source symbols of a block. RFC 6330 would allow more, at a cost of their square. */
  public static final int MAX_SOURCE_SYMBOLS = 1024;

  /** The highest encoding symbol id, which has 24 bits in RFC 6330. */
  public static final int MAX_ID = (1 << 24) - 1;

  private static final int LONGS_OF_A_ROW = 3;

  private final int sourceSymbols;
  private final SystematicIndex index;
  private final Tuples tuples;
  private final OctetRows octets;

  /** For each intermediate symbol its factors of the K source symbols. */
  private final byte[][] intermediate;

  private Code(int sourceSymbols, SystematicIndex index, OctetRows octets) {
    this.sourceSymbols = sourceSymbols;
    this.index = index;
    this.octets = octets;
    tuples = new Tuples(index);
    int[] ids = new int[index.paddedSymbols()];
    List<byte[]> units = new ArrayList<>(ids.length);
    for (int i = 0; i < ids.length; i++) {
      ids[i] = i;
      // Symbols of the padding are zeros, so nothing depends on them.
      byte[] unit = new byte[sourceSymbols];
      if (i < sourceSymbols) {
        unit[i] = 1;
      }
      units.add(unit);
    }
    // Scalar code, because it needs no time to be compiled, and these rows are short. RFC 6330 has
    // chosen J(K') so that the matrix is invertible for all rows of table 2.
    intermediate = IntermediateSymbols.solve(index, ids, units, OctetRows.scalar()).orElseThrow();
  }

  /**
   * Makes the code for K source symbols, with the fastest arithmetic that there is.
   *
   * @param sourceSymbols K, 1 to {@link #MAX_SOURCE_SYMBOLS}
   * @throws IllegalArgumentException for another K
   */
  public static Code of(int sourceSymbols) {
    return of(sourceSymbols, OctetRows.best());
  }

  /**
   * Makes the code with this arithmetic, which decides how fast it is and nothing else.
   *
   * @throws IllegalArgumentException for a K out of range
   */
  public static Code of(int sourceSymbols, OctetRows octets) {
    return new Code(sourceSymbols, SystematicIndex.of(sourceSymbols), octets);
  }

  /** K. */
  public int sourceSymbols() {
    return sourceSymbols;
  }

  /** About how much memory this takes, in bytes. */
  public long memoryBytes() {
    return (long) intermediate.length * (sourceSymbols + LONGS_OF_A_ROW * Long.BYTES);
  }

  OctetRows octets() {
    return octets;
  }

  /**
   * The factors of the K source symbols in an encoding symbol, one byte each.
   *
   * @param id encoding symbol id (ESI), 0 to {@link #MAX_ID}; those from K on are of repair symbols
   */
  byte[] factors(int id) {
    byte[] factors = new byte[sourceSymbols];
    // Between the source symbols and the repair symbols are those of the padding (section 5.3.1).
    int internalId = id < sourceSymbols ? id : id + index.paddedSymbols() - sourceSymbols;
    for (int neighbour : tuples.neighbours(internalId)) {
      octets.multiplyAdd(factors, 0, intermediate[neighbour], 0, sourceSymbols, 1);
    }
    return factors;
  }
}
