package io.hypersync.wire.admission;

/**
 * Whom a proven address belongs to: an IPv4 address, or the /64 of an IPv6 one, of which one host
 * can have as many addresses as it likes.
 *
 * @param isV4 which of the two
 * @param prefix its 32 or 64 bits
 */
public record SourceNetwork(boolean isV4, long prefix) {
  private static final int V4_BYTES = 4;
  private static final int PREFIX_BYTES = 8;

  /**
   * The network of an address.
   *
   * @param address 4 or 16 bytes, in the order of the network
   */
  public static SourceNetwork of(byte[] address) {
    long prefix = 0;
    for (int i = 0; i < Math.min(address.length, PREFIX_BYTES); i++) {
      prefix = prefix << Byte.SIZE | Byte.toUnsignedLong(address[i]);
    }
    return new SourceNetwork(address.length == V4_BYTES, prefix);
  }
}
