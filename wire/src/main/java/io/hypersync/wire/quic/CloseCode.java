package io.hypersync.wire.quic;

/**
 * Error codes with which a connection is closed. They are sent to the peer, with a reason as text.
 */
enum CloseCode {
  /** No error: the closing side is done. */
  DONE(0),
  /** The peer violated the protocol. */
  PROTOCOL(1),
  /** The leader refused this worker; its Refused message says why. */
  REFUSED(2),
  /** The peer does not read what is sent to it. */
  SLOW(3),
  /** An internal error of the closing side. */
  INTERNAL(4);

  private final int code;

  CloseCode(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
