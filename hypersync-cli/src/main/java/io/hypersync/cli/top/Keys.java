package io.hypersync.cli.top;

import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;

/**
 * Makes keys of what a terminal sends. Pure: characters in, keys out. A key is the character that
 * it types, or one of the names here, which no key types.
 */
public final class Keys {
  static final String ENTER = "<enter>";
  static final String ESCAPE = "<escape>";
  static final String BACKSPACE = "<backspace>";
  static final String TAB = "<tab>";
  static final String BACK_TAB = "<back-tab>";
  static final String UP = "<up>";
  static final String DOWN = "<down>";
  static final String LEFT = "<left>";
  static final String RIGHT = "<right>";
  static final String PAGE_UP = "<page-up>";
  static final String PAGE_DOWN = "<page-down>";
  static final String HOME = "<home>";
  static final String END = "<end>";
  private static final char ESC = 0x1b;
  private static final char DEL = 0x7f;

  private Keys() {}

  /** Whether a key types a character that may be in a filter. */
  static boolean isText(String key) {
    return key.codePointCount(0, key.length()) == 1 && Printable.isPlain(key);
  }

  /**
   * The keys that were pressed.
   *
   * @param sent what came at once: an escape that nothing follows is the key of that name
   */
  public static List<String> of(String sent) {
    List<String> keys = new ArrayList<>();
    int at = 0;
    while (at < sent.length()) {
      char c = sent.charAt(at);
      if (c == ESC && at + 1 < sent.length() && "[O".indexOf(sent.charAt(at + 1)) >= 0) {
        int end = at + 2;
        while (end < sent.length() && !isFinal(sent.charAt(end))) {
          end++;
        }
        String key = sequence(sent.substring(at + 2, Math.min(end + 1, sent.length())));
        if (!key.isEmpty()) {
          keys.add(key);
        }
        at = end + 1;
        continue;
      }
      int point = sent.codePointAt(at);
      keys.add(
          switch (c) {
            case ESC -> ESCAPE;
            case '\r', '\n' -> ENTER;
            case '\t' -> TAB;
            case '\b', DEL -> BACKSPACE;
            default -> Character.toString(point);
          });
      at += Character.charCount(point);
    }
    return keys;
  }

  private static boolean isFinal(char c) {
    return c >= '@' && c <= '~';
  }

  /** The key of what follows {@code ESC [} or {@code ESC O}; empty if it is none of those here. */
  private static String sequence(String code) {
    return switch (code) {
      case "A" -> UP;
      case "B" -> DOWN;
      case "C" -> RIGHT;
      case "D" -> LEFT;
      case "H", "1~", "7~" -> HOME;
      case "F", "4~", "8~" -> END;
      case "5~" -> PAGE_UP;
      case "6~" -> PAGE_DOWN;
      case "Z" -> BACK_TAB;
      default -> "";
    };
  }
}
