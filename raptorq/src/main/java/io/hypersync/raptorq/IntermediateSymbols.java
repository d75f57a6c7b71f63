package io.hypersync.raptorq;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Solves for the intermediate symbols (RFC 6330 section 5.4.2) by inactivation: most unknowns are
 * replaced one after the other by sums of others, as long as some equation has only one that is
 * left. If none has, an unknown becomes inactive: it is kept as an unknown of a small system, which
 * is solved by elimination in the end.
 *
 * <p>An equation is a row of A, whose sum is the equation's value. A value is a row of bytes. All
 * are equally long: a symbol, or the factors of source symbols.
 */
final class IntermediateSymbols {
  private final SystematicIndex index;
  private final int valueBytes;
  private final OctetRows octets;

  /** Equations with factors 0 and 1 only: the indices of their ones. */
  private final int[][] sparse;

  private final byte[][] sparseValues;

  /** In the order of elimination: which equation replaces which unknown. */
  private final int[] pivotRows;

  private final int[] pivotColumns;
  private int pivots;

  /** For each unknown its place among the inactive ones, or -1. */
  private final int[] inactivePlace;

  private int inactive;

  /** For each unknown that was replaced: its factors of inactive ones, then its value. */
  private final byte[][] replaced;

  private IntermediateSymbols(
      SystematicIndex index,
      int[][] sparse,
      byte[][] sparseValues,
      int valueBytes,
      OctetRows octets) {
    this.index = index;
    this.valueBytes = valueBytes;
    this.octets = octets;
    this.sparse = sparse;
    this.sparseValues = sparseValues;
    int unknowns = index.intermediateSymbols();
    pivotRows = new int[unknowns];
    pivotColumns = new int[unknowns];
    inactivePlace = new int[unknowns];
    replaced = new byte[unknowns][];
  }

  /**
   * The L intermediate symbols from encoding symbols, or nothing if these do not determine them.
   *
   * @param internalIds ISIs of the encoding symbols, those of the padding included
   * @param values of these symbols, all of one length; they are left as they are
   */
  static Optional<byte[][]> solve(
      SystematicIndex index, int[] internalIds, List<byte[]> values, OctetRows octets) {
    int valueBytes = values.getFirst().length;
    int[][] ldpc = PrecodeMatrix.ldpcRows(index);
    int[][] sparse = Arrays.copyOf(ldpc, ldpc.length + internalIds.length);
    byte[][] sparseValues = new byte[sparse.length][];
    byte[] zero = new byte[valueBytes];
    Arrays.fill(sparseValues, 0, ldpc.length, zero);
    Tuples tuples = new Tuples(index);
    for (int i = 0; i < internalIds.length; i++) {
      sparse[ldpc.length + i] = tuples.neighbours(internalIds[i]);
      sparseValues[ldpc.length + i] = values.get(i);
    }
    return new IntermediateSymbols(index, sparse, sparseValues, valueBytes, octets).solve();
  }

  private Optional<byte[][]> solve() {
    boolean[] used = order();
    for (int i = 0; i < pivots; i++) {
      replaced[pivotColumns[i]] = substituted(pivotRows[i], pivotColumns[i]);
    }
    SmallSystem system = new SmallSystem(inactive, valueBytes, octets);
    for (byte[] row : PrecodeMatrix.hdpcRows(index)) {
      system.add(substituted(row));
    }
    for (int row = 0; row < sparse.length && system.rank() < inactive; row++) {
      if (!used[row]) {
        system.add(substituted(row, -1));
      }
    }
    return system.rank() < inactive ? Optional.empty() : Optional.of(unknowns(system.solve()));
  }

