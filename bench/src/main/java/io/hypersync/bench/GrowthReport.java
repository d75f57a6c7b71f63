package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** Report on what grows with the number of entries, as text and JSON. */
final class GrowthReport {
  private static final double NS_PER_S = 1e9;
  private static final double BYTES_PER_MIB = 1 << 20;
  private static final double HUNDREDTHS = 100;

  /**
   * Intents of the last day or ten million, whichever is more, must be remembered (hypersync.md
   * 8.2). So their folder is judged by itself: {@link #INTENT_BYTES} for each entry, and {@link
   * #INTENT_ROOM_MIB} for what its database allocates ahead and has not compacted yet.
   */
  private static final String INTENTS = "intents";

  private static final double INTENT_BYTES = 128;
  private static final double INTENT_ROOM_MIB = 16;

  /**
   * The log may take what {@link Upkeep#LEADER_SETTINGS} says, and a segment that is prepared. It
   * has less before it has had so much.
   */
  private static final double LOG_MIB = 72;

  /**
   * Segments of chunks that are not half dead stay, and so does a newest one below 16 MiB: twice
   * the files in each case. The index database compacts only now and then.
   */
  private static final double CHUNKS_MIB = 80;

  /**
   * A part of the least heap (160 MiB) that nothing has touched yet, and of the room for compiled
   * code (48 MiB).
   */
  private static final double MEMORY_MIB = 96;

  /** A JVM that starts while something else computes takes so much longer. */
  private static final double START_S = 1;

  private GrowthReport() {}

