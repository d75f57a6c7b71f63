package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** Text output of {@code hypersync putex status}, from the tree of {@code docs/json.md}. */
public final class PutexReport {
  private PutexReport() {}

  /** A row for each agent. */
  public static String of(JsonNode found) {
    Table agents =
        Table.of("SERVICE", "ROLE", "SINCE", "TOKEN", "LOCK HELD BY", ">CHECK MS", "PROBLEM");
    for (JsonNode agent : found.path("agents")) {
      agents.row(
          agent.path("name").asText(),
          agent.path("role").asText(),
          agent.path("since").asText(),
          agent.path("token").asText(),
          agent.path("holder").asText(),
          agent.path("check_ms").asText(),
          agent.path("problem").asText());
    }
    return agents.isEmpty() ? "No agent of a process mutex runs here.\n" : agents.render("");
  }
}
