package io.hypersync.cli.top;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/**
 * A daemon, and what it has said last. All that grows is bounded: hazards, entries of the log,
 * stages. Not thread-safe.
 */
final class Watched {
  private static final int MOST_HAZARDS = 1_000;
  private static final int MOST_ENTRIES = 1_000;
  private static final double NS_PER_S = 1e9;
  private static final int DIGITS = 8;
  private static final JsonNode NOTHING = MissingNode.getInstance();

  private final String socket;
  private final String role;
  private final Map<Question, JsonNode> answers = new EnumMap<>(Question.class);
  private final Map<Question, String> refusals = new EnumMap<>(Question.class);
  private final ArrayDeque<JsonNode> hazards = new ArrayDeque<>();
  private final ArrayDeque<JsonNode> entries = new ArrayDeque<>();
  private final Map<String, Double> leastUs = new HashMap<>();
  private JsonNode newest = NOTHING;
  private JsonNode before = NOTHING;
  private long beforeNs;
  private long statusNs;
  private String trouble = "";
  private boolean isDead;
  private long heardNs;

  /** One that was not heard of yet. */
  Watched(String socket, String role, long nowNs) {
    this.socket = socket;
    this.role = role;
    this.heardNs = nowNs;
  }

  void accept(Observation seen) {
    switch (seen.outcome()) {
      case Observation.Outcome.Answer(JsonNode value) -> answered(seen, value);
      case Observation.Outcome.Refused(String why) -> {
        refusals.put(seen.question(), why);
        answers.remove(seen.question());
        trouble = seen.question() == Question.STATUS ? why : "";
        heardNs = seen.atNs();
      }
      case Observation.Outcome.Silent(String why) -> {
        trouble = why;
        isDead = false;
      }
      case Observation.Outcome.Dead(String why) -> {
        trouble = why;
        isDead = true;
      }
    }
  }

  private void answered(Observation seen, JsonNode value) {
    heardNs = seen.atNs();
    trouble = "";
    isDead = false;
    refusals.remove(seen.question());
    switch (seen.question()) {
      case STATUS -> {
        before = status();
        beforeNs = statusNs;
        statusNs = seen.atNs();
        if (!isSameRun(newest, value)) {
          before = NOTHING; // its counters begin again
          hazards.clear();
          entries.clear();
          leastUs.clear();
        }
        newest = value; // what it refuses later does not make it another one
      }
      case HAZARDS -> add(hazards, value.path("entries"), MOST_HAZARDS);
      case LOG -> add(entries, value.path("entries"), MOST_ENTRIES);
      case STAGES -> noteLeast(value);
      case LOCKS, HOT -> {
        // The newest one is all there is to keep.
      }
    }
    answers.put(seen.question(), value);
  }

  /** Whether two statuses are of one run of a daemon: it counts on, and so does its log. */
  static boolean isSameRun(JsonNode before, JsonNode now) {
    return before.path("pid").equals(now.path("pid"))
        && before.path("leader_epoch").equals(now.path("leader_epoch"));
  }

  /** Adds those behind the last one; the oldest go. */
  private static void add(ArrayDeque<JsonNode> kept, JsonNode found, int most) {
    long last = kept.isEmpty() ? 0 : kept.getLast().path("log_index").asLong();
    for (JsonNode entry : found) {
      if (entry.path("log_index").asLong() > last) {
        if (kept.size() == most) {
          kept.removeFirst();
        }
        kept.addLast(entry);
      }
    }
  }

  private void noteLeast(JsonNode stages) {
    for (String time : new String[] {"recent", "since_start"}) {
      for (Map.Entry<String, JsonNode> stage : stages.path(time).properties()) {
        JsonNode us = stage.getValue().path("us_p50");
        if (us.isNumber() && stage.getValue().path("count").asLong() > 0) {
          leastUs.merge(stage.getKey(), us.asDouble(), Math::min);
        }
      }
    }
  }

  String socket() {
    return socket;
  }

  /** By the name of its socket: {@code leader}, {@code standby}, {@code worker}. */
  String role() {
    return role;
  }

  /** Its last status; missing if there was none. */
  JsonNode status() {
    return answers.getOrDefault(Question.STATUS, NOTHING);
  }

  /** The status before the last one, of the same run; missing if there was none. */
  JsonNode before() {
    return before;
  }

  /** Its last answer; missing if there was none. */
  JsonNode answer(Question question) {
    return answers.getOrDefault(question, NOTHING);
  }

  /** Why it has not answered a question; empty if it has, or was not asked. */
  String refusal(Question question) {
    return refusals.getOrDefault(question, "");
  }

  /** Whether it has answered a question, or refused it. */
  boolean hasAnswered(Question question) {
    return answers.containsKey(question) || refusals.containsKey(question);
  }

  /** Entries with hazards, the oldest first. */
  Collection<JsonNode> hazards() {
    return hazards;
  }

  /** Entries of the log, the oldest first. */
  Collection<JsonNode> entries() {
    return entries;
  }

  /** The lowest median of a stage that was seen since its start; NaN if there was none. */
  double leastUs(String stage) {
    return leastUs.getOrDefault(stage, Double.NaN);
  }

  /** Seconds between its last two statuses; 0 if there is one only. */
  double seconds() {
    return before.isMissingNode() ? 0 : (statusNs - beforeNs) / NS_PER_S;
  }

  /** How fast a counter grows, per second; -1 if that is not known. */
  double rate(JsonNode now, JsonNode then) {
    double seconds = seconds();
    return seconds <= 0 || !now.isNumber() || !then.isNumber() || now.asLong() < then.asLong()
        ? -1
        : (now.asLong() - then.asLong()) / seconds;
  }

  /** Whether it has answered when it was asked last. */
  boolean isHeard() {
    return trouble.isEmpty() && !status().isMissingNode();
  }

  /** Whether nobody listens. */
  boolean isDead() {
    return isDead;
  }

  /** Why it has not answered; may be empty. */
  String trouble() {
    return trouble;
  }

  /** When it was heard last, or first asked, by the monotonic clock. */
  long heardNs() {
    return heardNs;
  }

  /** What people know it by. */
  String name() {
    String known = status().path("worker_id").asText(status().path("workspace_name").asText());
    if (!known.isEmpty()) {
      return role + " " + known;
    }
    String file = socket.substring(socket.lastIndexOf('/') + 1);
    return role + " of " + file;
  }

  /** The first digits of its workspace, as the names of sockets have them, too. */
  String workspace() {
    return digits(status().path("workspace").asText());
  }

  static String digits(String workspace) {
    return workspace.length() > DIGITS ? workspace.substring(0, DIGITS) : workspace;
  }
}
