package io.hypersync.bench;

import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.Set;

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
      text.append(mainHost(report));
      text.append(cpu(report));
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

  /** Renders the main host's mount beside its floor; empty if one of them was not measured. */
  private static String mainHost(Report report) {
    OptionalLong floor = Floor.ofMainHost(report.rows());
    if (floor.isEmpty()) {
      return "";
    }
    Table table = Table.of("OPERATION", ">MAIN-HOST", ">FLOOR", ">TIMES");
    for (Operation operation : Floor.COMMITS) {
      Pair.find(report.rows(), operation, 1)
          .flatMap(row -> row.on(MeasuredFilesystem.Kind.MAIN_HOST))
          .ifPresent(
              sample -> {
                long least = Floor.commits(operation) * floor.getAsLong();
                table.row(
                    operation.title(),
                    micros(sample.p50Ns()),
                    micros(least),
                    ratio((double) sample.p50Ns() / least));
              });
    }
    return "\nThe main host's mount, 1 thread, medians. FLOOR: statfs there and an O_DSYNC\n"
        + "overwrite, twice for two commits.\n"
        + table.render("");
  }

  /** Renders what processor time operations take; empty if no daemon is known. */
  private static String cpu(Report report) {
    Set<String> names = new LinkedHashSet<>();
    for (Pair row : report.rows()) {
      row.samples().values().forEach(sample -> names.addAll(sample.cpu().ns().keySet()));
    }
    if (names.isEmpty()) {
      return "";
    }
    List<String> headings = new ArrayList<>(List.of("OPERATION", ">THREADS", "THROUGH"));
    names.forEach(name -> headings.add(">" + name.toUpperCase(Locale.ROOT)));
    headings.add(">ALL");
    Table table = Table.of(headings.toArray(String[]::new));
    for (Pair row : report.rows()) {
      for (Sample sample : row.samples().values()) {
        OptionalDouble all = sample.cpuNsPerOperation();
        if (all.isPresent()) {
          List<String> cells =
              new ArrayList<>(
                  List.of(
                      row.operation().title(),
                      Integer.toString(row.threads()),
                      sample.place().label()));
          for (String name : names) {
            Long ns = sample.cpu().ns().get(name);
            cells.add(ns == null ? NONE : micros(ns / sample.operations()));
          }
          cells.add(micros(Math.round(all.getAsDouble())));
          table.row(cells.toArray(String[]::new));
        }
      }
    }
    return "\nProcessor time of the daemons for one operation, microseconds, user and system.\n"
        + table.render("");
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
    return ratio.map(TextReport::ratio).orElse(NONE);
  }

  private static String ratio(double value) {
    return String.format(Locale.ROOT, "%.1fx", value);
  }
}
