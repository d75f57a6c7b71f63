package io.hypersync.model.restore;

/** A path cannot be restored. */
public final class UnrestorableException extends Exception {
  private static final long serialVersionUID = 1;

  private final String hint;

  UnrestorableException(String message, String hint) {
    super(message);
    this.hint = hint;
  }

  /** What to do; may be empty. */
  public String hint() {
    return hint;
  }
}
