package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.bench.baseline.ComparisonReport;
import io.hypersync.bench.baseline.Row;
import io.hypersync.bench.micro.Figure;
import io.hypersync.cli.render.Table;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Report on the JMH suites, as text and JSON. */
final class MicroReport {
  private static final String NONE = "-";
  private static final double PRECISE_BELOW_US = 100;
  private static final double THOUSANDTHS = 1000;

  private MicroReport() {}

  static SuiteResult of(Load load, List<Figure> figures) {
    List<Row> rows = Figure.rows(figures);
    Map<String, Row> byName =
        rows.stream().collect(Collectors.toMap(Row::name, Function.identity()));
    Table table = Table.of("BENCHMARK", ">BEST", ">P50", ">P99", ">RATIO", "BESIDE");
    ObjectNode tree = load.json();
    ArrayNode list = tree.putArray("rows");
    for (Figure figure : figures) {
      Optional<Row> row = Optional.ofNullable(byName.get(figure.name()));
      table.row(
          figure.name(),
          micros(figure.bestUs()),
          micros(figure.p50Us()),
          figure.p99Us().map(MicroReport::micros).orElse(NONE),
          row.map(known -> ComparisonReport.ratio(known.ratio())).orElse(NONE),
          row.map(Row::beside).orElse(NONE));
      ObjectNode node = list.addObject().put("row", figure.name());
      node.put("best_us", rounded(figure.bestUs()));
      node.put("p50_us", rounded(figure.p50Us()));
      figure.p99Us().ifPresent(value -> node.put("p99_us", rounded(value)));
      row.ifPresent(known -> node.put("beside", known.beside()).put("ratio", known.ratio()));
    }
    List<Target> aims = MicroTargets.of(figures);
    Target.write(aims, tree);
    String text =
        load.text()
            + "\nTimes in microseconds. RATIO: the best over that of the reference BESIDE it.\n"
            + table.render("")
            + Target.text(aims);
    return new SuiteResult(load.average(), rows, List.of(), tree, text);
  }

  private static String micros(double us) {
    return String.format(Locale.ROOT, us < PRECISE_BELOW_US ? "%.2f" : "%,.0f", us);
  }

  private static double rounded(double us) {
    return Math.round(us * THOUSANDTHS) / THOUSANDTHS;
  }
}
