package io.hypersync.runtime.admin;

import java.io.Serial;

/**
 * A failure that the user can do something about: a wrong flag, a port in use, a daemon that is not
 * running. Commands print the message and the hint, never a stack trace.
 */
public class UserError extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  /** Exit code of a command that failed while it ran. */
  public static final int FAILED = 1;

  /** Exit code for an invalid command line or configuration. */
  public static final int USAGE = 2;

  private final String hint;
  private final int exitCode;

  /**
   * Makes a failure with exit code {@link #FAILED}.
   *
   * @param message what is wrong: one sentence that names the object concerned
   * @param hint what to do about it; lines separated by {@code \n}; may be empty
   */
  public UserError(String message, String hint) {
    this(message, hint, FAILED);
  }

  /**
   * Makes a failure with its own exit code.
   *
   * @param message what is wrong: one sentence that names the object concerned
   * @param hint what to do about it; lines separated by {@code \n}; may be empty
   * @param exitCode exit code of the process, 1 to 125
   */
  public UserError(String message, String hint, int exitCode) {
    super(message);
    this.hint = hint;
    this.exitCode = exitCode;
  }

  /** What to do about it; lines separated by {@code \n}; may be empty. */
  public String hint() {
    return hint;
  }

  /** The exit code of the process, 1 to 125. */
  public int exitCode() {
    return exitCode;
  }

  /** The message, never null. */
  public String message() {
    return String.valueOf(getMessage());
  }
}
