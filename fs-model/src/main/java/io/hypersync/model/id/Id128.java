package io.hypersync.model.id;

import java.util.HexFormat;

/** Parsing, printing and ordering shared by the 128-bit identifiers. */
final class Id128 {
  static final int BYTES = 16;
  private static final int HEX_DIGITS = 32;

  private Id128() {}

  static long parseHigh(String hex) {
    return HexFormat.fromHexDigitsToLong(checked(hex), 0, HEX_DIGITS / 2);
  }

  static long parseLow(String hex) {
    return HexFormat.fromHexDigitsToLong(checked(hex), HEX_DIGITS / 2, HEX_DIGITS);
  }

  static String toHex(long high, long low) {
    HexFormat format = HexFormat.of();
    return format.toHexDigits(high) + format.toHexDigits(low);
  }

  static int compare(long high1, long low1, long high2, long low2) {
    int order = Long.compareUnsigned(high1, high2);
    return order != 0 ? order : Long.compareUnsigned(low1, low2);
  }

  private static String checked(String hex) {
    if (hex.length() != HEX_DIGITS) {
      throw new IllegalArgumentException(
          "expected " + HEX_DIGITS + " hexadecimal digits, got " + hex.length() + ": " + hex);
    }
    return hex;
  }
}
