package io.hypersync.bench.baseline;

import static io.hypersync.bench.baseline.Comparison.Verdict.BETTER;
import static io.hypersync.bench.baseline.Comparison.Verdict.MISSING;
import static io.hypersync.bench.baseline.Comparison.Verdict.NEW;
import static io.hypersync.bench.baseline.Comparison.Verdict.NOT_RUN;
import static io.hypersync.bench.baseline.Comparison.Verdict.SAME;
import static io.hypersync.bench.baseline.Comparison.Verdict.WORSE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A comparison")
final class ComparisonTest {
  private static Baseline rows(Row... rows) {
    return new Baseline("micro", rows.length, List.of(rows));
  }

  private static Row row(String name, double ratio) {
    return new Row(name, "disk", ratio);
  }

  private static List<Comparison.Verdict> verdicts(Comparison comparison) {
    return comparison.changes().stream().map(Comparison.Change::verdict).toList();
  }

  @ParameterizedTest(name = "{0} -> {1}, tolerance {2}: {3}")
  @CsvSource({
    "2.0,  2.0,   1.5, SAME",
    "2.0,  2.9,   1.5, SAME",
    "2.0,  3.0,   1.5, SAME",
    "2.0,  3.1,   1.5, WORSE",
    "2.0,  1.34,  1.5, SAME",
    "2.0,  1.33,  1.5, BETTER",
    "0.1,  0.16,  1.5, WORSE",
    "0.1,  0.149, 1.5, SAME",
    "0.01, 0.02,  3.0, SAME",
    "5.0,  5.2,   1.03, WORSE",
  })
  @DisplayName("calls a ratio worse when it grew by more than the tolerance, and only then")
  void verdict(double before, double now, double tolerance, Comparison.Verdict expected) {
    Comparison comparison =
        Comparison.of(rows(row("a", before)), rows(row("a", now)), true, tolerance);
    assertEquals(List.of(expected), verdicts(comparison));
    assertEquals(expected == WORSE ? 1 : 0, comparison.failures().size());
  }

  @Test
  @DisplayName("has the rows of both, those of the baseline first")
  void rowsOfBoth() {
    Comparison comparison =
        Comparison.of(
            rows(row("a", 1), row("b", 1), row("c", 1)),
            rows(row("new", 7), row("c", 9), row("a", 0.1)),
            true,
            1.5);
    assertEquals(
        List.of("a", "b", "c", "new"),
        comparison.changes().stream().map(Comparison.Change::name).toList());
    assertEquals(List.of(BETTER, MISSING, WORSE, NEW), verdicts(comparison));
    assertEquals(
        List.of("b", "c"), comparison.failures().stream().map(Comparison.Change::name).toList());
  }

  @Test
  @DisplayName("misses nothing that was not asked for")
  void partOfTheSuite() {
    Comparison comparison =
        Comparison.of(rows(row("a", 1), row("b", 1)), rows(row("b", 1)), false, 1.5);
    assertEquals(List.of(NOT_RUN, SAME), verdicts(comparison));
    assertEquals(List.of(), comparison.failures());
  }

  @Test
  @DisplayName("does not compare ratios over different references")
  void otherReference() {
    Comparison comparison =
        Comparison.of(rows(row("a", 1)), rows(new Row("a", "memory", 1)), true, 1.5);
    assertEquals(List.of(MISSING, NEW), verdicts(comparison));
  }

  @ParameterizedTest
  @ValueSource(doubles = {1, 0.5, -1, Double.NaN})
  @DisplayName("refuses a tolerance that would call equal ratios worse")
  void tolerance(double tolerance) {
    assertThrows(
        IllegalArgumentException.class, () -> Comparison.of(rows(), rows(), true, tolerance));
  }

  @ParameterizedTest
  @ValueSource(doubles = {0, -1, Double.NaN, Double.POSITIVE_INFINITY})
  @DisplayName("takes no ratio that no measurement gives")
  void ratio(double ratio) {
    assertThrows(IllegalArgumentException.class, () -> row("a", ratio));
  }

  @Test
  @DisplayName("is a table for people, which says what it comes to")
  void text() {
    Comparison comparison =
        Comparison.of(
            rows(row("same", 2), row("worse", 0.123456), row("gone", 3)),
            rows(row("same", 2.2), row("worse", 0.25), row("new", 1_234)),
            true,
            1.5);
    assertEquals(
        """

        Ratios: how many times as long as the reference beside it, in the same run. Load average 3.0 in the baseline, 3.0 now.
        ROW    BESIDE  BASELINE   NOW  CHANGE
        same   disk         2.0   2.2   +10 %
        worse  disk       0.123  0.25  +103 %  WORSE
        gone   disk         3.0     -       -  MISSING
        new    disk           -  1230       -  new
        2 rows are missing, or more than 50 % slower than in the baseline
        """,
        ComparisonReport.render(comparison));
  }

  @Test
  @DisplayName("is a list for programs")
  void json() {
    Comparison comparison =
        Comparison.of(rows(row("a", 2), row("b", 1)), rows(row("a", 4)), true, 1.5);
    assertEquals(
        """
        [{"row":"a","beside":"disk","baseline":2.0,"now":4.0,"factor":2.0,"verdict":"worse"},\
        {"row":"b","beside":"disk","baseline":1.0,"verdict":"missing"}]""",
        ComparisonReport.json(comparison).toString());
  }
}
