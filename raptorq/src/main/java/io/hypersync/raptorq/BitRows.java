package io.hypersync.raptorq;

import java.util.BitSet;

/** Rows of a matrix of bits. */
final class BitRows {
  private final BitSet[] rows;

  BitRows(int count, int columns) {
    rows = new BitSet[count];
    for (int i = 0; i < count; i++) {
      rows[i] = new BitSet(columns);
    }
  }

  /** Adds 1 to a bit, in GF(2). */
  void flip(int row, int column) {
    rows[row].flip(column);
  }

  /** For each row the columns of its ones, in ascending order. */
  int[][] indices() {
    int[][] indices = new int[rows.length][];
    for (int i = 0; i < rows.length; i++) {
      indices[i] = rows[i].stream().toArray();
    }
    return indices;
  }
}
