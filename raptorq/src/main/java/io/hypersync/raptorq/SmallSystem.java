package io.hypersync.raptorq;

/**
 * Linear equations over GF(256), solved by elimination. An equation is a row: the factors of the
 * unknowns, then its value. Equations are taken one by one; those that follow from others are not
 * kept, so at most as many are kept as there are unknowns.
 */
final class SmallSystem {
  private final int unknowns;
  private final int valueBytes;
  private final OctetRows octets;

  /** For each unknown the equation in which it is the first one, with factor 1. */
  private final byte[][] pivots;

  private int rank;

  SmallSystem(int unknowns, int valueBytes, OctetRows octets) {
    this.unknowns = unknowns;
    this.valueBytes = valueBytes;
    this.octets = octets;
    pivots = new byte[unknowns][0];
  }

  /** How many equations say something that the others do not; all unknowns are known at as many. */
  int rank() {
    return rank;
  }

  /**
   * Adds an equation.
   *
   * @param row is kept and changed
   * @return whether it says something new about the unknowns
   */
  boolean add(byte[] row) {
    for (int column = 0; column < unknowns; column++) {
      int factor = row[column] & 0xFF;
      if (factor == 0) {
        continue;
      }
      byte[] pivot = pivots[column];
      if (pivot.length == 0) {
        ScalarOctetRows.scaleRow(row, column, row.length - column, Octets.inverse(factor));
        pivots[column] = row;
        rank++;
        return true;
      }
      octets.multiplyAdd(row, column, pivot, column, row.length - column, factor);
    }
    return false;
  }

  /** The values of all unknowns. Only with full rank. */
  byte[][] solve() {
    byte[][] values = new byte[unknowns][];
    for (int column = unknowns - 1; column >= 0; column--) {
      byte[] value = new byte[valueBytes];
      byte[] row = pivots[column];
      System.arraycopy(row, unknowns, value, 0, valueBytes);
      for (int later = column + 1; later < unknowns; later++) {
        octets.multiplyAdd(value, 0, values[later], 0, valueBytes, row[later] & 0xFF);
      }
      values[column] = value;
    }
    return values;
  }
}
