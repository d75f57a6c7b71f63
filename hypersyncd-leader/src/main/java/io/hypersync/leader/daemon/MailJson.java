package io.hypersync.leader.daemon;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.leader.daemon.mail.MailThread;
import io.hypersync.leader.mail.AgentMailOptions;
import io.hypersync.leader.mail.MailStatus;
import io.hypersync.model.text.Printable;
import org.jspecify.annotations.Nullable;

/** How the mail goes as JSON, with the keys of {@code docs/json.md}. */
final class MailJson {
  private static final long NS_PER_MS = 1_000_000;

  private MailJson() {}

  /** For the status. */
  static ObjectNode of(AgentMailOptions options, @Nullable MailThread mail) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    json.put("messages", mail == null ? "off" : "on");
    json.put("url", options.url());
    MailStatus status = mail == null ? null : mail.status();
    if (status == null) {
      return json;
    }
    json.put("sent", status.mails());
    json.put("digests", status.digests());
    json.put("pending", status.pending());
    json.put("coalesced", status.coalesced());
    json.put("dropped", status.dropped());
    json.put("blocked", status.blocked());
    json.put("uncertain", status.uncertain());
    json.put("without_agent", status.nobody());
    json.put("elsewhere", status.elsewhere());
    json.put("last_sent_ms", status.lastMailNs() < 0 ? null : status.lastMailNs() / NS_PER_MS);
    json.put("backing_off_ms", status.waitNs() / NS_PER_MS);
    json.put("last_error", status.lastError());
    ArrayNode muted = json.putArray("not_told");
    for (MailStatus.Muted each : status.muted()) {
      muted
          .addObject()
          .put("agent", each.agent())
          .put("project", Printable.line(each.project()))
          .put("for_ms", each.forNs() / NS_PER_MS)
          .put("why", each.why());
    }
    ArrayNode identities = json.putArray("identities");
    for (MailStatus.Identity each : status.identities()) {
      identities
          .addObject()
          .put("project", Printable.line(each.project()))
          .put("name", Printable.line(each.name()));
    }
    return json;
  }
}
