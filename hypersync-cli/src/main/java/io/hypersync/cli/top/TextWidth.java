package io.hypersync.cli.top;

/**
 * How many columns of a terminal a text takes: two for a character of East Asian scripts or a
 * picture, none for a mark that sits on another one. Good enough for columns to stay aligned; of a
 * terminal that sees it otherwise, lines are still cut by itself.
 */
final class TextWidth {
  private TextWidth() {}

  static int of(String text) {
    int width = 0;
    for (int i = 0; i < text.length(); ) {
      int point = text.codePointAt(i);
      width += of(point);
      i += Character.charCount(point);
    }
    return width;
  }

  /** The text in exactly so many columns: cut, with a mark at its end, or filled up. */
  static String fit(String text, int columns) {
    if (columns <= 0) {
      return "";
    }
    int all = of(text);
    return all <= columns ? text + " ".repeat(columns - all) : cut(text, columns - 1) + "~";
  }

  /** The same, filled up on the left. */
  static String fitRight(String text, int columns) {
    int all = of(text);
    return all <= columns ? " ".repeat(columns - all) + text : fit(text, columns);
  }

  private static String cut(String text, int columns) {
    String kept = text.substring(0, end(text, 0, columns));
    return kept + " ".repeat(columns - of(kept));
  }

  /** Where what fits into so many columns ends; the place itself if not even a character does. */
  static int end(String text, int from, int columns) {
    int width = 0;
    int i = from;
    while (i < text.length()) {
      int point = text.codePointAt(i);
      width += of(point);
      if (width > columns) {
        break;
      }
      i += Character.charCount(point);
    }
    return i;
  }

  private static int of(int point) {
    if (point < 0x300) {
      return 1;
    }
    int type = Character.getType(point);
    if (type == Character.NON_SPACING_MARK || type == Character.ENCLOSING_MARK) {
      return 0;
    }
    return isWide(point) ? 2 : 1;
  }

  private static boolean isWide(int point) {
    return (point >= 0x1100 && point <= 0x115f)
        || (point >= 0x2e80 && point <= 0xa4cf)
        || (point >= 0xac00 && point <= 0xd7a3)
        || (point >= 0xf900 && point <= 0xfaff)
        || (point >= 0xfe30 && point <= 0xfe6f)
        || (point >= 0xff00 && point <= 0xff60)
        || (point >= 0xffe0 && point <= 0xffe6)
        || (point >= 0x1f300 && point <= 0x1faff)
        || (point >= 0x20000 && point <= 0x3fffd);
  }
}
