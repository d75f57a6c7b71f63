package io.hypersync.wire.message;

/**
 * How the chunks of log entries come to a worker (hypersync.md 12.2, 12.3). The numbers are part of
 * the wire format.
 */
public enum ChunkDelivery {
  /** They do not come unless the worker asks for them. */
  ON_REQUEST(0),
  /** The leader sends them unasked, on the bulk stream. */
  STREAM(1),
  /** The leader sends them unasked, as RaptorQ symbols in datagrams, of which some may be lost. */
  DATAGRAMS(2);

  private final int code;

  ChunkDelivery(int code) {
    this.code = code;
  }

  /** The number on the wire. */
  public int code() {
    return code;
  }
}
