package io.hypersync.coordination.cas;

import java.io.Serial;

/** A store cannot be used, or does not answer in time. */
public final class CasException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final String hint;

  /**
   * Describes it for a person.
   *
   * @param hint what to do about it; empty if nothing is known
   */
  public CasException(String message, String hint) {
    super(message);
    this.hint = hint;
  }

  /** What to do about it; empty if nothing is known. */
  public String hint() {
    return hint;
  }
}
