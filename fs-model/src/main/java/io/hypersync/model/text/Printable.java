package io.hypersync.model.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Makes any text fit for a terminal or a line of a log: what would move the cursor, change colours,
 * begin a line, turn the direction of writing, or be seen by nobody, is written out.
 *
 * <p>These are control characters (C0, DEL, C1), marks and overrides of direction, separators of
 * lines and paragraphs, characters without a width, code points that Unicode has not given out, and
 * halves of surrogate pairs. A backslash, x and two digits stand for a control character of ASCII,
 * a backslash, u and four digits for all others, which is what JSON has for them, too. Backslashes
 * stay as they are, so the result is for people, and not to be taken apart again.
 */
public final class Printable {
  private static final char DEL = 0x7f;
  private static final int HEX_DIGITS_OF_BYTE = 2;
  private static final int HEX_DIGITS_OF_CHAR = 4;
  private static final String CUT = "...";

  private Printable() {}

  /** The whole text on one line. */
  public static String line(String text) {
    return escape(text, "", text.length());
  }

  /**
   * The text on one line, cut if it is long.
   *
   * @param maxChars of the text that are taken; dots say that there was more
   */
  public static String line(String text, int maxChars) {
    return text.length() <= maxChars ? line(text) : escape(text, "", maxChars) + CUT;
  }

  /** The whole text, in whose lines nothing else is left: line feeds and tabs stay. */
  public static String lines(String text) {
    return escape(text, "\n\t", text.length());
  }

  /**
   * Bytes that should be UTF-8, on one line: if they are not, each that is not ASCII is written
   * out.
   */
  public static String line(byte[] bytes) {
    String text = new String(bytes, StandardCharsets.UTF_8);
    if (Arrays.equals(bytes, text.getBytes(StandardCharsets.UTF_8))) {
      return line(text);
    }
    StringBuilder out = new StringBuilder(bytes.length * 2);
    for (byte value : bytes) {
      char c = (char) Byte.toUnsignedInt(value);
      if (c < ' ' || c >= DEL) {
        out.append("\\x");
        hex(c, HEX_DIGITS_OF_BYTE, out);
      } else {
        out.append(c);
      }
    }
    return out.toString();
  }

  /** Whether there is nothing to be written out. */
  public static boolean isPlain(String text) {
    for (int i = 0; i < text.length(); i++) {
      if (isAscii(text.charAt(i))) {
        continue;
      }
      int point = text.codePointAt(i);
      if (isHarmful(point)) {
        return false;
      }
      i += Character.charCount(point) - 1;
    }
    return true;
  }

  private static String escape(String text, String kept, int end) {
    if (end == text.length() && isPlain(text)) {
      return text;
    }
    StringBuilder out = new StringBuilder(end + HEX_DIGITS_OF_CHAR);
    for (int i = 0; i < end; i++) {
      int point = text.codePointAt(i);
      int chars = Character.charCount(point);
      if (i + chars > end) {
        break; // half of a pair that is cut
      }
      if (isHarmful(point) && kept.indexOf(point) < 0) {
        for (int j = i; j < i + chars; j++) {
          escape(text.charAt(j), out);
        }
      } else {
        out.appendCodePoint(point);
      }
      i += chars - 1;
    }
    return out.toString();
  }

  private static void escape(char c, StringBuilder out) {
    if (c < DEL) { // DEL is not: JSON that is filtered has to stay JSON
      out.append("\\x");
      hex(c, HEX_DIGITS_OF_BYTE, out);
    } else {
      out.append("\\u");
      hex(c, HEX_DIGITS_OF_CHAR, out);
    }
  }

  private static void hex(char c, int digits, StringBuilder out) {
    for (int shift = 4 * (digits - 1); shift >= 0; shift -= 4) {
      out.append(Character.forDigit(c >> shift & 0xf, 16));
    }
  }

  /** The usual case, in which nothing has to be looked up. */
  private static boolean isAscii(char c) {
    return c >= ' ' && c < DEL;
  }

  private static boolean isHarmful(int point) {
    if (point < DEL) {
      return point < ' ';
    }
    return switch (Character.getType(point)) {
      case Character.CONTROL, // DEL and C1
          Character.FORMAT, // direction, joiners, zero width, tags
          Character.LINE_SEPARATOR,
          Character.PARAGRAPH_SEPARATOR,
          Character.SURROGATE,
          Character.UNASSIGNED ->
          true;
      default -> isBlankLetter(point);
    };
  }

  /** Letters and marks that show nothing: fillers, and selectors of variants. */
  private static boolean isBlankLetter(int point) {
    return point == 0x034f
        || point == 0x115f
        || point == 0x1160
        || point == 0x17b4
        || point == 0x17b5
        || point == 0x3164
        || point == 0xffa0
        || (point >= 0x180b && point <= 0x180f);
  }
}
