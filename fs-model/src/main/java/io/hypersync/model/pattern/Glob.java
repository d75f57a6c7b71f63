package io.hypersync.model.pattern;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A pattern of one name: {@code *}, {@code ?}, {@code [a-z]}, {@code [!a-z]}, and a backslash
 * before a character that means itself. The time of a match is at most the product of both lengths,
 * whatever the pattern, because it runs where entries are logged and names are looked up.
 */
final class Glob {
  /** Matches each name. */
  static final Glob ANY = new Glob(List.of(new Token.Any()), null);

  private final List<Token> tokens;
  private final @Nullable String literal;

  private Glob(List<Token> tokens, @Nullable String literal) {
    this.tokens = tokens;
    this.literal = literal;
  }

  private sealed interface Token {
    /** Any number of characters. */
    record Any() implements Token {}

    /** One character of some, or one that is none of them. */
    record One(boolean negated, List<Range> ranges) implements Token {
      boolean accepts(int character) {
        for (Range range : ranges) {
          if (range.holds(character)) {
            return !negated;
          }
        }
        return negated;
      }
    }
  }

  private record Range(int first, int last) {
    boolean holds(int character) {
      return first <= character && character <= last;
    }
  }

  static Glob of(String text) {
    List<Token> tokens = new ArrayList<>();
    StringBuilder plain = new StringBuilder();
    boolean isLiteral = true;
    int at = 0;
    while (at < text.length()) {
      int c = text.codePointAt(at);
      int next = at + Character.charCount(c);
      int end = c == '[' ? endOfSet(text, next) : -1;
      if (c == '*') {
        isLiteral = false;
        if (tokens.isEmpty() || !(tokens.getLast() instanceof Token.Any)) {
          tokens.add(new Token.Any());
        }
      } else if (c == '?') {
        isLiteral = false;
        tokens.add(new Token.One(true, List.of()));
      } else if (end >= 0) {
        isLiteral = false;
        tokens.add(set(text, next, end));
        next = end + 1;
      } else {
        if (c == '\\' && next < text.length()) {
          c = text.codePointAt(next);
          next += Character.charCount(c);
        }
        tokens.add(new Token.One(false, List.of(new Range(c, c))));
        plain.appendCodePoint(c);
      }
      at = next;
    }
    return new Glob(tokens, isLiteral ? plain.toString() : null);
  }

  /** Where the bracket is that ends a set; -1 if it has no end and so is no set. */
  private static int endOfSet(String text, int from) {
    int at = from;
    if (at < text.length() && isNegation(text.charAt(at))) {
      at++;
    }
    int first = at;
    while (at < text.length()) {
      char c = text.charAt(at);
      if (c == ']' && at > first) {
        return at;
      }
      at += c == '\\' ? 2 : 1;
    }
    return -1;
  }

  private static Token set(String text, int from, int end) {
    boolean negated = isNegation(text.charAt(from));
    List<Range> ranges = new ArrayList<>();
    int at = negated ? from + 1 : from;
    while (at < end) {
      at += text.charAt(at) == '\\' && at + 1 < end ? 1 : 0;
      int first = text.codePointAt(at);
      at += Character.charCount(first);
      int last = first;
      if (at + 1 < end && text.charAt(at) == '-') {
        at++;
        at += text.charAt(at) == '\\' && at + 1 < end ? 1 : 0;
        last = text.codePointAt(at);
        at += Character.charCount(last);
      }
      ranges.add(new Range(first, last));
    }
    return new Token.One(negated, List.copyOf(ranges));
  }

  private static boolean isNegation(char c) {
    return c == '!' || c == '^';
  }

  /** The only name that matches; null if several can. */
  @Nullable String literal() {
    return literal;
  }

  /** Whether a name matches; false if that is not found within the budget. */
  boolean matches(String name, MatchBudget budget) {
    if (literal != null) {
      return literal.equals(name);
    }
    int token = 0;
    int at = 0;
    int star = -1; // the latest, which takes more characters when what follows it does not match
    int taken = 0;
    while (at < name.length()) {
      if (!budget.spend()) {
        return false;
      }
      int c = name.codePointAt(at);
      if (token < tokens.size() && tokens.get(token) instanceof Token.Any) {
        star = token;
        taken = at;
        token++;
      } else if (token < tokens.size()
          && tokens.get(token) instanceof Token.One one
          && one.accepts(c)) {
        token++;
        at += Character.charCount(c);
      } else if (star >= 0) {
        taken += Character.charCount(name.codePointAt(taken));
        at = taken;
        token = star + 1;
      } else {
        return false;
      }
    }
    while (token < tokens.size() && tokens.get(token) instanceof Token.Any) {
      token++;
    }
    return token == tokens.size();
  }
}
