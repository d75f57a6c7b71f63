package io.hypersync.cli.config;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Text that people are shown, without what may be a secret. Settings name files with secrets, and
 * have none themselves; but an address may have a password or a token in it, although that is not
 * where they belong, and in a log there may be anything. Rather too much is masked than too little.
 * Pure.
 */
public final class Masked {
  private static final String STARS = "***";

  private static final Pattern KEY =
      Pattern.compile(
          "-----BEGIN [A-Z0-9 ]+-----.*?(-----END [A-Z0-9 ]+-----|\\z)", Pattern.DOTALL);

  /** Up to a blank, a quote or another address: all else may be in a password. */
  private static final Pattern ADDRESS =
      Pattern.compile("://((?:(?!\\\\{0,8}\"|[,'][a-zA-Z][\\w+.-]{0,20}://)\\S)*+)");

  private static final String NAMES =
      "(?:token|secret|password|passwd|passphrase|credential|(?:api|access|secret|private)[_-]?key)"
          + "s?";

  private static final String HEADERS = "(?:authorization|cookies?)";

  private static final Pattern NAME_OF_SECRET =
      Pattern.compile("(?i)(?:" + NAMES + "|" + HEADERS + ")$");

  /** What stands before a secret in settings, headers, command lines and JSON. */
  private static final Pattern BEFORE =
      Pattern.compile(
          "(?i)(?:(?<header>"
              + HEADERS
              + ")|"
              + NAMES
              + ")\\b\\\\{0,8}[\"']?[ \\t]*(?<sign>[=:])[ \\t]*|\\bbearer[ \\t]+");

  private static final Pattern SCHEME =
      Pattern.compile("(?i)\\[?(?:basic|bearer|negotiate|token)[ \\t]+(?=\\S)");

  /** A blank, or the quote at the end of a text that the word is in. */
  private static final Pattern END_OF_WORD =
      Pattern.compile("\\s|\\\\{0,8}\"(?=[\\s,:;}\\])]|\\z)|\\z");

  /** Or the quote at the end of a text in JSON that the line is in. */
  private static final Pattern END_OF_LINE =
      Pattern.compile(
          "\\\\{0,8}\"(?=[ \\t]*(?:,[ \\t]*\\\\{0,8}\"|[}\\]]|$))|$", Pattern.MULTILINE);

  private Masked() {}

  /** Returns the text with stars in place of what may be a secret. */
  public static String text(String shown) {
    return text(shown, STARS);
  }

  /**
   * Returns the text without keys in PEM, without user, password and query of each address, and
   * without what stands behind the name of a secret.
   *
   * @param mark what stands in their places
   */
  public static String text(String shown, String mark) {
    String without = KEY.matcher(shown).replaceAll(Matcher.quoteReplacement(mark));
    without =
        ADDRESS
            .matcher(without)
            .replaceAll(found -> Matcher.quoteReplacement("://" + address(found.group(1), mark)));
    return withoutNamed(without, mark);
  }

  /** Whether what has this name, such as {@code nats_password}, is a secret. */
  public static boolean isNameOfSecret(String name) {
    return NAME_OF_SECRET.matcher(name).find();
  }

  /** What is behind the scheme. The last {@code @} counts: there may be others in a password. */
  private static String address(String rest, String mark) {
    int at = rest.lastIndexOf('@');
    int query = 0;
    while (query < rest.length() && "?#".indexOf(rest.charAt(query)) < 0) {
      query++;
    }
    if (query < at) {
      return mark; // a password with such a character, or a query with an address of mail
    }
    return (at < 0 ? "" : mark + "@")
        + rest.substring(at + 1, query)
        + (query == rest.length() ? "" : "?" + mark);
  }

  private static String withoutNamed(String text, String mark) {
    StringBuilder without = new StringBuilder(text.length());
    int done = 0;
    Matcher before = BEFORE.matcher(text);
    while (before.find(done)) {
      boolean isHeader = before.group("header") != null;
      int from = before.end();
      int end;
      int quote = afterBackslashes(text, from);
      if (quote < text.length() && text.charAt(quote) == '"') {
        end = closingQuote(text, quote + 1, quote - from);
        from = quote + 1;
      } else if (text.startsWith("'", from)) {
        from++;
        end = closing(text, from);
      } else {
        Matcher scheme = SCHEME.matcher(text).region(from, text.length());
        int word = scheme.lookingAt() ? scheme.end() : from;
        from = isHeader ? word : from;
        boolean isLine = isHeader && word == before.end() && ":".equals(before.group("sign"));
        end = isLine ? first(END_OF_LINE, text, word) : endOfWord(text, word);
      }
      without.append(text, done, from);
      if (end > from) {
        without.append(mark);
      }
      done =
          text.startsWith(mark, from) ? Math.max(end, from + mark.length()) : Math.max(end, from);
    }
    return without.append(text, done, text.length()).toString();
  }

  private static int afterBackslashes(String text, int from) {
    int at = from;
    while (at < text.length() && text.charAt(at) == '\\') {
      at++;
    }
    return at;
  }

  /**
   * Where the text ends that a quote has begun, without the backslashes of its last quote; at the
   * end of the line if there is no such quote.
   *
   * @param backslashes before the first quote: each time that JSON is put into JSON, what was n is
   *     2n + 1, and a quote within the text has as many again
   */
  private static int closingQuote(String text, int from, int backslashes) {
    int run = 0;
    for (int i = from; i < text.length(); i++) {
      char each = text.charAt(i);
      if (each == '\n') {
        return i;
      }
      if (each == '"' && run % (2 * (backslashes + 1)) == backslashes) {
        return i - backslashes;
      }
      run = each == '\\' ? run + 1 : 0;
    }
    return text.length();
  }

  private static int closing(String text, int from) {
    for (int i = from; i < text.length(); i++) {
      if (text.charAt(i) == '\'' || text.charAt(i) == '\n') {
        return i;
      }
    }
    return text.length();
  }

  /** Without what stands behind a word rather than in it. */
  private static int endOfWord(String text, int from) {
    int end = first(END_OF_WORD, text, from);
    while (end > from && ",;)]}".indexOf(text.charAt(end - 1)) >= 0) {
      end--;
    }
    return end;
  }

  private static int first(Pattern pattern, String text, int from) {
    Matcher matcher = pattern.matcher(text);
    return matcher.find(from) ? matcher.start() : text.length();
  }
}
