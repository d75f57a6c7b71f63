package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Hazards as programs see them: NTM's conflicts, with what the log knows beside. */
final class HazardsView {
  /** The newest entries are looked at, so that an answer takes no longer in a longer log. */
  static final int WITHIN = 10_000;

  private static final int MOST = 1_000;

  /** After this time agents have seen it, or gone on. */
  private static final Duration ACTIVE = Duration.ofMinutes(10);

  private static final Duration HOUR = Duration.ofHours(1);

  private HazardsView() {}

  /** Those of the newest entries, the newest first. */
  static List<ObjectNode> of(Site site, Instant now) {
    ObjectNode request =
        JsonNodeFactory.instance.objectNode().put("tail", MOST).put("within", WITHIN);
    List<ObjectNode> all = new ArrayList<>();
    for (JsonNode entry : site.ask("hazards", request).path("entries")) {
      Instant at = Instant.parse(entry.path("committed_at").asText());
      int number = 1;
      for (JsonNode hazard : entry.path("hazards")) {
        all.add(hazard(entry, hazard, number, at, now));
        number++;
      }
    }
    return all.reversed();
  }

  private static ObjectNode hazard(
      JsonNode entry, JsonNode hazard, int number, Instant at, Instant now) {
    boolean isReservation = hazard.has("pattern");
    boolean isAdvice = hazard.path("severity").asText().equals("advice");
    String type;
    String reason;
    if (isAdvice) {
      type = "advice";
      reason = "alert:advice:symlink";
    } else {
      type = isReservation ? "reservation_conflict" : "file_conflict";
      reason = isReservation ? "alert:conflict:reservation" : "alert:conflict:file";
    }
    String id = "hz-" + entry.path("log_index").asText();
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", number == 1 ? id : id + "-" + number)
            .put("type", type)
            .put("kind", hazard.path("kind").asText())
            .put("severity", isAdvice ? "info" : "warning")
            .put("reason_code", reason);
    ArrayNode files = node.putArray("files");
    String path = hazard.path("path").asText();
    if (!path.isEmpty()) {
      files.add(path);
    }
    addAll(node.putArray("agents"), entry.path("agent"), hazard.path("agent"));
    addAll(node.putArray("workers"), entry.path("worker_id"), hazard.path("worker_id"));
    node.put("log_index", entry.path("log_index").asLong());
    if (hazard.has("conflicts_with")) {
      node.put("conflicts_with", hazard.path("conflicts_with").asLong());
    }
    if (isReservation) {
      node.put("pattern", hazard.path("pattern").asText());
    }
    return node.put("detected_at", Envelope.time(at))
        .put("resolved", Duration.between(at, now).compareTo(ACTIVE) > 0);
  }

  private static void addAll(ArrayNode to, JsonNode one, JsonNode other) {
    Set<String> names = new LinkedHashSet<>();
    for (JsonNode name : List.of(one, other)) {
      if (!name.asText().isEmpty()) {
        names.add(name.asText());
      }
    }
    names.forEach(to::add);
  }

  /** Those that are not older than this. */
  static List<ObjectNode> since(List<ObjectNode> all, Duration age, Instant now) {
    return all.stream()
        .filter(
            each ->
                Duration.between(Instant.parse(each.path("detected_at").asText()), now)
                        .compareTo(age)
                    <= 0)
        .toList();
  }

  static List<ObjectNode> active(List<ObjectNode> all) {
    return all.stream().filter(each -> !each.path("resolved").asBoolean()).toList();
  }

  /** How many there are. */
  static ObjectNode counts(List<ObjectNode> all, Instant now) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("active", active(all).size())
        .put("last_hour", since(all, HOUR, now).size());
  }
}
