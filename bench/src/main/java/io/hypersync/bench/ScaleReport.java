package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.List;
import java.util.Locale;

/** Report on what many files cost, as text and JSON. */
final class ScaleReport {
  private static final double NS_PER_S = 1e9;
  private static final double NS_PER_MS = 1e6;
  private static final double HUNDREDTHS = 100;

  private ScaleReport() {}

  static SuiteResult of(Load load, ScaleFound found) {
    List<Target> aims = ScaleAims.of(found);
    ObjectNode tree = load.json().put("workers", 1);
    tree.put("files", found.files())
        .put("fill_ms", Math.round(found.fillNs() / NS_PER_MS))
        .put("entries", found.entries())
        .put("late_start_ms", rounded(found.late().wallNs() / NS_PER_MS))
        .put("late_start_cpu_ms", rounded(found.late().cpuNs() / NS_PER_MS));
    ArrayNode snapshots = tree.putArray("snapshots");
    for (SnapshotCost cost : found.snapshots()) {
      snapshots
          .addObject()
          .put("wall_ms", rounded(cost.wallNs() / NS_PER_MS))
          .put("cpu_ms", rounded(cost.cpuNs() / NS_PER_MS))
          .put("written_bytes", cost.writtenBytes())
          .put("pages", cost.pages());
    }
    ArrayNode writers = tree.putArray("writers_times_p99");
    found.writers().forEach(ratio -> writers.add(rounded(ratio)));
    add(tree.putObject("new_worker_empty"), found.empty());
    add(tree.putObject("new_worker_full"), found.full());
    ArrayNode rows = tree.putArray("rows");
    Table table =
        Table.of(
            "DAEMON", ">START, EMPTY", ">START", ">CPU", ">EMPTY", ">FILLED", ">A FILE", ">AGAIN");
    side("", found, found.now(), table, rows);
    found.before().ifPresent(side -> side(", before", found, side, table, rows));
    Target.write(aims, tree);
    String text =
        load.text()
            + String.format(
                Locale.ROOT,
                "a leader and a worker%n%n%s empty files, made in %.1f s%n",
                Quantities.count(found.files()),
                found.fillNs() / NS_PER_S)
            + "START: after SIGTERM, fastest of three, and its processor time. Memory: EMPTY after"
            + " such a start,\nFILLED right after the last file, A FILE what it has grown by, AGAIN"
            + " after a start with all files.\n"
            + table.render("")
            + snapshots(found)
            + newWorkers(found)
            + Target.text(aims);
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static void side(
      String which, ScaleFound found, ScaleFound.Side side, Table table, ArrayNode rows) {
    row(
        "leader" + which,
        found,
        side.emptyLeader(),
        side.leader(),
        side.filledLeader(),
        table,
        rows);
    row(
        "worker" + which,
        found,
        side.emptyWorker(),
        side.worker(),
        side.filledWorker(),
        table,
        rows);
  }

  private static void row(
      String daemon,
      ScaleFound found,
      Restart empty,
      Restart full,
      ResidentMemory filled,
      Table table,
      ArrayNode rows) {
    long perFile = (filled.bytes() - empty.memory().bytes()) / found.files();
    table.row(
        daemon,
        seconds(empty.wallNs()),
        seconds(full.wallNs()),
        seconds(full.cpuNs()),
        Quantities.bytes(empty.memory().bytes()),
        Quantities.bytes(filled.bytes()),
        Quantities.count(perFile) + " B",
        Quantities.bytes(full.memory().bytes()));
    rows.addObject()
        .put("daemon", daemon)
        .put("empty_start_ms", rounded(empty.wallNs() / NS_PER_MS))
        .put("start_ms", rounded(full.wallNs() / NS_PER_MS))
        .put("start_cpu_ms", rounded(full.cpuNs() / NS_PER_MS))
        .put("empty_bytes", empty.memory().bytes())
        .put("resident_bytes", filled.bytes())
        .put("own_bytes", filled.ownBytes())
        .put("bytes_per_file", perFile)
        .put("restarted_bytes", full.memory().bytes());
  }

  private static String snapshots(ScaleFound found) {
    Table table = Table.of(">DURABLE AFTER", ">CPU", ">WRITTEN", ">PAGES");
    for (SnapshotCost cost : found.snapshots()) {
      table.row(
          seconds(cost.wallNs()),
          seconds(cost.cpuNs()),
          Quantities.bytes(cost.writtenBytes()),
          Quantities.count(cost.pages()));
    }
    List<Double> sorted = found.writers().stream().sorted().toList();
    return "\nSnapshots of the leader, each with 1,000 changed files\n"
        + table.render("")
        + String.format(
            Locale.ROOT,
            "Writers' p99 beside a snapshot each second, over that without: %.2f, quartiles %.2f"
                + " to %.2f, of %d rounds%n",
            ScaleAims.median(sorted),
            sorted.get(sorted.size() / 4),
            sorted.get(sorted.size() * 3 / 4),
            sorted.size());
  }

  private static String newWorkers(ScaleFound found) {
    Table table =
        Table.of("NEW WORKER", ">MOUNTED", ">LS -L", ">OF 1,000 FILES", ">CAUGHT UP", ">MEMORY");
    table.row(
        "empty workspace",
        seconds(found.empty().mountedNs()),
        seconds(found.empty().listedNs()),
        "-",
        seconds(found.empty().caughtUpNs()),
        Quantities.bytes(found.empty().memory().bytes()));
    table.row(
        "all files",
        seconds(found.full().mountedNs()),
        seconds(found.full().listedNs()),
        "+ " + seconds(found.full().folderNs()),
        seconds(found.full().caughtUpNs()),
        Quantities.bytes(found.full().memory().bytes()));
    return "\nFrom the start of a new worker on, with an empty state directory\n"
        + table.render("");
  }

  private static void add(ObjectNode node, FirstList list) {
    node.put("mounted_ms", rounded(list.mountedNs() / NS_PER_MS))
        .put("folder_ms", rounded(list.folderNs() / NS_PER_MS))
        .put("listed_ms", rounded(list.listedNs() / NS_PER_MS))
        .put("caught_up_ms", rounded(list.caughtUpNs() / NS_PER_MS))
        .put("entries", list.entries())
        .put("resident_bytes", list.memory().bytes());
  }

  private static String seconds(long ns) {
    return String.format(Locale.ROOT, "%.2f s", ns / NS_PER_S);
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
