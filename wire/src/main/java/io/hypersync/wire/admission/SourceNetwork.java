package io.hypersync.wire.admission;

/**
 * The network that handshakes are counted by: an IPv4 address, or the /64 of an IPv6 address,
 * within which one host can have any number of addresses.
 *
 * @param isV4 true for IPv4, false for IPv6
 * @param prefix the 32 or 64 bits
 */
public record SourceNetwork(boolean isV4, long prefix) {
  private static final int V4_BYTES = 4;
  private static final int PREFIX_BYTES = 8;

  /**
   * The network of an address.
   *
   * @param address 4 or 16 bytes, in network byte order
   */
  public static SourceNetwork of(byte[] address) {
    long prefix = 0;
    for (int i = 0; i < Math.min(address.length, PREFIX_BYTES); i++) {
      prefix = prefix << Byte.SIZE | Byte.toUnsignedLong(address[i]);
    }
    return new SourceNetwork(address.length == V4_BYTES, prefix);
  }
}
