package io.hypersync.wire.pki;

/** A certificate, key or enrolment file cannot be used; the message tells the user why. */
public final class PkiException extends Exception {
  private static final long serialVersionUID = 1L;

  /**
   * Makes an exception whose message names the file or certificate and says what is wrong with it.
   */
  public PkiException(String message) {
    super(message);
  }

  /**
   * Makes an exception whose message names the file or certificate and says what is wrong with it.
   */
  public PkiException(String message, Throwable cause) {
    super(message, cause);
  }
}
