package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** What snapshots and collections cost, in words, from the tree of {@code docs/json.md}. */
final class CostReport {
  private CostReport() {}

  /** What the newest snapshot has cost: ", wrote ..."; empty for a daemon that does not say. */
  static String ofSnapshot(JsonNode snapshots) {
    if (!snapshots.path("newest_bytes_written").isNumber()) {
      return "";
    }
    JsonNode took = snapshots.path("last_took_ms");
    return ", wrote "
        + Quantities.bytes(snapshots.path("newest_bytes_written").asLong())
        + (took.isNumber() ? " in " + millis(took) : "");
  }

  /** What the last collection has found besides what is alive, and what it has cost. */
  static String ofCollection(JsonNode last) {
    return (last.path("bytes_pinned").isNumber()
            ? Quantities.bytes(last.path("bytes_pinned").asLong()) + ", dead "
            : "-, dead ")
        + Quantities.bytes(last.path("bytes_dead").asLong())
        + "; read "
        + Quantities.count(last.path("pages_read").asLong())
        + " pages in "
        + millis(last.path("took_ms"));
  }

  private static String millis(JsonNode ms) {
    return Quantities.micros(1_000 * ms.asLong());
  }
}
