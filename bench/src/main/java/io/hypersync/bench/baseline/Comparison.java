package io.hypersync.bench.baseline;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The ratios of a run compared with those of a baseline.
 *
 * @param changes each row of either, those of the baseline first
 * @param loadBefore the load average of the baseline
 * @param loadNow the load average of the run
 * @param tolerance by which factor a ratio may grow before the row is worse; more than 1
 */
public record Comparison(
    List<Change> changes, double loadBefore, double loadNow, double tolerance) {
  /** Result of comparing one row. */
  public enum Verdict {
    /** Changed by at most the tolerance. */
    SAME(""),
    /** Smaller by more than the tolerance. */
    BETTER("better"),
    /** Larger by more than the tolerance. */
    WORSE("WORSE"),
    /** The baseline has no such row, or has it beside another reference. */
    NEW("new"),
    /** The run should have measured the row and has not, or has it beside another reference. */
    MISSING("MISSING"),
    /** The row was not to be measured. */
    NOT_RUN("not run");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    public String word() {
      return word;
    }

    /** Whether such a row makes the run fail. */
    public boolean isFailure() {
      return this == WORSE || this == MISSING;
    }
  }

  /**
   * Comparison of one row.
   *
   * @param name of the row
   * @param beside the reference
   * @param before the ratio in the baseline
   * @param now the ratio in the run
   * @param verdict result of the comparison
   */
  public record Change(
      String name, String beside, Optional<Double> before, Optional<Double> now, Verdict verdict) {
    /** Returns the new ratio divided by the old one. */
    public Optional<Double> factor() {
      return before.flatMap(old -> now.map(value -> value / old));
    }
  }

  /** Identifies a row: ratios are comparable only if name and reference agree. */
  private record Key(String name, String beside) {
    static Key of(Row row) {
      return new Key(row.name(), row.beside());
    }
  }

  /**
   * Copies the list.
   *
   * @throws IllegalArgumentException if the tolerance is at most 1, at which equal ratios would
   *     count as worse
   */
  public Comparison {
    changes = List.copyOf(changes);
    if (!(tolerance > 1)) {
      throw new IllegalArgumentException("a tolerance of " + tolerance);
    }
  }

  /**
   * Compares a run with a baseline.
   *
   * @param whole whether the run was to measure everything: then each row of the baseline must be
   *     in it
   */
  public static Comparison of(Baseline baseline, Baseline run, boolean whole, double tolerance) {
    Map<Key, Row> found = new LinkedHashMap<>();
    run.rows().forEach(row -> found.put(Key.of(row), row));
    List<Change> changes = new ArrayList<>();
    for (Row old : baseline.rows()) {
      Row row = found.remove(Key.of(old));
      if (row == null) {
        Verdict verdict = whole ? Verdict.MISSING : Verdict.NOT_RUN;
        changes.add(
            new Change(
                old.name(), old.beside(), Optional.of(old.ratio()), Optional.empty(), verdict));
      } else {
        changes.add(
            new Change(
                old.name(),
                old.beside(),
                Optional.of(old.ratio()),
                Optional.of(row.ratio()),
                verdict(row.ratio() / old.ratio(), tolerance)));
      }
    }
    for (Row row : found.values()) {
      changes.add(
          new Change(
              row.name(), row.beside(), Optional.empty(), Optional.of(row.ratio()), Verdict.NEW));
    }
    return new Comparison(changes, baseline.load(), run.load(), tolerance);
  }

  /** Returns the rows that make the run fail. */
  public List<Change> failures() {
    return changes.stream().filter(change -> change.verdict.isFailure()).toList();
  }

  private static Verdict verdict(double factor, double tolerance) {
    if (factor > tolerance) {
      return Verdict.WORSE;
    }
    return factor < 1 / tolerance ? Verdict.BETTER : Verdict.SAME;
  }
}
