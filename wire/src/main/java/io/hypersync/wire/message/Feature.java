package io.hypersync.wire.message;

/**
 * An optional capability of one side of a connection (hypersync.md 9.5). Its bit number is part of
 * the wire format and is never reused.
 */
public enum Feature {
  /** Chunks may come in QUIC datagrams. */
  QUIC_DATAGRAM(0),
  /** Chunks may come as RaptorQ symbols. */
  RAPTORQ(1),
  /** Payloads may be compressed. */
  COMPRESSION(2),
  /** The leader stores states of the past, and holds them for workers that mount them. */
  PAST_STATES(3),
  /** Chunks may come in multicast packets, to all workers at once. */
  MULTICAST(4),
  /**
   * An entry may come without its payload to the connection that has brought its intent: the worker
   * keeps the payload until then ({@code LogEntryCodec.withoutPayload}).
   */
  KEPT_PAYLOADS(5),
  /**
   * The leader may wait for this standby ({@link StandbyStanding}), which tells at once what is on
   * its disk. Only a standby offers it.
   */
  SYNC_STANDBY(6);

  private final int bit;

  Feature(int bit) {
    this.bit = bit;
  }

  /** The bit in {@link Features#bits}, 0 to 63. */
  int bit() {
    return bit;
  }
}
