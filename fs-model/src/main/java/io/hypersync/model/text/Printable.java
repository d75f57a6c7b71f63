package io.hypersync.model.text;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Makes untrusted text safe to print on a terminal or in a log line, by escaping every character
 * that could move the cursor, change colours, start a new line, change the text direction or stay
 * invisible.
 *
 * <p>Escaped are control characters (C0, DEL, C1), directional marks and overrides, line and
 * paragraph separators, zero-width characters, code points that Unicode has not assigned, and
 * unpaired surrogates. A control character of ASCII becomes a backslash, x and two hexadecimal
 * digits; any other character becomes a backslash, u and four digits, which is also how JSON writes
 * it. Backslashes in the text are not escaped, so the result is for reading only and cannot be
 * decoded.
 */
public final class Printable {
  private static final char DEL = 0x7f;
  private static final int HEX_DIGITS_OF_BYTE = 2;
  private static final int HEX_DIGITS_OF_CHAR = 4;
  private static final String CUT = "...";

  private Printable() {}

  /** The whole text, escaped, on one line. */
  public static String line(String text) {
    return escape(text, "", text.length());
  }

  /**
   * The text, escaped, on one line, truncated if it is long.
   *
   * @param maxChars how many chars of the text are used; if there are more, "..." is appended
   */
  public static String line(String text, int maxChars) {
    return text.length() <= maxChars ? line(text) : escape(text, "", maxChars) + CUT;
  }

  /** The whole text, escaped, but with line feeds and tabs kept. */
  public static String lines(String text) {
    return escape(text, "\n\t", text.length());
  }

  /**
   * Bytes that should be UTF-8, escaped, on one line. If they are not valid UTF-8, every byte
   * outside printable ASCII is escaped.
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

  /** Whether {@link #line(String)} would return the text unchanged. */
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
        break; // do not emit one half of a surrogate pair that the limit splits
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
    if (c < DEL) { // excludes DEL: valid JSON may contain it, and must stay valid
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

  /** Fast path: printable ASCII needs no lookup of its Unicode category. */
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

  /**
   * Letters and marks that display nothing although their Unicode category is harmless: fillers and
   * variation selectors.
   */
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
