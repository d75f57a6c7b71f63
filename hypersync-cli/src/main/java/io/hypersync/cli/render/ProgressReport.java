package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/**
 * How far workers that are behind have come, in a line for each, from the tree of {@code
 * docs/json.md}.
 */
final class ProgressReport {
  /** A worker reports after so many entries, so fewer are no lag. */
  private static final long FEW_ENTRIES = 256;

  private ProgressReport() {}

  /** What a worker still has to do; empty if it is not behind. */
  static String of(JsonNode worker, String indent) {
    JsonNode install = worker.path("install");
    JsonNode catchUp = worker.path("catch_up");
    String name = indent + Printable.line(worker.path("worker_id").asText());
    if (install.isObject()) {
      return name
          + " installs the snapshot of entry "
          + count(install, "index")
          + ": "
          + count(install, "pages")
          + " of about "
          + count(install, "pages_estimate")
          + " pages, "
          + bytes(install, "bytes")
          + " of about "
          + bytes(install, "bytes_estimate")
          + rate(install, "pages_per_s")
          + "\n";
    }
    if (worker.path("installing").asBoolean()) {
      return name + " installs a snapshot; its own status says how far it is\n";
    }
    if (catchUp.path("entries_behind").asLong() <= FEW_ENTRIES) {
      return "";
    }
    return name
        + " is "
        + count(catchUp, "entries_behind")
        + " entries behind"
        + rate(catchUp, "entries_per_s")
        + "\n";
  }

  private static String rate(JsonNode progress, String perSecond) {
    JsonNode rate = progress.path(perSecond);
    JsonNode left = progress.path("ms_left");
    return (rate.isNumber()
            ? ", " + Quantities.count(Math.round(rate.asDouble())) + " a second"
            : "")
        + (left.isNumber()
            ? ", about " + Quantities.uptime(left.asLong()) + " left"
            : ", it is not known how long that takes");
  }

  private static String count(JsonNode node, String key) {
    return Quantities.count(node.path(key).asLong());
  }

  private static String bytes(JsonNode node, String key) {
    return Quantities.bytes(node.path(key).asLong());
  }
}
