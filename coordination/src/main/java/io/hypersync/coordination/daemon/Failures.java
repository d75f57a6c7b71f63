package io.hypersync.coordination.daemon;

import io.hypersync.model.text.Printable;

/** How the failure of a script is told. */
final class Failures {
  private static final int MAX_CHARS = 300;

  /** The exit code of what was killed, and of {@code timeout} that has killed. */
  static final int KILLED = 137;

  private Failures() {}

  /**
   * One line for a person.
   *
   * @param what such as "the health check"
   * @param code its exit code
   * @param output what it has printed
   */
  static String told(String what, int code, String output) {
    return what
        + (code == KILLED ? " was killed" : " failed with exit code " + code)
        + (output.isEmpty() ? "" : ": " + Printable.line(output, MAX_CHARS));
  }
}
