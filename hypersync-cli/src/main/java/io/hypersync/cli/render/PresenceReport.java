package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/**
 * Text output of {@code hypersync peers} and {@code hypersync events}, from the trees of {@code
 * docs/json.md}.
 */
public final class PresenceReport {
  private PresenceReport() {}

  /**
   * A table of the workers that are there.
   *
   * @param all whether to say which of them are connected
   */
  public static String peers(JsonNode found, boolean all) {
    Table table =
        all
            ? Table.of(
                "WORKER", "ADDRESS", "JOINED AT", "TRANSPORT", ">FOR", ">LEASE", ">RESUMES", "WHY")
            : Table.of("WORKER", "ADDRESS", "JOINED AT");
    for (JsonNode peer : found.path("peers")) {
      if (all) {
        table.row(
            text(peer, "worker_id"),
            text(peer, "address"),
            text(peer, "joined_at"),
            text(peer, "transport"),
            Quantities.uptime(peer.path("since_ms").asLong()),
            lease(peer),
            peer.path("resumes").asText(),
            text(peer, "reason"));
      } else {
        table.row(text(peer, "worker_id"), text(peer, "address"), text(peer, "joined_at"));
      }
    }
    return table.isEmpty() ? "No workers.\n" : table.render("");
  }

  /** That a message is on its way. */
  public static String message(JsonNode sent) {
    String worker = text(sent, "worker_id");
    return sent.path("waits").asBoolean()
        ? "Worker " + worker + " is away; it is told if it comes back within its lease.\n"
        : "Worker " + worker + " is told: it is in its log and in its ./hypersync events.\n";
  }

  private static String lease(JsonNode peer) {
    JsonNode left = peer.path("lease_left_ms");
    return left.isNumber() ? Quantities.uptime(left.asLong()) : "";
  }

  /** A table of events, oldest first. */
  public static String events(JsonNode found) {
    Table table = Table.of("AT", "WHAT", "WORKER", "ADDRESS", "WHY");
    for (JsonNode event : found.path("events")) {
      table.row(
          text(event, "at"),
          text(event, "kind"),
          text(event, "worker_id"),
          text(event, "address"),
          text(event, "reason"));
    }
    return table.isEmpty() ? "No events.\n" : table.render("");
  }

  /** One event in one line, for a list that grows. */
  public static String line(JsonNode event) {
    String why = text(event, "reason");
    return text(event, "at")
        + "  "
        + text(event, "kind")
        + "  "
        + text(event, "worker_id")
        + " ("
        + text(event, "address")
        + ")"
        + (why.isEmpty() ? "" : ": " + why);
  }

  private static String text(JsonNode node, String key) {
    return Printable.line(node.path(key).asText(""));
  }
}
