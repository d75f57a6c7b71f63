package io.hypersync.raptorq;

import java.util.Objects;

/** Rows of octets by a table of all products, one byte at a time. */
final class ScalarOctetRows implements OctetRows {
  static final ScalarOctetRows INSTANCE = new ScalarOctetRows();

  private static final int BYTE = 0xFF;

  /** The products of each factor with all octets: 64 KiB, of which a call touches 256 bytes. */
  private static final byte[][] PRODUCTS = new byte[Octets.COUNT][Octets.COUNT];

  static {
    for (int factor = 0; factor < Octets.COUNT; factor++) {
      for (int octet = 0; octet < Octets.COUNT; octet++) {
        PRODUCTS[factor][octet] = (byte) Octets.multiply(factor, octet);
      }
    }
  }

  private ScalarOctetRows() {}

  @Override
  public void multiplyAdd(
      byte[] to, int toOffset, byte[] from, int fromOffset, int length, int factor) {
    Objects.checkFromIndexSize(toOffset, length, to.length);
    Objects.checkFromIndexSize(fromOffset, length, from.length);
    if (factor == 1) {
      // The JIT makes vectors of this by itself.
      for (int i = 0; i < length; i++) {
        to[toOffset + i] ^= from[fromOffset + i];
      }
    } else if (factor != 0) {
      addProducts(to, toOffset, from, fromOffset, length, factor);
    }
  }

  /** Adds the products of a range that was checked, byte by byte. */
  static void addProducts(
      byte[] to, int toOffset, byte[] from, int fromOffset, int length, int factor) {
    byte[] products = PRODUCTS[factor];
    for (int i = 0; i < length; i++) {
      to[toOffset + i] ^= products[from[fromOffset + i] & BYTE];
    }
  }

  /** Multiplies a range in place. */
  static void scaleRow(byte[] row, int offset, int length, int factor) {
    byte[] products = PRODUCTS[factor];
    for (int i = offset; i < offset + length; i++) {
      row[i] = products[row[i] & BYTE];
    }
  }
}
