package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.flood.HandshakeFlood;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.render.Table;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/** Report on the cost of unauthenticated peers, as text and JSON. */
final class FloodReport {
  private static final double TIMES_P99 = 1.5;

  /**
   * Least share of the requested packet rate for a valid result: with fewer packets the leader had
   * less to do.
   */
  private static final double HELD = 0.95;

  private static final double NS_PER_US = 1e3;
  private static final double HUNDREDTHS = 100;
  private static final List<String> HANDSHAKES =
      List.of("begun", "asked", "refused", "bad_tokens", "stray");

  private FloodReport() {}

  /**
   * Creates the report.
   *
   * @param workers how many took part
   * @param rounds at least one
   */
  static SuiteResult of(Load load, Workers workers, List<FloodRound> rounds) {
    ObjectNode tree = load.json().put("workers", workers.count());
    ObjectNode flood = tree.putObject("flood");
    List<Target> aims = new ArrayList<>();
    StringBuilder sums = new StringBuilder();
    for (HandshakeFlood.Kind kind : HandshakeFlood.Kind.values()) {
      Summary summary = Summary.of(kind, rounds);
      summary.write(flood.putObject(key(kind)));
      sums.append(summary.text());
      aims.add(summary.aim());
    }
    Target.write(aims, tree);
    String text =
        load.text()
            + workers.text()
            + "\nmkdir by 1 thread, by turns with nobody at the leader's port, and with"
            + " unauthenticated peers\nthat send it copies of a few first packets (COPIES), or"
            + " first packets of which no two are the\nsame (MADE UP). Times in microseconds.\n"
            + table(rounds, tree.putArray("rows"))
            + "Times as long, median of the rounds (lowest to highest), and what the leader made of"
            + " the packets:\n"
            + sums
            + "\n"
            + Target.text(aims);
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static String table(List<FloodRound> rounds, ArrayNode rows) {
    Table table = Table.of(">ROUND", ">P50", ">COPIES", ">MADE UP", ">P99", ">COPIES", ">MADE UP");
    for (FloodRound round : rounds) {
      table.row(
          Integer.toString(rows.size() + 1),
          micros(round.quiet().p50Ns()),
          micros(round.copies().sample().p50Ns()),
          micros(round.madeUp().sample().p50Ns()),
          micros(round.quiet().p99Ns()),
          micros(round.copies().sample().p99Ns()),
          micros(round.madeUp().sample().p99Ns()));
      ObjectNode row = rows.addObject();
      write(row.putObject("quiet"), round.quiet());
      for (HandshakeFlood.Kind kind : HandshakeFlood.Kind.values()) {
        FloodTurn turn = round.turn(kind);
        ObjectNode node = row.putObject(key(kind));
        write(node, turn.sample());
        node.put("times_p50", rounded(turn.timesP50(round.quiet())))
            .put("times_p99", rounded(turn.timesP99(round.quiet())))
            .put("packets_per_s", Math.round(turn.packetsPerSecond()));
      }
    }
    return table.render("");
  }

  private static String key(HandshakeFlood.Kind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
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

  /** All rounds with one kind of packets. */
  private record Summary(
      HandshakeFlood.Kind kind,
      Spread p50,
      Spread p99,
      double packetsPerSecond,
      Map<String, Long> handshakes) {
    static Summary of(HandshakeFlood.Kind kind, List<FloodRound> rounds) {
      Map<String, Long> handshakes = new LinkedHashMap<>();
      for (String key : HANDSHAKES) {
        handshakes.put(key, rounds.stream().mapToLong(r -> r.turn(kind).handshakes(key)).sum());
      }
      return new Summary(
          kind,
          Spread.of(rounds, round -> round.turn(kind).timesP50(round.quiet())),
          Spread.of(rounds, round -> round.turn(kind).timesP99(round.quiet())),
          rounds.stream().mapToDouble(r -> r.turn(kind).packetsPerSecond()).average().orElse(0),
          handshakes);
    }

    void write(ObjectNode node) {
      node.put("packets_per_s", Math.round(packetsPerSecond));
      p50.write(node.putObject("times_p50"));
      p99.write(node.putObject("times_p99"));
      handshakes.forEach(node::put);
    }

    String text() {
      String made =
          handshakes.entrySet().stream()
              .map(
                  each -> Quantities.count(each.getValue()) + " " + each.getKey().replace('_', ' '))
              .collect(Collectors.joining(", "));
      return String.format(
          Locale.ROOT, "%-8s p50 %s, p99 %s; %s%n", what(), p50.text(), p99.text(), made);
    }

    Target aim() {
      boolean held = packetsPerSecond >= HELD * Flood.PACKETS_PER_SECOND;
      String found =
          String.format(Locale.ROOT, "%s times at %,.0f packets/s", p99.text(), packetsPerSecond);
      return new Target(
          "flood_times_p99_" + key(kind),
          String.format(
              Locale.ROOT,
              "mkdir by 1 thread p99 below %.1f times as long while unauthenticated peers send"
                  + " %,d first packets/s (%s)",
              TIMES_P99,
              Flood.PACKETS_PER_SECOND,
              what()),
          held ? found : found + "; they sent less than that",
          held && p99.median() < TIMES_P99);
    }

    private String what() {
      return key(kind).replace('_', ' ');
    }
  }

  /** Median and range of a figure over several rounds. */
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
