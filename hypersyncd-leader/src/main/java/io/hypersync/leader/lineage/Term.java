package io.hypersync.leader.lineage;

import org.jspecify.annotations.Nullable;

/**
 * Who leads a lineage: each takeover by another state directory begins the next term, and a start
 * of the same one goes on with its own. Workers take nothing from a leader whose term is lower than
 * one that they have seen.
 *
 * <pre>
 * hypersync-term: 1
 * term: 3
 * </pre>
 *
 * @param number 0 for the first one
 */
public record Term(long number) {
  /** Of a state that nobody has taken over. */
  public static final Term FIRST = new Term(0);

  /** No leader has a higher one: what a worker says of such a term is not believed. */
  public static final long MAX = 1L << 62;

  private static final String HEADING = "hypersync-term: 1\nterm: ";

  /** Checks the number. */
  public Term {
    if (number < 0 || number > MAX) {
      throw new IllegalArgumentException("term " + number);
    }
  }

  /** The term that a takeover begins. */
  public Term next() {
    return new Term(Math.incrementExact(number));
  }

  /** As it is stored. */
  public String toText() {
    return HEADING + number + "\n";
  }

  /** Reads what {@link #toText} has written; null if it is anything else. */
  public static @Nullable Term parse(String text) {
    try {
      long number =
          text.startsWith(HEADING) ? Long.parseLong(text.substring(HEADING.length()).strip()) : -1;
      return number >= 0 && number <= MAX && text.equals(HEADING + number + "\n")
          ? new Term(number)
          : null;
    } catch (NumberFormatException e) {
      return null;
    }
  }
}
