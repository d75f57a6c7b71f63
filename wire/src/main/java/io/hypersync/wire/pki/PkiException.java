package io.hypersync.wire.pki;

/** A certificate, key or enrolment file that cannot be used, with a reason for people. */
public final class PkiException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Says which file or certificate, and what is wrong with it. */
  public PkiException(String message) {
    super(message);
  }

  /** Says which file or certificate, and what is wrong with it. */
  public PkiException(String message, Throwable cause) {
    super(message, cause);
  }
}
