package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync visibility}, from the tree of {@code docs/json.md}. */
public final class VisibilityReport {
  private VisibilityReport() {}

  /** The mode, and the workers that calls wait for. */
  public static String of(JsonNode found) {
    String mode = found.path("mode").asText();
    StringBuilder out = new StringBuilder();
    out.append("A change is visible ")
        .append(
            mode.equals("everywhere")
                ? "on every mount that can write"
                : "on the mount that it was made on")
        .append(" when its call returns (")
        .append(mode)
        .append(").\n");
    if (!mode.equals("everywhere")) {
      return out.toString();
    }
    if (!found.path("in_force").asBoolean()) {
      out.append("That does not hold yet: see the workers without a lease.\n");
    }
    if (!found.path("at_start").asText().equals(mode)) {
      out.append(
          "The next start of the leader forgets it, unless hypersync.toml has"
              + " hypersync.leader.visibility = \"everywhere\".\n");
    }
    Table table = Table.of("WORKER", "CONNECTED", "LEASE", ">BEHIND", ">WAITED FOR", ">PAUSED");
    for (JsonNode worker : found.path("workers")) {
      table.row(
          Printable.line(worker.path("worker_id").asText()),
          worker.path("connected").asBoolean() ? "yes" : "no",
          worker.path("lease").asBoolean() ? "yes" : "no: read-only",
          worker.path("behind").asText(),
          worker.path("waited_for_ms").asText() + " ms",
          worker.path("paused_ms").asText() + " ms");
    }
    return table.isEmpty() ? out.toString() : out.append('\n').append(table.render("")).toString();
  }
}
