package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.bench.baseline.Row;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Report on the times of whole jobs, as text and JSON. */
final class JobReport {
  private static final String NONE = "-";
  private static final double NS_PER_S = 1e9;
  private static final double NS_PER_MS = 1e6;
  private static final double HUNDREDTHS = 100;

  private JobReport() {}

  /**
   * Creates the report.
   *
   * @param workers how many took part
   * @param leftOut what could not be measured, and why
   */
  static SuiteResult of(Load load, Workers workers, List<JobDurations> all, List<String> leftOut) {
    List<Target> aims = JobTargets.of(all);
    return new SuiteResult(
        load.average(),
        ratios(all),
        leftOut,
        json(load, workers, all, leftOut, aims),
        text(load, workers, all, leftOut, aims));
  }

  private static List<Row> ratios(List<JobDurations> all) {
    List<Row> rows = new ArrayList<>();
    for (JobDurations times : all) {
      MeasuredFilesystem.Kind beside = times.job().reference();
      times
          .times(beside)
          .ifPresent(ratio -> rows.add(new Row(times.job().key(), beside.label(), ratio)));
    }
    return rows;
  }

  private static String text(
      Load load, Workers workers, List<JobDurations> all, List<String> leftOut, List<Target> aims) {
    List<MeasuredFilesystem.Kind> kinds =
        Arrays.stream(MeasuredFilesystem.Kind.values())
            .filter(kind -> kind != MeasuredFilesystem.Kind.HYPERSYNC)
            .filter(kind -> all.stream().anyMatch(times -> times.on(kind).isPresent()))
            .toList();
    List<String> headings = new ArrayList<>(List.of("JOB", ">HYPERSYNC"));
    for (MeasuredFilesystem.Kind kind : kinds) {
      headings.add(">" + kind.label().toUpperCase(Locale.ROOT));
      headings.add(">OURS");
    }
    Table table = Table.of(headings.toArray(String[]::new));
    for (JobDurations times : all) {
      List<String> cells = new ArrayList<>();
      cells.add(times.job().title());
      cells.add(seconds(times.on(MeasuredFilesystem.Kind.HYPERSYNC)));
      for (MeasuredFilesystem.Kind kind : kinds) {
        cells.add(seconds(times.on(kind)));
        cells.add(
            times
                .times(kind)
                .map(ratio -> String.format(Locale.ROOT, "%.1fx", ratio))
                .orElse(NONE));
      }
      table.row(cells.toArray(String[]::new));
    }
    StringBuilder text = new StringBuilder(load.text()).append(workers.text());
    text.append("\nWhole jobs, in seconds. OURS: HyperSync's time over theirs.\n");
    text.append(table.render(""));
    leftOut.forEach(why -> text.append('\n').append(why).append('\n'));
    text.append(Target.text(aims));
    return text.toString();
  }

  private static String seconds(Optional<Long> ns) {
    return ns.map(value -> String.format(Locale.ROOT, "%.3f", value / NS_PER_S)).orElse(NONE);
  }

  private static ObjectNode json(
      Load load, Workers workers, List<JobDurations> all, List<String> leftOut, List<Target> aims) {
    ObjectNode tree = load.json().put("workers", workers.count());
    ArrayNode rows = tree.putArray("rows");
    for (JobDurations times : all) {
      ObjectNode row = rows.addObject().put("job", times.job().key());
      times.ns().forEach((place, ns) -> row.put(place.key() + "_ms", rounded(ns / NS_PER_MS)));
      for (MeasuredFilesystem.Kind place : times.ns().keySet()) {
        if (place != MeasuredFilesystem.Kind.HYPERSYNC) {
          times.times(place).ifPresent(ratio -> row.put("times_" + place.key(), rounded(ratio)));
        }
      }
    }
    ArrayNode out = tree.putArray("left_out");
    leftOut.forEach(out::add);
    Target.write(aims, tree);
    return tree;
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
