package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Text output of {@code hypersync restore}, from the tree of {@code docs/json.md}. */
public final class RestoreReport {
  private static final Map<String, String> REASONS =
      Map.of(
          "changed_meanwhile", "changed by others meanwhile",
          "chunk_lost", "a part of its content cannot be read",
          "no_room", "no room",
          "refused", "refused");

  private RestoreReport() {}

  /**
   * Returns a line for each path that would be changed or was left, and one that counts.
   *
   * @param again the command that does it; or, if it is done, one that only says what is left
   * @param atOnce the command that shows the same restore by one entry; empty if there is none
   */
  public static String render(JsonNode answer, String again, String atOnce) {
    return answer.path("dry_run").asBoolean()
        ? planned(answer, again, atOnce)
        : done(answer, again);
  }

  private static String planned(JsonNode answer, String again, String atOnce) {
    StringBuilder text = new StringBuilder();
    for (JsonNode action : answer.path("actions")) {
      text.append(line(action.path("action").asText(), action)).append('\n');
    }
    if (!answer.path("list_complete").asBoolean(true)) {
      text.append("... and more (--limit)\n");
    }
    String counts = counts(answer.path("planned"));
    text.append("To entry ").append(answer.path("at_index").asText()).append(": ");
    if (counts.isEmpty()) {
      return text.append("it is as it was, nothing would be done\n").toString();
    }
    return text.append(counts)
        .append("\nNothing was done. Do it: ")
        .append(again)
        .append(atOnce.isEmpty() ? "" : "\nBy one entry, at once: " + atOnce)
        .append('\n')
        .toString();
  }

  private static String done(JsonNode answer, String again) {
    StringBuilder text = new StringBuilder();
    for (JsonNode left : answer.path("left")) {
      text.append(left(left));
    }
    String counts = counts(answer.path("done"));
    text.append("Restored to entry ")
        .append(answer.path("at_index").asText())
        .append(": ")
        .append(counts.isEmpty() ? "nothing had to be done" : counts)
        .append(", by ")
        .append(Quantities.count(answer.path("entries").asLong()))
        .append(" entries\n");
    long left = answer.path("left_count").asLong();
    if (left > 0) {
      text.append(Quantities.count(left))
          .append(left == 1 ? " action was" : " actions were")
          .append(" left out")
          .append(
              answer.path("no_room").asBoolean()
                  ? ": there is no room. Make some, and see what is left to do: "
                  : ", for the reasons above. See what differs: ")
          .append(again)
          .append('\n');
    }
    return text.toString();
  }

  /** One path, with what is done to it. */
  static String line(String what, JsonNode action) {
    return String.format("%-8s  ", Printable.line(what)) + path(action);
  }

  /** One path that was left, and why. */
  static String left(JsonNode left) {
    String reason = left.path("reason").asText();
    String place =
        left.hasNonNull("place")
            ? "; a part of it is at " + Printable.line(left.path("place").asText())
            : "";
    return "left      "
        + path(left)
        + "  ("
        + REASONS.getOrDefault(reason, Printable.line(reason))
        + place
        + ")\n";
  }

  static String counts(JsonNode counts) {
    List<String> parts = new ArrayList<>();
    for (Map.Entry<String, JsonNode> count : counts.properties()) {
      if (count.getValue().asLong() > 0 && !count.getKey().equals("times")) {
        parts.add(
            Quantities.count(count.getValue().asLong()) + " " + Printable.line(count.getKey()));
      }
    }
    if (parts.isEmpty() && counts.path("times").asLong() > 0) {
      parts.add("times of " + Quantities.count(counts.path("times").asLong()) + " directories");
    }
    return String.join(", ", parts);
  }

  private static String path(JsonNode action) {
    String path = Printable.line(action.path("path").asText());
    return action.path("type").asText().equals("directory") && !path.equals(".")
        ? path + "/"
        : path;
  }
}
