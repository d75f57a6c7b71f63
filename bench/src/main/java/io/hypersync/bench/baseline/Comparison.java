package io.hypersync.bench.baseline;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A run held against a baseline.
 *
 * @param changes each row of either, those of the baseline first
 * @param loadBefore the load average at which the baseline was taken
 * @param loadNow that of the run
 * @param tolerance how many times a ratio may grow before the row counts as worse; more than 1
 */
public record Comparison(
    List<Change> changes, double loadBefore, double loadNow, double tolerance) {
  /** What came of a row. */
  public enum Verdict {
    /** Within the tolerance. */
    SAME(""),
    /** Smaller by more than the tolerance. */
    BETTER("better"),
    /** Larger by more than the tolerance. */
    WORSE("WORSE"),
    /** The baseline does not have it, or has it beside another reference. */
    NEW("new"),
    /** The run should have measured it and has not, or beside another reference. */
    MISSING("MISSING"),
    /** It was not asked for. */
    NOT_RUN("not run");

    private final String word;

    Verdict(String word) {
      this.word = word;
    }

    /** As the table says it. */
    public String word() {
      return word;
    }

    /** Whether one such row makes the run a failure. */
    public boolean isFailure() {
      return this == WORSE || this == MISSING;
    }
  }

  /**
   * One row.
   *
   * @param name of the row
   * @param beside the reference
   * @param before the ratio in the baseline
   * @param now the ratio in the run
   * @param verdict what that means
   */
  public record Change(
      String name, String beside, Optional<Double> before, Optional<Double> now, Verdict verdict) {
    /** The ratio as a multiple of what it was. */
    public Optional<Double> factor() {
      return before.flatMap(old -> now.map(value -> value / old));
    }
  }

  /** What has to agree for two ratios to mean the same. */
  private record Key(String name, String beside) {
    static Key of(Row row) {
      return new Key(row.name(), row.beside());
    }
  }

  /** Copies the list; rejects a tolerance that would call equal ratios worse. */
  public Comparison {
    changes = List.copyOf(changes);
    if (!(tolerance > 1)) {
      throw new IllegalArgumentException("a tolerance of " + tolerance);
    }
  }

  /**
   * Compares.
   *
   * @param whole whether the run was to measure everything: then a row of the baseline must be
   *     there
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

  /** The rows that make it a failure. */
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
