package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;

/** Text output of {@code hypersync certs}, from the trees of {@code docs/json.md}. */
public final class CertificateReport {
  private static final long DAY_MS = 24L * 3_600 * 1_000;
  private static final long NEAR_DAYS = 30;

  private CertificateReport() {}

  /** A table of certificates, then what is revoked beside them. */
  public static String list(JsonNode found) {
    Table table =
        Table.of("WORKER", "KIND", "SERIAL", "ISSUED AT", "ENDS AT", "LAST SEEN", "STATE");
    for (JsonNode row : found.path("certificates")) {
      table.row(
          row.path("worker_id").isTextual() ? text(row, "worker_id") : "-",
          text(row, "kind"),
          text(row, "serial"),
          text(row, "issued_at"),
          text(row, "not_after"),
          row.path("last_seen").isTextual() ? text(row, "last_seen") : "never",
          state(row));
    }
    StringBuilder text = new StringBuilder(table.render(""));
    for (JsonNode standby : found.path("standbys")) {
      if (!standby.path("told").asBoolean()) {
        text.append("Standby ")
            .append(text(standby, "worker_id"))
            .append(" has not confirmed yet what is revoked.\n");
      }
    }
    return text.toString();
  }

  /** For a daemon's status: which certificates end soon; empty if none do. */
  public static String warning(JsonNode certificate) {
    List<String> ending = new ArrayList<>();
    if (isNear(certificate.path("expires_in_ms"))) {
      ending.add("its own");
    }
    if (isNear(certificate.path("authority_expires_in_ms"))) {
      ending.add("the authority's");
    }
    for (JsonNode each : certificate.path("ending")) {
      if (each.path("worker_id").isTextual()) {
        ending.add(text(each, "worker_id") + "'s");
      }
    }
    return ending.isEmpty()
        ? ""
        : "ENDS SOON: " + String.join(", ", ending) + " (docs/certificates.md)";
  }

  private static boolean isNear(JsonNode leftMs) {
    return leftMs.isNumber() && leftMs.asLong() < NEAR_DAYS * DAY_MS;
  }

  private static String state(JsonNode row) {
    if (row.path("revoked_at").isTextual()) {
      String reason = text(row, "reason");
      return "revoked at " + text(row, "revoked_at") + (reason.isEmpty() ? "" : ": " + reason);
    }
    long days = Math.floorDiv(row.path("expires_in_ms").asLong(), DAY_MS);
    if (row.path("expires_in_ms").asLong() <= 0) {
      return "HAS ENDED";
    }
    return days < NEAR_DAYS
        ? "ENDS IN " + days + (days == 1 ? " DAY" : " DAYS")
        : row.path("connected").asBoolean() ? "in use" : "";
  }

  /** What was revoked, and who knows. */
  public static String revoked(JsonNode done) {
    StringBuilder text =
        new StringBuilder(
            done.path("serial").isTextual()
                ? "Certificate " + text(done, "serial") + " of worker "
                : "All certificates of worker ");
    text.append(text(done, "worker_id"))
        .append(done.path("serial").isTextual() ? " is revoked. " : " are revoked. ");
    long ended = done.path("connections_ended").asLong();
    text.append(
        ended == 0
            ? "It was not connected.\n"
            : "It was connected, and is cut off: its locks are free.\n");
    for (JsonNode standby : done.path("standbys")) {
      text.append("Standby ")
          .append(text(standby, "worker_id"))
          .append(
              standby.path("told").asBoolean()
                  ? " knows it.\n"
                  : " has not confirmed it yet: before it is promoted, see ./hypersync certs list.\n");
    }
    return text.append("It keeps what its host has stored; that is not erased.\n").toString();
  }

  private static String text(JsonNode node, String key) {
    return Printable.line(node.path(key).asText(""));
  }
}
