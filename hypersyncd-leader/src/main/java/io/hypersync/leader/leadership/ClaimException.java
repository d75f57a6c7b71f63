package io.hypersync.leader.leadership;

import java.io.Serial;

/** A claim cannot be read or written. The message says which file, and why. */
public final class ClaimException extends Exception {
  @Serial private static final long serialVersionUID = 1L;

  private final String hint;

  /** Makes one with what a user can do about it. */
  public ClaimException(String message, String hint) {
    super(message);
    this.hint = hint;
  }

  /** What to do about it. */
  public String hint() {
    return hint;
  }

  /** The message, never null. */
  public String message() {
    return String.valueOf(getMessage());
  }
}
