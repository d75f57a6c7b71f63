package io.hypersync.cli.ntm;

/**
 * One thing that was looked at.
 *
 * @param name what, for programs
 * @param severity how bad it is
 * @param detail what was found, one sentence
 * @param remedy what to do about it; empty if nothing is to be done
 */
public record Finding(String name, Severity severity, String detail, String remedy) {
  /** How bad a finding is. */
  public enum Severity {
    /** All is well. */
    OK,
    /** It works, but not as it should. */
    WARNING,
    /** Agents cannot work so. */
    ERROR
  }

  static Finding fine(String name, String detail) {
    return new Finding(name, Severity.OK, detail, "");
  }

  static Finding warning(String name, String detail, String remedy) {
    return new Finding(name, Severity.WARNING, detail, remedy);
  }

  static Finding error(String name, String detail, String remedy) {
    return new Finding(name, Severity.ERROR, detail, remedy);
  }
}