  /**
   * Creates the report.
   *
   * @param points those with fewer entries first; at least one
   */
  static SuiteResult of(Load load, List<GrowthPoint> points) {
    List<GrowthRow> rows = rows(points);
    ObjectNode tree = load.json().put("workers", 1);
    ArrayNode list = tree.putArray("rows");
    for (GrowthRow row : rows) {
      ObjectNode node = list.addObject();
      node.put("figure", row.key())
          .put("unit", row.unit().key())
          .put("limit", rounded(row.limit()))
          .put("flat", row.isFlat());
      ArrayNode at = node.putArray("at");
      row.found().forEach(value -> at.add(rounded(value)));
    }
    ArrayNode at = tree.putArray("points");
    for (GrowthPoint point : points) {
      ObjectNode node =
          at.addObject()
              .put("entries", point.entries())
              .put("entries_per_s", rounded(point.perSecond()))
              .put("live_bytes", point.liveBytes());
      point.leader().disk().parts().forEach(node.putObject("leader_bytes")::put);
      point.worker().disk().parts().forEach(node.putObject("worker_bytes")::put);
    }
    List<Target> aims = rows.stream().map(GrowthRow::target).toList();
    Target.write(aims, tree);
    String text =
        load.text()
            + "a leader and a worker\n\nFigures by the number of entries that the log has had; "
            + "AIM: 1.3 times the first, and an allowance\n"
            + figures(points, rows).render("")
            + "\nWhat is in the state directories\n"
            + parts(points).render("");
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static Table figures(List<GrowthPoint> points, List<GrowthRow> rows) {
    List<String> headings = headings("FIGURE", points);
    headings.add(">AIM");
    headings.add("FLAT");
    Table table = Table.of(headings.toArray(String[]::new));
    for (GrowthRow row : rows) {
      List<String> cells = new ArrayList<>(List.of(row.title()));
      row.found().forEach(value -> cells.add(row.unit().format(value)));
      cells.add(row.unit().format(row.limit()));
      cells.add(row.isFlat() ? "yes" : "NO");
      table.row(cells.toArray(String[]::new));
    }
    return table;
  }

  private static Table parts(List<GrowthPoint> points) {
    Table table = Table.of(headings("PART", points).toArray(String[]::new));
    table.row(cells("files of the workspace", points, GrowthPoint::liveBytes));
    parts("leader", table, points, point -> point.leader().disk());
    parts("worker", table, points, point -> point.worker().disk());
    return table;
  }

  private static void parts(
      String daemon, Table table, List<GrowthPoint> points, Function<GrowthPoint, StateDisk> disk) {
    SortedSet<String> names = new TreeSet<>();
    points.forEach(point -> names.addAll(disk.apply(point).parts().keySet()));
    for (String name : names) {
      table.row(cells(daemon + ": " + name, points, point -> disk.apply(point).part(name)));
    }
  }

  private static String[] cells(
      String title, List<GrowthPoint> points, Function<GrowthPoint, Long> bytes) {
    List<String> cells = new ArrayList<>(List.of(title));
    points.forEach(point -> cells.add(Quantities.bytes(bytes.apply(point))));
    return cells.toArray(String[]::new);
  }

  private static List<String> headings(String first, List<GrowthPoint> points) {
    List<String> headings = new ArrayList<>(List.of(first));
    points.forEach(point -> headings.add(">" + Quantities.count(point.entries())));
    return headings;
  }

  /** Returns the figures that must be flat. */
  static List<GrowthRow> rows(List<GrowthPoint> points) {
    List<GrowthRow> rows = new ArrayList<>();
    rows.add(
        mib(
            "leader_disk",
            "disk of the leader, without intents",
            LOG_MIB + CHUNKS_MIB,
            points,
            point -> point.leader().disk().without(INTENTS)));
    rows.add(intents(points));
    rows.add(
        mib(
            "worker_disk",
            "disk of the worker",
            CHUNKS_MIB,
            points,
            point -> point.worker().disk().bytes()));
    addDaemon("leader", GrowthPoint::leader, points, rows);
    addDaemon("worker", GrowthPoint::worker, points, rows);
    return rows;
  }

  private static GrowthRow intents(List<GrowthPoint> points) {
    return new GrowthRow(
        "leader_intents",
        "intents of the leader",
        GrowthRow.Unit.MIB,
        points.stream().map(point -> point.leader().disk().part(INTENTS) / BYTES_PER_MIB).toList(),
        INTENT_ROOM_MIB + points.getLast().entries() * INTENT_BYTES / BYTES_PER_MIB);
  }

  private static void addDaemon(
      String daemon,
      Function<GrowthPoint, GrowthPoint.Daemon> of,
      List<GrowthPoint> points,
      List<GrowthRow> rows) {
    addRestart(daemon, "stopped", points, point -> of.apply(point).stopped(), rows);
    addRestart(daemon, "killed", points, point -> of.apply(point).killed(), rows);
    rows.add(
        mib(
            daemon + "_resident",
            "memory of the " + daemon + " after the churn",
            MEMORY_MIB,
            points,
            point -> of.apply(point).memory().bytes()));
    rows.add(
        mib(
            daemon + "_own",
            "  without mapped files",
            MEMORY_MIB,
            points,
            point -> of.apply(point).memory().ownBytes()));
    rows.add(
        mib(
            daemon + "_restarted_resident",
            "memory of the " + daemon + " after a restart",
            MEMORY_MIB,
            points,
            point -> of.apply(point).killed().memory().bytes()));
    rows.add(
        mib(
            daemon + "_restarted_own",
            "  without mapped files",
            MEMORY_MIB,
            points,
            point -> of.apply(point).killed().memory().ownBytes()));
  }

  private static void addRestart(
      String daemon,
      String how,
      List<GrowthPoint> points,
      Function<GrowthPoint, Restart> restart,
      List<GrowthRow> rows) {
    rows.add(
        seconds(
            daemon + "_" + how + "_wall",
            "start of a " + how + " " + daemon,
            points,
            point -> restart.apply(point).wallNs()));
    rows.add(
        seconds(
            daemon + "_" + how + "_cpu",
            "  its processor time",
            points,
            point -> restart.apply(point).cpuNs()));
  }

  private static GrowthRow mib(
      String key,
      String title,
      double allowance,
      List<GrowthPoint> points,
      ToLongFunction<GrowthPoint> bytes) {
    List<Double> found =
        points.stream().map(point -> bytes.applyAsLong(point) / BYTES_PER_MIB).toList();
    return GrowthRow.flat(key, title, GrowthRow.Unit.MIB, found, allowance);
  }

  private static GrowthRow seconds(
      String key, String title, List<GrowthPoint> points, ToLongFunction<GrowthPoint> ns) {
    List<Double> found = points.stream().map(point -> ns.applyAsLong(point) / NS_PER_S).toList();
    return GrowthRow.flat(key, title, GrowthRow.Unit.SECONDS, found, START_S);
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }
}
