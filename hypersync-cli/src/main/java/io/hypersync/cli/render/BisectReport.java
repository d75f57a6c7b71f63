package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync bisect}, from the tree of {@code docs/json.md}. */
public final class BisectReport {
  private BisectReport() {}

  /** Returns the entry that was found, or the range that is left. */
  public static String render(JsonNode result) {
    String bad = result.path("first_bad").asText();
    if (!result.path("found").asBoolean()) {
      return "The first bad entry is behind entry "
          + result.path("last_good").asText()
          + ", and entry "
          + bad
          + " at the latest: "
          + Quantities.count(result.path("skipped").size())
          + " states cannot be judged.\n";
    }
    JsonNode entry = result.path("entry");
    if (entry.isNull()) {
      return "The first bad entry is "
          + bad
          + ". What it is: ./hypersync log --since "
          + bad
          + " --until "
          + bad
          + ", on the leader's host.\n";
    }
    String path = Printable.line(entry.path("path").asText());
    return "The first bad entry is "
        + bad
        + ":\n  "
        + Printable.line(entry.path("op").asText())
        + " "
        + (path.isEmpty() ? Printable.line(entry.path("detail").asText()) : path)
        + "\n  by "
        + who(entry)
        + " at "
        + Printable.line(entry.path("committed_at").asText())
        + "\n";
  }

  private static String who(JsonNode entry) {
    String agent = Printable.line(entry.path("agent").asText());
    String worker = Printable.line(entry.path("worker_id").asText());
    return agent.isEmpty() ? "nobody who is known, on " + worker : agent + " on " + worker;
  }
}
