package io.hypersync.cli.stages;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decomposes the time of one mount's mutations by stage: the result of {@code why-slow}, as the
 * tree of {@code docs/json.md}. Pure.
 *
 * <p>Worker and leader each measure their own stages. If the leader is on this machine, both use
 * the same monotonic clock, and the newest mutations of both are joined one by one. That gives the
 * stages between sending and arrival, as shares of the worker's stage {@code leader}.
 */
public final class Decomposition {
  private static final double NS_PER_US = 1_000;

  /** Stages between sending and arrival that the leader measures itself. */
  private static final List<Stage> INSIDE =
      List.of(Stage.UPLOAD, Stage.QUEUE, Stage.SEQUENCE, Stage.SYNC, Stage.ACK);

  private static final String LEADER_FORGOT =
      "The leader has been started again since, and knows nothing of these changes: make some, then"
          + " look again.";

  private Decomposition() {}

  /**
   * Decomposes the mutations of one worker.
   *
   * @param worker its answer to {@code stages}
   * @param leader the leader's answer to {@code stages} about the worker's intents; null if the
   *     leader is not on this machine
   */
  public static ObjectNode of(JsonNode worker, @Nullable JsonNode leader) {
    List<Map<Stage, Long>> joined = leader == null ? List.of() : joined(worker, leader);
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    ObjectNode recent = tree.putObject("recent");
    ObjectNode ever = tree.putObject("since_start");
    for (Stage stage : Stage.values()) {
      String key = stage.key();
      if (stage == Stage.LEADER) {
        putLeader(recent, ever, worker, leader, joined);
      } else if (worker.path("recent").has(key)) {
        recent.set(key, worker.path("recent").path(key));
        ever.set(key, worker.path("since_start").path(key));
      }
    }
    ArrayNode slowest = tree.putArray("slowest");
    worker.path("slowest").forEach(slow -> slowest.add(slow(slow, leader)));
    tree.set("limit", limit(recent, ever, leader != null));
    return tree;
  }

  /** Returns the intents that the leader has to be asked about. */
  public static ArrayNode intents(JsonNode worker) {
    ArrayNode intents = JsonNodeFactory.instance.arrayNode();
    worker.path("newest").fieldNames().forEachRemaining(intents::add);
    worker.path("slowest").forEach(slow -> intents.add(slow.path("intent").asText()));
    return intents;
  }

  private static List<Map<Stage, Long>> joined(JsonNode worker, JsonNode leader) {
    List<Map<Stage, Long>> joined = new ArrayList<>();
    worker
        .path("newest")
        .properties()
        .forEach(
            row ->
                LeaderStageDurations.of(
                        row.getValue().path(0).asLong(),
                        row.getValue().path(1).asLong(),
                        leader.path("intents").path(row.getKey()))
                    .ifPresent(joined::add));
    return joined;
  }

  /** Puts the stage {@code leader}, as one stage or as the stages that it consists of. */
  private static void putLeader(
      ObjectNode recent,
      ObjectNode ever,
      JsonNode worker,
      @Nullable JsonNode leader,
      List<Map<Stage, Long>> joined) {
    String key = Stage.LEADER.key();
    JsonNode now = worker.path("recent").path(key);
    JsonNode always = worker.path("since_start").path(key);
    Map<Stage, Double> parts =
        leader == null ? Map.of() : joined.isEmpty() ? parts(leader) : parts(joined);
    if (leader == null || parts.isEmpty()) {
      recent.set(key, now);
      ever.set(key, always);
      return;
    }
    // The parts have the share of this stage; with its own it would be counted twice.
    ever.set(
        key, always instanceof ObjectNode figures ? figures.deepCopy().without("share") : always);
    for (Map.Entry<Stage, Double> part : parts.entrySet()) {
      String name = part.getKey().key();
      long[] column = column(joined, part.getKey());
      boolean isInside = INSIDE.contains(part.getKey());
      ObjectNode seen = figures(column);
      ObjectNode recently = joined.isEmpty() ? own(leader, "recent", name) : seen;
      recent.set(name, withShare(recently, part.getValue() * now.path("share").asDouble()));
      // The leader's own figures cover all workers, because it does not keep single mutations for
      // so long.
      ever.set(
          name,
          withShare(
              isInside ? own(leader, "since_start", name) : seen,
              part.getValue() * always.path("share").asDouble()));
    }
  }

  /**
   * Returns each stage's share of the time between sending and arrival, of the newest mutations.
   */
  private static Map<Stage, Double> parts(List<Map<Stage, Long>> joined) {
    Map<Stage, Double> parts = new EnumMap<>(Stage.class);
    double allNs = 0;
    for (Stage stage : LeaderStageDurations.STAGES) {
      double ns = sum(column(joined, stage));
      parts.put(stage, ns);
      allNs += ns;
    }
    return shares(parts, allNs);
  }

