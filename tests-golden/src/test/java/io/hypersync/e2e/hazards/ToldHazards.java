package io.hypersync.e2e.hazards;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.TestCluster;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * What the leader tells of hazards, as {@code kind of Blue with Green: path}. Who has no name is
 * named by its worker.
 */
final class ToldHazards {
  private static final long ANSWERED_ENTRIES = 100_000;

  private final TestCluster cluster;
  private final Set<String> told = new LinkedHashSet<>();
  private long after;

  /** Follows what is told from the first entry on; one answer is of the newest 100,000 entries. */
  ToldHazards(TestCluster cluster) {
    this.cluster = cluster;
  }

  /** The hazards of paths that begin so, the oldest first and each once. */
  static List<String> of(TestCluster cluster, String beginning) {
    ToldHazards hazards = new ToldHazards(cluster);
    return hazards.follow().stream()
        .filter(hazard -> hazard.substring(hazard.lastIndexOf(": ") + 2).startsWith(beginning))
        .toList();
  }

  /** All that was told so far, the oldest first and each once; asks for what is new. */
  Set<String> follow() {
    JsonNode answer =
        cluster.leader().ask("hazards", JsonNodeFactory.instance.objectNode().put("after", after));
    long last = answer.path("commit_index").asLong();
    if (last - after > ANSWERED_ENTRIES) {
      throw new AssertionError("it was asked too late: entry " + after + " to " + last);
    }
    after = last;
    for (JsonNode entry : answer.path("entries")) {
      for (JsonNode hazard : entry.path("hazards")) {
        String with = who(hazard);
        told.add(
            hazard.path("kind").asText()
                + (" of " + who(entry))
                + (with.isEmpty() ? "" : " with " + with)
                + (": " + hazard.path("path").asText()));
      }
    }
    return told;
  }

  private static String who(JsonNode named) {
    String agent = named.path("agent").asText();
    return agent.isEmpty() ? named.path("worker_id").asText() : agent;
  }
}
