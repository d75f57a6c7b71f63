package io.hypersync.cli.top;

/**
 * A line of the screen.
 *
 * @param text printable; never wider than the screen
 * @param style how it looks, where there are colours
 */
public record Line(String text, Style style) {
  /** How a line looks. */
  public enum Style {
    PLAIN,
    TITLE,
    HEADING,
    /** Something is wrong. */
    ALERT,
    SELECTED
  }

  static Line plain(String text) {
    return new Line(text, Style.PLAIN);
  }
}
