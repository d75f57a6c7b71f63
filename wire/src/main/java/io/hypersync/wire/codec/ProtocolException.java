package io.hypersync.wire.codec;

/** What the other side sent is not protocol hypersync/1. Its connection ends, nothing else does. */
public final class ProtocolException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what was expected and what was found. */
  public ProtocolException(String message) {
    super(message);
  }

  /** Says what was expected and what was found. */
  public ProtocolException(String message, Throwable cause) {
    super(message, cause);
  }
}
