package io.hypersync.bench;

import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Text report of the end-to-end suite. */
final class TextReport {
  private static final double NS_PER_US = 1000;
  private static final double NS_PER_S = 1e9;
  private static final double PRECISE_BELOW_US = 100;
  private static final String NONE = "-";

  private TextReport() {}

  static String render(Report report) {
    StringBuilder text = new StringBuilder();
    text.append(report.load().text()).append(report.workers().text());
    if (!report.rows().isEmpty()) {
      text.append(
          """

          Durable operations: HyperSync through a mount; beside it the same on the leader's disk,
          each with fsync. Times in microseconds. SCALE: ops/s over those of 1 thread.
          SLOWER: median over the disk's.
          """);
      text.append(latencies(report).render(""));
      text.append(others(report));
    }
    report.leftOut().forEach(why -> text.append('\n').append(why).append('\n'));
    report.memory().ifPresent(use -> text.append(memory(use)));
    text.append(Target.text(report.aims()));
    return text.toString();
  }

  private static Table latencies(Report report) {
    Table table =
        Table.of(
            "OPERATION",
            ">THREADS",
            ">P50",
            ">P99",
            ">OPS/S",
            ">SCALE",
            ">DISK P50",
            ">DISK P99",
            ">DISK OPS/S",
            ">SLOWER");
    for (Pair row : report.rows()) {
      table.row(
          row.operation().title(),
          Integer.toString(row.threads()),
          row.hypersync().map(sample -> micros(sample.p50Ns())).orElse(NONE),
          row.hypersync().map(sample -> micros(sample.p99Ns())).orElse(NONE),
          row.hypersync().map(TextReport::rate).orElse(NONE),
          row.threads() == 1 ? NONE : times(row.timesOneThread()),
          row.plain().map(sample -> micros(sample.p50Ns())).orElse(NONE),
          row.plain().map(sample -> micros(sample.p99Ns())).orElse(NONE),
          row.plain().map(TextReport::rate).orElse(NONE),
          times(row.timesPlainP50()));
    }
    return table;
  }

  /** Renders the other filesystems; empty if none was measured. */
  private static String others(Report report) {
    List<MeasuredFilesystem.Kind> kinds =
        Arrays.stream(MeasuredFilesystem.Kind.values())
            .filter(
                kind ->
                    kind != MeasuredFilesystem.Kind.HYPERSYNC
                        && kind != MeasuredFilesystem.Kind.PLAIN)
            .filter(kind -> report.rows().stream().anyMatch(row -> row.on(kind).isPresent()))
            .toList();
    if (kinds.isEmpty()) {
      return "";
    }
    List<String> headings = new ArrayList<>(List.of("OPERATION", ">THREADS", ">HYPERSYNC"));
    for (MeasuredFilesystem.Kind kind : kinds) {
      headings.add(">" + kind.label().toUpperCase(Locale.ROOT));
      headings.add(">OURS");
    }
    Table table = Table.of(headings.toArray(String[]::new));
    for (Pair row : report.rows()) {
      if (row.hypersync().isPresent()) {
        List<String> cells =
            new ArrayList<>(
                List.of(
                    row.operation().title(),
                    Integer.toString(row.threads()),
                    p50(row, MeasuredFilesystem.Kind.HYPERSYNC)));
        for (MeasuredFilesystem.Kind kind : kinds) {
          cells.add(p50(row, kind));
          cells.add(times(row.timesP50(kind)));
        }
        table.row(cells.toArray(String[]::new));
      }
    }
    return "\nOther filesystems, medians. OURS: HyperSync's over theirs.\n" + table.render("");
  }

  private static String p50(Pair row, MeasuredFilesystem.Kind kind) {
    return row.on(kind).map(sample -> micros(sample.p50Ns())).orElse(NONE);
  }

  private static String memory(MemoryUse use) {
    Table table =
        Table.of("DAEMON", ">EMPTY", ">RESIDENT", ">BYTES A FILE", ">AT REST", ">BYTES A FILE");
    for (MemoryUse.Daemon daemon : use.daemons()) {
      table.row(
          daemon.name(),
          Quantities.bytes(daemon.emptyBytes()),
          Quantities.bytes(daemon.residentBytes()),
          Quantities.count(use.bytesPerFile(daemon)),
          Quantities.bytes(daemon.restingBytes()),
          Quantities.count(use.restingBytesPerFile(daemon)));
    }
    return String.format(
            Locale.ROOT,
            "%nMemory with %s %s, created in %.1f s; the leader, killed, was back in %.1f s, its files %s%n",
            Quantities.count(use.files()),
            use.fileBytes() == 0
                ? "empty files"
                : "files of " + Quantities.count(use.fileBytes()) + " bytes",
            use.elapsedNs() / NS_PER_S,
            use.restartNs() / NS_PER_S,
            use.cold() ? "on the disk only" : "in the page cache")
        + table.render("");
  }

  private static String micros(long ns) {
    double us = ns / NS_PER_US;
    return String.format(Locale.ROOT, us < PRECISE_BELOW_US ? "%.1f" : "%,.0f", us);
  }

  private static String rate(Sample sample) {
    return Quantities.count(Math.round(sample.operationsPerSecond()));
  }

  private static String times(Optional<Double> ratio) {
    return ratio.map(value -> String.format(Locale.ROOT, "%.1fx", value)).orElse(NONE);
  }
}
