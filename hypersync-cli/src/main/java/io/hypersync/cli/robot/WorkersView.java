package io.hypersync.cli.robot;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * The workers of a workspace as programs see them: those that the leader knows, or those of this
 * machine if the leader is elsewhere.
 */
final class WorkersView {
  private WorkersView() {}

  /** All of them; connected ones first. */
  static List<ObjectNode> of(Site site, Instant now) {
    List<ObjectNode> all = new ArrayList<>();
    if (!site.hasLeader()) {
      site.workers().forEach(worker -> all.add(ofThisMachine(worker, now)));
      return all;
    }
    site.leader().path("workers").forEach(worker -> all.add(connected(worker, now)));
    for (JsonNode absent : site.leader().path("absent")) {
      ObjectNode node = begin(absent, "offline");
      node.put("applied_index", absent.path("applied_index").asLong());
      node.put("read_only", true);
      node.put("last_seen", Envelope.time(now.minusMillis(absent.path("last_ms").asLong())));
      node.putArray("reasons").add(absent.path("reason").asText());
      all.add(node);
    }
    return all;
  }

  private static ObjectNode connected(JsonNode worker, Instant now) {
    ArrayNode reasons = JsonNodeFactory.instance.arrayNode();
    if (worker.path("installing").asBoolean()) {
      reasons.add("it installs a snapshot");
    }
    JsonNode error = worker.path("apply_error").path("message");
    if (error.isTextual()) {
      reasons.add("it cannot apply: " + error.asText());
    }
    if (worker.path("read_only").asBoolean()) {
      reasons.add("its mount is read-only");
    }
    boolean isHealthy = reasons.isEmpty() && worker.path("connected").asBoolean();
    worker.path("placement").path("reasons").forEach(each -> reasons.add(each.path("text")));
    ObjectNode node = begin(worker, isHealthy ? "healthy" : "degraded");
    node.put("applied_index", worker.path("applied_index").asLong());
    node.put("lag_entries", worker.path("lag").asLong());
    JsonNode pressure = worker.path("local_pressure");
    copy(pressure, node, "sync_lag_ms", "sync_lag_ms");
    copy(pressure, node, "commit_rtt_ms", "commit_rtt_ms");
    node.put("read_only", worker.path("read_only").asBoolean());
    copy(pressure, node, "agents", "agent_count");
    copy(pressure, node, "cpu_percent", "cpu_percent");
    copy(pressure, node, "memory_percent", "memory_percent");
    copy(pressure, node, "disk_percent", "disk_percent");
    copy(worker.path("placement"), node, "stable", "takes_agents");
    node.put("last_seen", Envelope.time(now.minusMillis(worker.path("heard_ms").asLong())));
    node.set("reasons", reasons);
    return node;
  }

  private static ObjectNode ofThisMachine(JsonNode worker, Instant now) {
    boolean isConnected = worker.path("connected").asBoolean();
    boolean isReadOnly = worker.path("read_only").asBoolean();
    ObjectNode node =
        JsonNodeFactory.instance
            .objectNode()
            .put("id", worker.path("worker_id").asText())
            .put("host", "localhost")
            .put("status", isConnected && !isReadOnly ? "healthy" : "degraded");
    node.put("applied_index", worker.path("applied_index").asLong());
    node.put("lag_entries", worker.path("catch_up").path("entries_behind").asLong());
    node.put("read_only", isReadOnly);
    if (worker.path("agents").isObject()) {
      node.put("agent_count", worker.path("agents").path("seen").size());
    }
    node.put("last_seen", Envelope.time(now));
    ArrayNode reasons = node.putArray("reasons");
    if (!isConnected) {
      reasons.add("it cannot reach the leader: " + worker.path("link_reason").asText());
    }
    return node;
  }

  private static ObjectNode begin(JsonNode worker, String status) {
    return JsonNodeFactory.instance
        .objectNode()
        .put("id", worker.path("worker_id").asText())
        .put("host", host(worker.path("address").asText()))
        .put("status", status);
  }

  /** What is not known is left out. */
  private static void copy(JsonNode from, ObjectNode to, String key, String name) {
    JsonNode value = from.path(key);
    if (!value.isMissingNode() && !value.isNull()) {
      to.set(name, value);
    }
  }

  private static String host(String address) {
    int colon = address.lastIndexOf(':');
    return (colon < 0 ? address : address.substring(0, colon)).replace("[", "").replace("]", "");
  }
}
