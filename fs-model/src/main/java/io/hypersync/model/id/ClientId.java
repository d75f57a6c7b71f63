package io.hypersync.model.id;

/**
 * Random 128-bit identity of one client lifetime; together with a sequence number it identifies an
 * intent (hypersync.md 2, 8.2).
 *
 * @param high the first eight bytes, big-endian
 * @param low the last eight bytes, big-endian
 */
public record ClientId(long high, long low) implements Comparable<ClientId> {

  /** Length of the binary form in bytes. */
  public static final int BYTES = Id128.BYTES;

  /**
   * Parses 32 hexadecimal digits.
   *
   * @throws IllegalArgumentException if the text is anything else
   */
  public static ClientId parse(String hex) {
    return new ClientId(Id128.parseHigh(hex), Id128.parseLow(hex));
  }

  /** Orders by the bytes of the binary form, unsigned. */
  @Override
  public int compareTo(ClientId other) {
    return Id128.compare(high, low, other.high, other.low);
  }

  /** The 32 hexadecimal digits. */
  @Override
  public String toString() {
    return Id128.toHex(high, low);
  }
}
