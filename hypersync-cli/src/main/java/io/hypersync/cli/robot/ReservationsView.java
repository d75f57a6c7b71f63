package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reservations as programs see them. */
final class ReservationsView {
  private static final long EXPIRING_MS = 300_000;

  private ReservationsView() {}

  /** Asks the leader. */
  static JsonNode ask(Site site) {
    return site.ask("reservations", JsonNodeFactory.instance.objectNode());
  }

  /** How many there are, whose, and whether that is up to date. */
  static ObjectNode summary(JsonNode known) {
    int expiring = 0;
    Map<String, Integer> byAgent = new TreeMap<>();
    for (JsonNode held : known.path("held")) {
      var _ = byAgent.merge(held.path("agent").asText(), 1, Integer::sum);
      if (held.path("expires_in_ms").asLong() < EXPIRING_MS) {
        expiring++;
      }
    }
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("active", known.path("active").asInt())
            .put("expiring", expiring)
            .put("conflicts", known.path("conflicts").asInt());
    ObjectNode agents = node.putObject("by_agent");
    byAgent.forEach(agents::put);
    node.set("source", source(known));
    return node;
  }

  /** Where they are from: what is not known must not look like nothing. */
  static ObjectNode source(JsonNode known) {
    boolean isConfigured = !known.path("source").asText("none").equals("none");
    boolean isFresh = known.path("fresh").asBoolean();
    boolean wasRead = known.path("age_ms").isNumber();
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("name", "agent_mail")
            .put("kind", known.path("source").asText("none"))
            .put("available", isConfigured && wasRead)
            .put("fresh", isConfigured && isFresh);
    if (wasRead) {
      node.put("age_ms", known.path("age_ms").asLong());
    }
    String reason;
    if (!isConfigured) {
      reason = "health:source:not_configured";
    } else if (isFresh) {
      reason = "health:ok";
    } else {
      reason = wasRead ? "health:source:stale" : "health:source:unavailable";
    }
    node.put("reason_code", reason);
    if (!known.path("last_error").asText().isEmpty()) {
      node.put("last_error", known.path("last_error").asText());
    }
    return node;
  }

  /** Each of them. */
  static List<ObjectNode> list(JsonNode known) {
    List<ObjectNode> all = new ArrayList<>();
    for (JsonNode held : known.path("held")) {
      ObjectNode node = JsonNodeFactory.instance.objectNode();
      node.put("id", held.path("id").asLong());
      node.put("agent", held.path("agent").asText());
      node.putArray("patterns").add(held.path("pattern").asText());
      node.put("exclusive", held.path("exclusive").asBoolean());
      node.put("project", held.path("project").asText());
      node.put("expires_at", held.path("expires_at").asText());
      node.put("expires_in_ms", held.path("expires_in_ms").asLong());
      all.add(node);
    }
    return all;
  }

  /** Those that are in each other's way, as NTM's conflicts. */
  static ArrayNode conflicts(JsonNode known) {
    ArrayNode all = JsonNodeFactory.instance.arrayNode();
    for (JsonNode pair : known.path("conflicting")) {
      ObjectNode node = all.addObject().put("type", "reservation_conflict");
      ArrayNode agents = node.putArray("agents");
      ArrayNode patterns = node.putArray("patterns");
      pair.forEach(
          each -> {
            agents.add(each.path("agent").asText());
            patterns.add(each.path("pattern").asText());
          });
    }
    return all;
  }
}
