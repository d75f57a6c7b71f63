package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync reservations}, from the tree of {@code docs/json.md}. */
public final class ReservationsReport {
  private static final String NO_SOURCE =
      "No source of reservations: name Agent Mail's archive, hypersync.agent_mail.archive, or its"
          + " server, hypersync.agent_mail.url.\n";

  private ReservationsReport() {}

  /** Returns what is wrong with the source first, then reservations, then conflicts. */
  public static String render(JsonNode known) {
    if (isOff(known)) {
      return NO_SOURCE;
    }
    StringBuilder text = new StringBuilder();
    if (!known.path("fresh").asBoolean()) {
      text.append(stale(known)).append('\n');
    }
    text.append(enforced(known));
    Table held = Table.of("AGENT", "HOLDS", "PATTERN", ">ENDS IN", "PROJECT");
    for (JsonNode reservation : known.path("held")) {
      held.row(
          text(reservation, "agent"),
          how(reservation),
          text(reservation, "pattern"),
          Quantities.uptime(reservation.path("expires_in_ms").asLong()),
          text(reservation, "project"));
    }
    text.append(held.isEmpty() ? nothing(known) : held.render(""));
    if (!known.path("conflicting").isEmpty()) {
      Table conflicts = Table.of("AGENT", "HOLDS", "PATTERN", "AND", "HOLDS", "PATTERN");
      for (JsonNode pair : known.path("conflicting")) {
        JsonNode one = pair.path(0);
        JsonNode other = pair.path(1);
        conflicts.row(
            text(one, "agent"),
            how(one),
            text(one, "pattern"),
            text(other, "agent"),
            how(other),
            text(other, "pattern"));
      }
      text.append("\nIn each other's way\n").append(conflicts.render("  "));
    }
    text.append(refusals(known));
    leftOut(text, known, "dropped", "are left out because there are too many");
    leftOut(text, known, "damaged", "files make no sense");
    leftOut(text, known, "unread", "files or projects are not read because there are too many");
    leftOut(text, known, "elsewhere", "belong to projects outside of this workspace");
    return text.toString();
  }

  /** In one line: the source and how many there are; empty if there is no source. */
  static String line(JsonNode known) {
    if (isOff(known)) {
      return "";
    }
    String counts =
        Quantities.count(known.path("active").asLong())
            + ", "
            + Quantities.count(known.path("conflicts").asLong())
            + " in conflict";
    String enforced =
        switch (known.path("enforcement").asText("off")) {
          case "on" -> ", enforced: " + refused(known);
          case "suspended" -> ", NOT enforced while stale: " + refused(known);
          default -> "";
        };
    return counts + enforced + (known.path("fresh").asBoolean() ? "" : "; " + stale(known));
  }

  private static String refused(JsonNode known) {
    return Quantities.count(known.path("refused").asLong()) + " refused";
  }

  private static String enforced(JsonNode known) {
    return switch (known.path("enforcement").asText("off")) {
      case "on" -> "Enforced: an agent gets EACCES where another one holds alone.\n";
      case "suspended" -> "NOT enforced while what is known is stale.\n";
      default -> "";
    };
  }

  /** The latest changes that were refused. */
  private static String refusals(JsonNode known) {
    if (known.path("refusals").isEmpty()) {
      return "";
    }
    Table refusals = Table.of("REFUSED AT", "AGENT", "PATH", "HELD BY", "PATTERN");
    for (JsonNode refusal : known.path("refusals")) {
      String agent = text(refusal, "agent");
      refusals.row(
          text(refusal, "refused_at"),
          agent + "@" + text(refusal, "worker_id"),
          text(refusal, "path"),
          text(refusal, "holder"),
          text(refusal, "pattern"));
    }
    return "\n" + refused(known) + ", the latest\n" + refusals.render("  ");
  }

  private static boolean isOff(JsonNode known) {
    return known.path("source").asText("none").equals("none");
  }

  private static String nothing(JsonNode known) {
    return known.path("fresh").asBoolean() ? "No reservations.\n" : "No reservations are known.\n";
  }

  private static String stale(JsonNode known) {
    JsonNode age = known.path("age_ms");
    String since =
        age.isNumber()
            ? "STALE for "
                + Quantities.uptime(age.asLong())
                + ": what is shown may be over, and what is new is not shown"
            : "NOT READ YET";
    String why = text(known, "last_error");
    return why.isEmpty() ? since : since + " (" + why + ")";
  }

  private static String how(JsonNode reservation) {
    return reservation.path("exclusive").asBoolean() ? "alone" : "shared";
  }

  private static void leftOut(StringBuilder text, JsonNode known, String key, String what) {
    long count = known.path(key).asLong();
    if (count > 0) {
      text.append(Quantities.count(count)).append(' ').append(what).append(".\n");
    }
  }

  private static String text(JsonNode node, String key) {
    return Printable.line(node.path(key).asText(""));
  }
}
