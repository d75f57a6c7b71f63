package io.hypersync.wire.message;

/**
 * Something that a side may be able to do beyond what every side can (hypersync.md 9.5). The number
 * travels and is never used again for anything else.
 */
public enum Feature {
  /** Chunks may come in QUIC datagrams. */
  QUIC_DATAGRAM(0),
  /** Chunks may come as RaptorQ symbols. */
  RAPTORQ(1),
  /** Payloads may be compressed. */
  COMPRESSION(2);

  private final int bit;

  Feature(int bit) {
    this.bit = bit;
  }

  /** Its place in {@link Features#bits}, 0 to 63. */
  int bit() {
    return bit;
  }
}
