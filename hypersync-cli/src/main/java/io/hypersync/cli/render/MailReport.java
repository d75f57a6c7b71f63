package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** How the mail about hazards goes, from {@code agent_mail} of {@code docs/json.md}. */
final class MailReport {
  private MailReport() {}

  /** In one line; empty if nobody is told by mail. */
  static String line(JsonNode mail) {
    if (!mail.path("messages").asText("off").equals("on")) {
      return "";
    }
    StringBuilder text = new StringBuilder(count(mail, "sent") + " sent");
    add(text, mail, "pending", "pending");
    add(text, mail, "dropped", "dropped");
    add(text, mail, "blocked", "blocked");
    add(text, mail, "uncertain", "perhaps not arrived");
    if (mail.path("backing_off_ms").asLong() > 0) {
      text.append("; waits ").append(Quantities.uptime(mail.path("backing_off_ms").asLong()));
    }
    String error = Printable.line(mail.path("last_error").asText(""));
    if (!error.isEmpty()) {
      text.append("; NOT REACHED: ").append(error);
    }
    JsonNode muted = mail.path("not_told");
    if (!muted.isEmpty()) {
      JsonNode last = muted.path(muted.size() - 1);
      String agent = Printable.line(last.path("agent").asText(""));
      text.append("; not told: ")
          .append(agent.isEmpty() ? Printable.line(last.path("project").asText()) : agent)
          .append(" (")
          .append(Printable.line(last.path("why").asText()))
          .append(')');
    }
    return text.toString();
  }

  private static void add(StringBuilder text, JsonNode mail, String key, String what) {
    if (mail.path(key).asLong() > 0) {
      text.append(", ").append(count(mail, key)).append(' ').append(what);
    }
  }

  private static String count(JsonNode mail, String key) {
    return Quantities.count(mail.path(key).asLong());
  }
}
