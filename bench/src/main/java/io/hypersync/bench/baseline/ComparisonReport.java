package io.hypersync.bench.baseline;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.Table;
import java.math.BigDecimal;
import java.math.MathContext;
import java.util.Locale;
import java.util.Optional;

/** Report on a comparison, as text and JSON. */
public final class ComparisonReport {
  private static final MathContext DIGITS = new MathContext(3);
  private static final String NONE = "-";
  private static final double PERCENT = 100;

  private ComparisonReport() {}

  /** Returns a table and a summary line. */
  public static String render(Comparison comparison) {
    Table table = Table.of("ROW", "BESIDE", ">BASELINE", ">NOW", ">CHANGE", "");
    for (Comparison.Change change : comparison.changes()) {
      table.row(
          change.name(),
          change.beside(),
          ratio(change.before()),
          ratio(change.now()),
          change.factor().map(ComparisonReport::percent).orElse(NONE),
          change.verdict().word());
    }
    int failures = comparison.failures().size();
    String sum =
        failures == 0
            ? "no row is more than %.0f %% slower than in the baseline%n"
            : "%2$d rows are missing, or more than %1$.0f %% slower than in the baseline%n";
    return String.format(
            Locale.ROOT,
            "%nRatios: how many times as long as the reference beside it, in the same run."
                + " Load average %.1f in the baseline, %.1f now.%n",
            comparison.loadBefore(),
            comparison.loadNow())
        + table.render("")
        + String.format(Locale.ROOT, sum, (comparison.tolerance() - 1) * PERCENT, failures);
  }

  /** Returns the rows with the keys of {@code docs/benchmarks.md}. */
  public static ArrayNode json(Comparison comparison) {
    ArrayNode list = JsonNodeFactory.instance.arrayNode();
    for (Comparison.Change change : comparison.changes()) {
      var row = list.addObject();
      row.put("row", change.name()).put("beside", change.beside());
      change.before().ifPresent(value -> row.put("baseline", rounded(value)));
      change.now().ifPresent(value -> row.put("now", rounded(value)));
      change.factor().ifPresent(value -> row.put("factor", rounded(value)));
      row.put("verdict", change.verdict().name().toLowerCase(Locale.ROOT));
    }
    return list;
  }

  /** Formats a ratio with three significant digits, as in the file. */
  public static String ratio(double value) {
    return rounded(value).toPlainString();
  }

  private static String ratio(Optional<Double> value) {
    return value.map(ComparisonReport::ratio).orElse(NONE);
  }

  private static String percent(double factor) {
    return String.format(Locale.ROOT, "%+.0f %%", (factor - 1) * PERCENT);
  }

  private static BigDecimal rounded(double value) {
    return BigDecimal.valueOf(value).round(DIGITS);
  }
}