  /**
   * Returns the same shares over all workers' mutations, only for the stages that the leader
   * measures.
   */
  private static Map<Stage, Double> parts(JsonNode leader) {
    Map<Stage, Double> parts = new EnumMap<>(Stage.class);
    double all = 0;
    for (Stage stage : INSIDE) {
      JsonNode figures = leader.path("since_start").path(stage.key());
      if (figures.path("count").asLong() > 0) {
        double share = figures.path("share").asDouble();
        parts.put(stage, share);
        all += share;
      }
    }
    return shares(parts, all);
  }

  private static Map<Stage, Double> shares(Map<Stage, Double> parts, double all) {
    if (all <= 0) {
      return Map.of();
    }
    parts.replaceAll((_, part) -> part / all);
    return parts;
  }

  private static long[] column(List<Map<Stage, Long>> joined, Stage stage) {
    return joined.stream()
        .filter(row -> row.containsKey(stage))
        .mapToLong(row -> row.getOrDefault(stage, 0L))
        .sorted()
        .toArray();
  }

  private static ObjectNode own(JsonNode leader, String time, String stage) {
    return leader.path(time).path(stage) instanceof ObjectNode figures
        ? figures.deepCopy()
        : figures(new long[0]);
  }

  private static ObjectNode withShare(ObjectNode figures, double share) {
    return figures.put("share", Math.round(1_000 * share) / 1_000.0);
  }

  private static ObjectNode figures(long[] sorted) {
    ObjectNode figures = JsonNodeFactory.instance.objectNode();
    figures.put("count", sorted.length);
    figures.put("us_p50", at(sorted, 0.50));
    figures.put("us_p95", at(sorted, 0.95));
    figures.put("us_p99", at(sorted, 0.99));
    figures.put("us_max", at(sorted, 1));
    return figures;
  }

  private static double at(long[] sorted, double part) {
    if (sorted.length == 0) {
      return 0;
    }
    int index = Math.max(0, (int) Math.ceil(part * sorted.length) - 1);
    return microseconds(sorted[index]);
  }

  private static double microseconds(long nanos) {
    return Math.round(10 * nanos / NS_PER_US) / 10.0;
  }

  private static long sum(long[] column) {
    long sum = 0;
    for (long value : column) {
      sum += value;
    }
    return sum;
  }

  /** Describes a slow mutation and names the stage that took longest. */
  private static ObjectNode slow(JsonNode slow, @Nullable JsonNode leader) {
    ObjectNode us = JsonNodeFactory.instance.objectNode();
    Optional<Map<Stage, Long>> inside =
        leader == null
            ? Optional.empty()
            : LeaderStageDurations.of(
                slow.path("sent_ns").asLong(),
                slow.path("arrived_ns").asLong(),
                leader.path("intents").path(slow.path("intent").asText()));
    for (Stage stage : Stage.values()) {
      if (stage == Stage.LEADER && inside.isPresent()) {
        inside.get().forEach((part, nanos) -> us.put(part.key(), microseconds(nanos)));
      } else if (slow.path("us").has(stage.key())) {
        us.set(stage.key(), slow.path("us").path(stage.key()));
      }
    }
    Stage longest = Stage.TOTAL;
    double longestUs = -1;
    for (Map.Entry<String, JsonNode> part : us.properties()) {
      if (!part.getKey().equals(Stage.TOTAL.key()) && part.getValue().asDouble() > longestUs) {
        longest = Stage.of(part.getKey());
        longestUs = part.getValue().asDouble();
      }
    }
    ObjectNode tree = JsonNodeFactory.instance.objectNode();
    for (String key : List.of("op", "path", "pid", "ago_ms")) {
      tree.set(key, slow.path(key));
    }
    tree.put("stage", longest.key());
    tree.set("us", us);
    return tree;
  }

  /** Names the stage with the largest share of the time, with advice on it. */
  private static ObjectNode limit(ObjectNode recent, ObjectNode ever, boolean leaderIsHere) {
    ObjectNode limit = JsonNodeFactory.instance.objectNode();
    String total = Stage.TOTAL.key();
    boolean isRecent = recent.path(total).path("count").asLong() > 0;
    ObjectNode judged = isRecent ? recent : ever;
    if (judged.path(total).path("count").asLong() == 0) {
      limit.putNull("stage");
      limit.put("sentence", "Nothing has been changed through this mount yet.");
      limit.put("advice", "");
      return limit;
    }
    Stage most = Stage.TOTAL;
    double share = -1;
    for (Map.Entry<String, JsonNode> stage : judged.properties()) {
      double value = stage.getValue().path("share").asDouble(-1);
      if (!stage.getKey().equals(total) && value > share) {
        most = Stage.of(stage.getKey());
        share = value;
      }
    }
    limit.put("stage", most.key());
    limit.put("share", share);
    limit.put(
        "sentence",
        "The limit is %s: %s. %d %% of the time of a change goes there, %s."
            .formatted(
                most.key(),
                most.what(),
                Math.round(100 * share),
                isRecent
                    ? "over the last seconds"
                    : "since the start; nothing was changed lately"));
    limit.put("advice", most == Stage.LEADER && leaderIsHere ? LEADER_FORGOT : most.advice());
    return limit;
  }
}
