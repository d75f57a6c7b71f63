package io.hypersync.model.codec;

/** Bytes that are not the canonical encoding of anything. */
public final class DecodeException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says what was expected and what was found. */
  public DecodeException(String message) {
    super(message);
  }
}
