package io.hypersync.wire.quic;

/** Error codes of a connection's end; they travel, with a reason in words. */
enum CloseCode {
  /** Nothing wrong: the side that closes is done. */
  DONE(0),
  /** The other side broke the protocol. */
  PROTOCOL(1),
  /** The leader does not want this worker; its Refused said why. */
  REFUSED(2),
  /** The other side does not read what is sent to it. */
  SLOW(3),
  /** A fault of the side that closes. */
  INTERNAL(4);

  private final int code;

  CloseCode(int code) {
    this.code = code;
  }

  int code() {
    return code;
  }
}
