package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.Map;

/** Text output of {@code hypersync undo}, from the tree of {@code docs/json.md}. */
public final class UndoReport {
  private static final Map<String, String> WHYS =
      Map.of(
          "changed_since", "changed since",
          "has_others", "not empty: things are in it that stay",
          "directory_gone", "its directory is not there any more",
          "would_be_lost", "what is there now would be lost",
          "rests_on_left", "goes with another path that is left");

  private UndoReport() {}

  /**
   * Returns a line for each path that would be changed, is contested or was left, and one that
   * counts.
   *
   * @param again the command that does it
   * @param back the command that undoes it
   */
  public static String render(JsonNode answer, String again, String back) {
    StringBuilder text = new StringBuilder();
    boolean isDry = answer.path("dry_run").asBoolean();
    if (isDry) {
      for (JsonNode action : answer.path("actions")) {
        text.append(RestoreReport.line(action.path("action").asText(), action)).append('\n');
      }
      if (!answer.path("list_complete").asBoolean(true)) {
        text.append("... and more (--limit)\n");
      }
    }
    for (JsonNode contested : answer.path("contested")) {
      contested(contested, text);
    }
    if (!answer.path("contested_complete").asBoolean(true)) {
      text.append("... and more that is contested (--limit)\n");
    }
    for (JsonNode left : answer.path("left")) {
      text.append(RestoreReport.left(left));
    }
    summary(answer, isDry, again, back, text);
    return text.toString();
  }

  private static void contested(JsonNode contested, StringBuilder text) {
    String why = contested.path("why").asText();
    text.append(contested.path("forced").asBoolean() ? "forced    " : "contested ")
        .append(Printable.line(contested.path("path").asText()))
        .append("  (")
        .append(
            contested.path("what").asText().equals("content") && why.equals("changed_since")
                ? "content changed since"
                : WHYS.getOrDefault(why, Printable.line(why)));
    if (contested.has("log_index")) {
      String agent = Printable.line(contested.path("agent").asText());
      text.append(", entry ")
          .append(contested.path("log_index").asText())
          .append(" by ")
          .append(agent.isEmpty() ? "" : agent + "@")
          .append(Printable.line(contested.path("worker_id").asText()));
    }
    text.append(")\n");
  }

  private static void summary(
      JsonNode answer, boolean isDry, String again, String back, StringBuilder text) {
    String name = Printable.line(answer.path("agent").asText());
    long own = answer.path("agent_entries").asLong();
    if (own == 0) {
      text.append("There is no entry of ")
          .append(name)
          .append(" from entry ")
          .append(answer.path("since_index").asText())
          .append(" on.\n");
      return;
    }
    String counts = RestoreReport.counts(answer.path(isDry ? "planned" : "done"));
    text.append(Quantities.count(own))
        .append(own == 1 ? " entry of " : " entries of ")
        .append(name)
        .append(", from ")
        .append(answer.path("first_index").asText())
        .append(" to ")
        .append(answer.path("last_agent_index").asText())
        .append(": ")
        .append(counts.isEmpty() ? "nothing is to be done" : counts);
    if (!isDry && !counts.isEmpty()) {
      text.append(", by ")
          .append(Quantities.count(answer.path("entries").asLong()))
          .append(" entries");
    }
    text.append('\n');
    long contested = answer.path("contested_count").asLong();
    if (contested > 0) {
      text.append(Quantities.count(contested))
          .append(contested == 1 ? " path is" : " paths are")
          .append(" contested and left. What others did to one: ./hypersync who <path>\n");
    }
    if (isDry && !counts.isEmpty()) {
      text.append("Nothing was done. Do it: ").append(again).append('\n');
    } else if (!counts.isEmpty()) {
      text.append("Undo this again: ").append(back).append('\n');
    }
  }
}