  /** Chooses pivots and inactive unknowns; returns which equations are pivots. */
  private boolean[] order() {
    int unknowns = index.intermediateSymbols();
    Arrays.fill(inactivePlace, -1);
    for (int column = index.ltSymbols(); column < unknowns; column++) {
      inactivePlace[column] = inactive++;
    }
    int[][] rowsOf = rowsOf(index.ltSymbols());
    int[] left = new int[sparse.length];
    for (int[] rows : rowsOf) {
      for (int row : rows) {
        left[row]++;
      }
    }
    boolean[] used = new boolean[sparse.length];
    boolean[] done = new boolean[unknowns];
    for (int row = shortest(left, used); row >= 0; row = shortest(left, used)) {
      int pivot = rarest(row, done, rowsOf);
      for (int column : sparse[row]) {
        if (column >= index.ltSymbols() || done[column]) {
          continue;
        }
        if (column != pivot) {
          inactivePlace[column] = inactive++;
        }
        done[column] = true;
        for (int other : rowsOf[column]) {
          left[other]--;
        }
      }
      used[row] = true;
      pivotRows[pivots] = row;
      pivotColumns[pivots++] = pivot;
    }
    for (int column = 0; column < index.ltSymbols(); column++) {
      // In no equation any more: only the small system may know it.
      if (!done[column]) {
        inactivePlace[column] = inactive++;
      }
    }
    return used;
  }

  /** For each of the first unknowns the equations that it is in. */
  private int[][] rowsOf(int columns) {
    int[] counts = new int[columns];
    for (int[] row : sparse) {
      for (int column : row) {
        if (column < columns) {
          counts[column]++;
        }
      }
    }
    int[][] rowsOf = new int[columns][];
    Arrays.setAll(rowsOf, column -> new int[counts[column]]);
    for (int row = 0; row < sparse.length; row++) {
      for (int column : sparse[row]) {
        if (column < columns) {
          rowsOf[column][--counts[column]] = row;
        }
      }
    }
    return rowsOf;
  }

  /** The equation with the fewest unknowns left, or -1 if none has any. */
  private static int shortest(int[] left, boolean[] used) {
    int best = -1;
    for (int row = 0; row < left.length; row++) {
      if (!used[row] && left[row] > 0 && (best < 0 || left[row] < left[best])) {
        best = row;
        if (left[row] == 1) {
          break;
        }
      }
    }
    return best;
  }

  /** The unknown of an equation that is in the fewest others: the rest becomes inactive. */
  private int rarest(int row, boolean[] done, int[][] rowsOf) {
    int best = -1;
    for (int column : sparse[row]) {
      if (column < rowsOf.length
          && !done[column]
          && (best < 0 || rowsOf[column].length < rowsOf[best].length)) {
        best = column;
      }
    }
    return best;
  }

  /**
   * An equation in which all replaced unknowns but one are substituted: factors of inactive
   * unknowns, then the value. For a pivot this is what its unknown is equal to, because adding and
   * subtracting are the same.
   */
  private byte[] substituted(int row, int pivot) {
    byte[] result = new byte[inactive + valueBytes];
    System.arraycopy(sparseValues[row], 0, result, inactive, valueBytes);
    for (int column : sparse[row]) {
      if (inactivePlace[column] >= 0) {
        result[inactivePlace[column]] ^= 1;
      } else if (column != pivot) {
        octets.multiplyAdd(result, 0, replaced[column], 0, result.length, 1);
      }
    }
    return result;
  }

  private byte[] substituted(byte[] dense) {
    byte[] result = new byte[inactive + valueBytes];
    for (int column = 0; column < dense.length; column++) {
      int factor = dense[column] & 0xFF;
      if (inactivePlace[column] >= 0) {
        result[inactivePlace[column]] ^= (byte) factor;
      } else {
        octets.multiplyAdd(result, 0, replaced[column], 0, result.length, factor);
      }
    }
    return result;
  }

  private byte[][] unknowns(byte[][] inactiveValues) {
    byte[][] values = new byte[replaced.length][];
    for (int column = 0; column < values.length; column++) {
      if (inactivePlace[column] >= 0) {
        values[column] = inactiveValues[inactivePlace[column]];
        continue;
      }
      byte[] row = replaced[column];
      byte[] value = Arrays.copyOfRange(row, inactive, row.length);
      for (int place = 0; place < inactive; place++) {
        octets.multiplyAdd(value, 0, inactiveValues[place], 0, valueBytes, row[place] & 0xFF);
      }
      values[column] = value;
    }
    return values;
  }
}
