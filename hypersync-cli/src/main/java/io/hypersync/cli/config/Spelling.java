package io.hypersync.cli.config;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Suggests the word that was probably meant by a misspelled one. */
public final class Spelling {
  private static final int MAX_EDITS = 3;

  private Spelling() {}

  /**
   * Returns the known word with the smallest edit distance, if that is at most three and at most
   * half of the word's length.
   */
  public static Optional<String> nearest(String typed, List<String> known) {
    return known.stream()
        .filter(word -> edits(typed, word) <= Math.min(MAX_EDITS, word.length() / 2))
        .min(Comparator.comparingInt(word -> edits(typed, word)));
  }

  /** Levenshtein distance: insertions, deletions and replacements from one word to the other. */
  private static int edits(String from, String to) {
    int[] row = new int[to.length() + 1];
    for (int j = 0; j <= to.length(); j++) {
      row[j] = j;
    }
    for (int i = 1; i <= from.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= to.length(); j++) {
        int replaced = diagonal + (from.charAt(i - 1) == to.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[to.length()];
  }
}
