package io.hypersync.worker.local;

import io.hypersync.model.pattern.PathPattern;
import io.hypersync.model.text.Printable;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/**
 * What {@code hypersync.ignore} says. Anybody who may write it can put anything there, so all of it
 * is bounded, and what is more or is no pattern is refused line by line. By such a line nothing is
 * ignored.
 *
 * @param rules of the lines that are understood
 * @param refused the first lines that are not
 * @param refusedLines how many they are
 */
public record IgnoreFile(IgnoreRules rules, List<Refused> refused, int refusedLines) {
  /** Bytes of the file that are read. */
  public static final int MAX_BYTES = 64 << 10;

  /** Patterns that are used. */
  public static final int MAX_PATTERNS = 1_000;

  /** Bytes of a line. */
  static final int MAX_LINE_BYTES = 1_024;

  /** Stars of a line: each multiplies the time of a comparison. */
  static final int MAX_STARS = 8;

  /** Refused lines that are kept. */
  static final int MAX_REFUSED = 20;

  private static final int MAX_SHOWN = 80;

  /** There is no file. */
  public static final IgnoreFile NONE = new IgnoreFile(IgnoreRules.NONE, List.of(), 0);

  public IgnoreFile {
    refused = List.copyOf(refused);
  }

  /**
   * A line by which nothing is ignored.
   *
   * @param number from 1 on
   * @param text its beginning, printable
   * @param why in English
   */
  public record Refused(int number, String text, String why) {}

  /**
   * Reads it.
   *
   * @param content its first bytes, {@link #MAX_BYTES} at most
   * @param size all of its bytes
   */
  public static IgnoreFile parse(byte[] content, long size) {
    Reader reader = new Reader();
    String text = new String(content, StandardCharsets.ISO_8859_1);
    String[] lines = text.split("\n", -1);
    boolean isCut = size > content.length;
    for (int i = 0; i < lines.length; i++) {
      if (isCut && i == lines.length - 1) {
        reader.refuse(i + 1, lines[i], "this and what follows is behind 64 KiB");
      } else {
        reader.line(i + 1, lines[i]);
      }
    }
    return new IgnoreFile(new IgnoreRules(reader.rules), reader.refused, reader.refusedLines);
  }

  private static final class Reader {
    private final List<IgnoreRules.Rule> rules = new ArrayList<>();
    private final List<Refused> refused = new ArrayList<>();
    private int refusedLines;

    void line(int number, String line) {
      String text = withoutEnd(line);
      if (text.isEmpty() || text.startsWith("#")) {
        return;
      }
      boolean ignores = !text.startsWith("!");
      String written = ignores ? text : text.substring(1);
      if (line.length() > MAX_LINE_BYTES) {
        refuse(number, text, "it has more than " + MAX_LINE_BYTES + " bytes");
      } else if (line.indexOf('\0') >= 0) {
        refuse(number, text, "it has a NUL in it");
      } else if (stars(written) > MAX_STARS) {
        refuse(number, text, "it has more than " + MAX_STARS + " stars");
      } else if (rules.size() == MAX_PATTERNS) {
        refuse(
            number, text, "there are " + MAX_PATTERNS + " patterns before it, which is the most");
      } else {
        PathPattern pattern = PathPattern.ofIgnoreLine(written);
        if (pattern == null) {
          refuse(number, text, "it matches no path: names between slashes are missing, or . or ..");
        } else {
          rules.add(new IgnoreRules.Rule(pattern, ignores));
        }
      }
    }

    void refuse(int number, String text, String why) {
      refusedLines++;
      if (refused.size() < MAX_REFUSED) {
        String shown = text.length() > MAX_SHOWN ? text.substring(0, MAX_SHOWN) + "..." : text;
        refused.add(
            new Refused(number, Printable.line(shown.getBytes(StandardCharsets.ISO_8859_1)), why));
      }
    }

    private static long stars(String text) {
      return text.chars().filter(c -> c == '*').count();
    }

    /** Without the carriage return of other systems, and blanks that no backslash keeps. */
    private static String withoutEnd(String line) {
      int end = line.length();
      if (end > 0 && line.charAt(end - 1) == '\r') {
        end--;
      }
      while (end > 0
          && (line.charAt(end - 1) == ' ' || line.charAt(end - 1) == '\t')
          && !(end > 1 && line.charAt(end - 2) == '\\')) {
        end--;
      }
      return line.substring(0, end);
    }
  }
}
