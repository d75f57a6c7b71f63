package io.hypersync.model.codec;

/** Thrown when bytes are not a valid canonical encoding. */
public final class DecodeException extends Exception {
  private static final long serialVersionUID = 1L;

  /** An exception whose message names what was expected and what was found. */
  public DecodeException(String message) {
    super(message);
  }
}
