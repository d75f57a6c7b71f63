package io.hypersync.cli.manual;

/** Text as {@code man(7)} reads it. */
final class Roff {
  private Roff() {}

  /**
   * One line of text: nothing in it is taken for a request or an escape. Hyphens stay hyphens, so
   * that options can be copied from a page.
   */
  static String text(String line) {
    String escaped = line.replace("\\", "\\e").replace("-", "\\-");
    return escaped.startsWith(".") || escaped.startsWith("'") ? "\\&" + escaped : escaped;
  }

  /** The same, as an argument of a request. */
  static String quoted(String line) {
    return '"' + text(line).replace("\"", "\\(dq") + '"';
  }
}
