package io.hypersync.bench;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What strangers cost, for people and for programs. */
final class FloodReport {
  private static final double TIMES_P99 = 1.5;

  /** Of the packets that were asked for: with fewer of them the leader had less to do. */
  private static final double HELD = 0.95;

  private static final double NS_PER_US = 1e3;
  private static final double HUNDREDTHS = 100;
  private static final List<String> HANDSHAKES =
      List.of("begun", "asked", "refused", "bad_tokens", "stray");

  private FloodReport() {}

  /**
   * All of it.
   *
   * @param workers how many took part
   * @param rounds one at least
   * @param before what the leader had made of first packets, as its status has it
   * @param after the same when the last round was over
   */
  static Findings of(
      Load load, Workers workers, List<FloodRound> rounds, JsonNode before, JsonNode after) {
    Spread p50 = Spread.of(rounds, FloodRound::timesP50);
    Spread p99 = Spread.of(rounds, FloodRound::timesP99);
    double perSecond =
        rounds.stream().mapToDouble(FloodRound::packetsPerSecond).average().orElse(0);
    List<Aim> aims = List.of(aim(p99, perSecond));
    ObjectNode tree = load.json().put("workers", workers.count());
    ObjectNode flood = tree.putObject("flood");
    flood.put("packets_per_s", Math.round(perSecond));
    p50.write(flood.putObject("times_p50"));
    p99.write(flood.putObject("times_p99"));
    HANDSHAKES.forEach(key -> flood.put(key, after.path(key).asLong() - before.path(key).asLong()));
    Table table =
        Table.of(
            ">ROUND", ">P50", ">FLOODED", ">TIMES", ">P99", ">FLOODED", ">TIMES", ">PACKETS/S");
    ArrayNode rows = tree.putArray("rows");
    for (FloodRound round : rounds) {
      table.row(
          Integer.toString(rows.size() + 1),
          micros(round.quiet().p50Ns()),
          micros(round.flooded().p50Ns()),
          times(round.timesP50()),
          micros(round.quiet().p99Ns()),
          micros(round.flooded().p99Ns()),
          times(round.timesP99()),
          Quantities.count(Math.round(round.packetsPerSecond())));
      ObjectNode row = rows.addObject();
      write(row.putObject("quiet"), round.quiet());
      write(row.putObject("flooded"), round.flooded());
      row.put("times_p50", rounded(round.timesP50()))
          .put("times_p99", rounded(round.timesP99()))
          .put("packets_per_s", Math.round(round.packetsPerSecond()));
    }
    Aim.write(aims, tree);
    String text =
        load.text()
            + workers.text()
            + "\nmkdir by 1 thread, by turns with nobody at the leader's port and with strangers who"
            + " send it\ncopies of first packets (FLOODED). Times in microseconds.\n"
            + table.render("")
            + String.format(
                Locale.ROOT,
                "TIMES, median of the rounds (lowest to highest): p50 %s, p99 %s%n",
                p50.text(),
                p99.text())
            + "What the leader made of them:"
            + handshakes(flood)
            + "\n"
            + Aim.text(aims);
    return new Findings(load.average(), List.of(), List.of(), tree, text);
  }

  private static String handshakes(ObjectNode flood) {
    StringBuilder text = new StringBuilder();
    for (String key : HANDSHAKES) {
      text.append(text.isEmpty() ? " " : ", ")
          .append(Quantities.count(flood.path(key).asLong()))
          .append(' ')
          .append(key.replace('_', ' '));
    }
    return text.toString();
  }

  private static Aim aim(Spread p99, double perSecond) {
    boolean held = perSecond >= HELD * Flood.PACKETS_PER_SECOND;
    String found = String.format(Locale.ROOT, "%s times at %,.0f packets/s", p99.text(), perSecond);
    return new Aim(
        "flood_times_p99",
        String.format(
            Locale.ROOT,
            "mkdir by 1 thread p99 below %.1f times as long while strangers send %,d first"
                + " packets/s",
            TIMES_P99,
            Flood.PACKETS_PER_SECOND),
        held ? found : found + "; they sent less than that",
        held && p99.median() < TIMES_P99);
  }

  private static void write(ObjectNode node, Sample sample) {
    node.put("p50_us", rounded(sample.p50Ns() / NS_PER_US))
        .put("p99_us", rounded(sample.p99Ns() / NS_PER_US))
        .put("ops_per_s", rounded(sample.operationsPerSecond()))
        .put("ops", sample.operations());
  }

  private static String micros(long ns) {
    return String.format(Locale.ROOT, "%,.0f", ns / NS_PER_US);
  }

  private static String times(double value) {
    return String.format(Locale.ROOT, "%.2f", value);
  }

  private static double rounded(double value) {
    return Math.round(value * HUNDREDTHS) / HUNDREDTHS;
  }

  /** A figure of several rounds. */
  private record Spread(double median, double lowest, double highest) {
    static Spread of(List<FloodRound> rounds, ToDoubleFunction<FloodRound> value) {
      double[] sorted = rounds.stream().mapToDouble(value).sorted().toArray();
      int middle = sorted.length / 2;
      double median =
          sorted.length % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
      return new Spread(median, sorted[0], sorted[sorted.length - 1]);
    }

    String text() {
      return times(median) + " (" + times(lowest) + " to " + times(highest) + ")";
    }

    void write(ObjectNode node) {
      node.put("median", rounded(median))
          .put("lowest", rounded(lowest))
          .put("highest", rounded(highest));
    }
  }
}
