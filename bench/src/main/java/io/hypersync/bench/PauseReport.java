package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.List;
import java.util.Locale;

/** Report on the daemons' pauses, as text and JSON. */
final class PauseReport {
  private static final double NS_PER_S = 1e9;
  private static final double NS_PER_MS = 1e6;
  private static final double NS_PER_US = 1e3;
  private static final double HUNDREDTHS = 100;
  private static final int MEDIAN = 50;
  private static final int TAIL = 99;

  /**
   * Least share of the requested rate for a valid result: at a lower rate the daemons had less to
   * do.
   */
  private static final double HELD = 0.95;

  private PauseReport() {}

  /**
   * Creates the report.
   *
   * @param workers how many took part
   * @param full creating files at full speed
   * @param half creating files at half that speed
   * @param all each daemon's pauses during {@code half}
   */
  static SuiteResult of(
      Load load, Workers workers, Sample full, Sample half, List<DaemonPauses> all) {
    double asked = full.operationsPerSecond() / 2;
    List<Target> aims = List.of(aim(half, half.operationsPerSecond() >= HELD * asked, all));
    ObjectNode tree = load.json().put("workers", workers.count());
    tree.putObject("load")
        .put("threads", half.threads())
        .put("seconds", rounded(half.elapsedNs() / NS_PER_S))
        .put("full_ops_per_s", rounded(full.operationsPerSecond()))
        .put("asked_ops_per_s", rounded(asked))
        .put("ops_per_s", rounded(half.operationsPerSecond()))
        .put("p50_us", rounded(half.p50Ns() / NS_PER_US))
        .put("p99_us", rounded(half.p99Ns() / NS_PER_US));
    Table table = Table.of("DAEMON", ">PAUSES", ">P50", ">P99", ">LONGEST", ">OVER 5 MS");
    ArrayNode rows = tree.putArray("rows");
    for (DaemonPauses pauses : all) {
      table.row(
          pauses.daemon(),
          Quantities.count(pauses.ns().size()),
          millis(pauses.percentileNs(MEDIAN)),
          millis(pauses.percentileNs(TAIL)),
          millis(pauses.longestNs()),
          Quantities.count(pauses.tooLong()));
      rows.addObject()
          .put("daemon", pauses.daemon())
          .put("pauses", pauses.ns().size())
          .put("p50_ms", rounded(pauses.percentileNs(MEDIAN) / NS_PER_MS))
          .put("p99_ms", rounded(pauses.percentileNs(TAIL) / NS_PER_MS))
          .put("longest_ms", rounded(pauses.longestNs() / NS_PER_MS))
          .put("over_5_ms", pauses.tooLong());
    }
    Target.write(aims, tree);
    String text =
        load.text()
            + workers.text()
            + String.format(
                Locale.ROOT,
                "%nPauses of the daemons, in ms, in %.0f s in which %d threads created %s files of"
                    + " 4 KiB a second: half of the %s that they can.%n",
                half.elapsedNs() / NS_PER_S,
                half.threads(),
                Quantities.count(Math.round(half.operationsPerSecond())),
                Quantities.count(Math.round(full.operationsPerSecond())))
            + table.render("")
            + Target.text(aims);
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static Target aim(Sample half, boolean held, List<DaemonPauses> all) {
    long tooLong = all.stream().mapToLong(DaemonPauses::tooLong).sum();
    int count = all.stream().mapToInt(pauses -> pauses.ns().size()).sum();
    long longestNs = all.stream().mapToLong(DaemonPauses::longestNs).max().orElse(0);
    String found =
        String.format(
            Locale.ROOT,
            "%,d of %,d in %.0f s, the longest %s ms",
            tooLong,
            count,
            half.elapsedNs() / NS_PER_S,
            millis(longestNs));
    return new Target(
        "no_pause_over_5_ms",
        "no pause of a daemon over 5 ms at half load",
        held ? found : found + "; it was less than half load",
        tooLong == 0 && held);
  }

  private static String millis(long ns) {
    return String.format(Locale.ROOT, "%.1f", ns / NS_PER_MS);
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
