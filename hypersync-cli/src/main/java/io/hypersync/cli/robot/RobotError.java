package io.hypersync.cli.robot;

import java.io.Serial;

/** A failure of a robot command, with the code by which programs tell failures apart. */
final class RobotError extends RuntimeException {
  @Serial private static final long serialVersionUID = 1L;

  private final Code code;
  private final String hint;

  /** What went wrong, and the exit code: 1 is an error, 2 that something is not available. */
  enum Code {
    INVALID_FLAG(1),
    INVALID_ARGS(1),
    MISSING_REQUIRED(1),
    NOT_FOUND(1),
    PERMISSION_DENIED(1),
    TIMEOUT(1),
    INTERNAL_ERROR(1),
    DEPENDENCY_MISSING(2);

    private final int exitCode;

    Code(int exitCode) {
      this.exitCode = exitCode;
    }

    int exitCode() {
      return exitCode;
    }
  }

  /**
   * Makes a failure.
   *
   * @param message what is wrong, one sentence
   * @param hint what to do about it; may be empty
   */
  RobotError(Code code, String message, String hint) {
    super(message);
    this.code = code;
    this.hint = hint;
  }

  Code code() {
    return code;
  }

  String hint() {
    return hint;
  }
}
