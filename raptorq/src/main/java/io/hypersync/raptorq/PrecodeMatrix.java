package io.hypersync.raptorq;

/**
 * The relations that all intermediate symbols of a code keep, whatever the data: the LDPC and HDPC
 * rows of the matrix A (RFC 6330 section 5.3.3.3 and 5.3.3.4.2). Each row's sum is zero.
 */
final class PrecodeMatrix {
  private PrecodeMatrix() {}

  /** The S rows of the LDPC symbols, each as the indices of its ones. */
  static int[][] ldpcRows(SystematicIndex index) {
    int s = index.ldpcSymbols();
    int b = index.sourceLikeSymbols();
    int p = index.permanentlyInactive();
    BitRows rows = new BitRows(s, index.intermediateSymbols());
    for (int i = 0; i < b; i++) {
      int step = 1 + i / s;
      int row = i % s;
      for (int three = 0; three < 3; three++) {
        rows.flip(row, i);
        row = (row + step) % s;
      }
    }
    for (int i = 0; i < s; i++) {
      rows.flip(i, b + i);
      rows.flip(i, index.ltSymbols() + i % p);
      rows.flip(i, index.ltSymbols() + (i + 1) % p);
    }
    return rows.indices();
  }

  /** The H rows of the HDPC symbols, each with a factor for every intermediate symbol. */
  static byte[][] hdpcRows(SystematicIndex index) {
    int h = index.hdpcSymbols();
    int columns = index.paddedSymbols() + index.ldpcSymbols();
    byte[][] rows = new byte[h][index.intermediateSymbols()];
    // MT, of which all columns but the last have two ones.
    for (int j = 0; j < columns - 1; j++) {
      int first = Tuples.random(j + 1, 6, h);
      int second = (first + Tuples.random(j + 1, 7, h - 1) + 1) % h;
      rows[first][j] = 1;
      rows[second][j] = 1;
    }
    for (int i = 0; i < h; i++) {
      rows[i][columns - 1] = (byte) Octets.power(i);
      // MT * GAMMA, with GAMMA[k][j] = alpha^(k - j) for k >= j: each column takes over the next
      // one, multiplied by alpha.
      for (int j = columns - 2; j >= 0; j--) {
        rows[i][j] ^= (byte) Octets.multiply(2, rows[i][j + 1] & 0xFF);
      }
      rows[i][columns + i] = 1;
    }
    return rows;
  }
}
