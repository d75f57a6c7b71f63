package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;

/** Text output of {@code hypersync leadership}, from the tree of {@code docs/json.md}. */
public final class LeadershipReport {
  private LeadershipReport() {}

  /** Two tables: who leads, and who waits to do so. */
  public static String of(JsonNode found) {
    Table claims = Table.of("WORKSPACE", "STATE", "LEADER", ">PID", "SINCE", "WANTED BY", "WHY");
    for (JsonNode claim : found.path("claims")) {
      claims.row(
          name(claim),
          state(claim),
          claim.path("instance").asText(""),
          claim.path("pid").asText(""),
          claim.path("claimed_at").asText(""),
          claim.path("wanted_by").asText(""),
          claim.path("problem").asText(""));
    }
    Table observers = Table.of("WORKSPACE", "OBSERVER", ">PID", "WAITS FOR", "PROBLEM");
    for (JsonNode observer : found.path("observers")) {
      observers.row(
          name(observer),
          observer.path("instance").asText(""),
          observer.path("pid").asText(""),
          observer.path("leader").asText(""),
          observer.path("problem").asText(""));
    }
    return (claims.isEmpty() ? "No workspace was led here.\n" : claims.render(""))
        + (observers.isEmpty() ? "" : "\n" + observers.render(""));
  }

  private static String name(JsonNode entry) {
    String name = entry.path("workspace_name").asText("");
    return name.isEmpty() ? entry.path("workspace").asText("") : name;
  }

  private static String state(JsonNode claim) {
    return claim.path("state").asText().equals("held") && !claim.path("alive").asBoolean()
        ? "dead"
        : claim.path("state").asText();
  }
}
