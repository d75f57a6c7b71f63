package io.hypersync.wire.codec;

/** The peer sent bytes that are not valid in protocol hypersync/1. Only its connection ends. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Makes an exception whose message says what was expected and what was received. */
  public ProtocolException(String message) {
    super(message);
  }

  /** Makes an exception whose message says what was expected and what was received. */
  public ProtocolException(String message, Throwable cause) {
    super(message, cause);
  }
}
