package io.hypersync.runtime.text;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Quotes words for command lines that users copy from a message into a shell. */
public final class ShellWords {
  private static final Pattern PLAIN = Pattern.compile("[a-zA-Z0-9._/+,:@%=-]+");

  private ShellWords() {}

  /**
   * The word, quoted if needed so that a shell reads it back unchanged. With control characters it
   * is escaped as {@code $'...'}.
   */
  public static String quoted(String word) {
    if (PLAIN.matcher(word).matches()) {
      return word;
    }
    return word.chars().anyMatch(Character::isISOControl)
        ? escaped(word)
        : "'" + word.replace("'", "'\\''") + "'";
  }

  /** A path, quoted like {@link #quoted(String)}. */
  public static String quoted(Path path) {
    return quoted(path.toString());
  }

  /** A command line of quoted words, separated by spaces. */
  public static String line(List<String> words) {
    return words.stream().map(ShellWords::quoted).collect(Collectors.joining(" "));
  }

  /**
   * The shells' {@code $'...'} form: only printable ASCII, so that a terminal interprets nothing.
   */
  private static String escaped(String word) {
    StringBuilder text = new StringBuilder("$'");
    for (byte each : word.getBytes(StandardCharsets.UTF_8)) {
      int octet = Byte.toUnsignedInt(each);
      if (octet == '\'' || octet == '\\') {
        text.append('\\').append((char) octet);
      } else if (octet < ' ' || octet > '~') {
        text.append("\\x%02x".formatted(octet));
      } else {
        text.append((char) octet);
      }
    }
    return text.append('\'').toString();
  }
}
