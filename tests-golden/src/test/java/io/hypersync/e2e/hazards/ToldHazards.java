package io.hypersync.e2e.hazards;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.TestCluster;
import java.util.ArrayList;
import java.util.List;

/** What the leader tells of hazards. */
final class ToldHazards {
  private static final int MOST = 20_000;

  private ToldHazards() {}

  /**
   * The hazards of paths that begin so, the oldest first and each once, as {@code kind of Blue with
   * Green: path}. Who has no name is named by its worker.
   */
  static List<String> of(TestCluster cluster, String beginning) {
    List<String> told = new ArrayList<>();
    for (JsonNode entry :
        cluster
            .leader()
            .ask("hazards", JsonNodeFactory.instance.objectNode().put("tail", MOST))
            .path("entries")) {
      for (JsonNode hazard : entry.path("hazards")) {
        if (hazard.path("path").asText().startsWith(beginning)) {
          String with = who(hazard);
          told.add(
              hazard.path("kind").asText()
                  + (" of " + who(entry))
                  + (with.isEmpty() ? "" : " with " + with)
                  + (": " + hazard.path("path").asText()));
        }
      }
    }
    return told.stream().distinct().toList();
  }

  private static String who(JsonNode named) {
    String agent = named.path("agent").asText();
    return agent.isEmpty() ? named.path("worker_id").asText() : agent;
  }
}
