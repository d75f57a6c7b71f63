package io.hypersync.bench;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Table;
import java.util.List;
import java.util.Locale;

/** Report on how often first looks showed an old state, as text and JSON. */
final class FreshnessReport {
  private static final double NS_PER_MS = 1e6;
  private static final double HUNDREDTHS = 100;

  private FreshnessReport() {}

  /**
   * Creates the report.
   *
   * @param quiet looks with no other load
   * @param busy the same looks with writers on both mounts
   */
  static SuiteResult of(Load load, Workers workers, List<LookResult> quiet, List<LookResult> busy) {
    ObjectNode tree = load.json().put("workers", workers.count());
    ArrayNode rows = tree.putArray("rows");
    Table table = Table.of("FIRST LOOK AT", ">OLD", ">LONGEST", ">OLD, BUSY", ">LONGEST, BUSY");
    for (int i = 0; i < quiet.size(); i++) {
      LookResult calm = quiet.get(i);
      LookResult loaded = busy.get(i);
      table.row(calm.look().title(), percent(calm), millis(calm), percent(loaded), millis(loaded));
      rows.addObject()
          .put("look", calm.look().key())
          .put("tries", calm.tries())
          .put("quiet_old", calm.old())
          .put("quiet_longest_ms", rounded(calm.longestNs()))
          .put("busy_old", loaded.old())
          .put("busy_longest_ms", rounded(loaded.longestNs()));
    }
    String text =
        load.text()
            + workers.text()
            + "\nHow often the first look through one mount, right after a call through another had"
            + "\nreturned, showed what was there before, of %d; and until a look was right, in ms.\n"
                .formatted(quiet.getFirst().tries())
            + "BUSY: with %d writers on each of the two mounts.\n".formatted(Writers.EACH)
            + table.render("");
    return new SuiteResult(load.average(), List.of(), List.of(), tree, text);
  }

  private static String percent(LookResult result) {
    return String.format(Locale.ROOT, "%.1f %%", result.oldPercent());
  }

  private static String millis(LookResult result) {
    return String.format(Locale.ROOT, "%.2f", result.longestNs() / NS_PER_MS);
  }

  private static double rounded(long ns) {
    return Math.round(ns / NS_PER_MS * HUNDREDTHS) / HUNDREDTHS;
  }
}
