package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.function.LongFunction;

/** Text output of {@code hypersync restore --all}, from the tree of {@code docs/json.md}. */
public final class RestoreAllReport {
  private RestoreAllReport() {}

  /**
   * Returns what changes, and how it is taken back.
   *
   * @param command shows the restore to an entry; with {@code --yes} behind it, does it
   */
  public static String render(JsonNode answer, LongFunction<String> command) {
    long at = answer.path("at_index").asLong();
    long head = answer.path("head_index").asLong();
    StringBuilder text = new StringBuilder();
    add(text, answer.path("directories"), "directory", "directories");
    add(text, answer.path("files"), "file", "files");
    if (answer.path("dry_run").asBoolean()) {
      return text.append("To entry ")
          .append(at)
          .append(", from the newest one, entry ")
          .append(head)
          .append(text.isEmpty() ? ": no file differs\n" : ": what is above\n")
          .append("Nothing was done. What others write until it is done is gone, too.\nDo it: ")
          .append(command.apply(at))
          .append(" --yes\nThat brings back what is there now: ")
          .append(command.apply(head))
          .append(" --yes\n")
          .toString();
    }
    if (answer.path("entries").asLong() == 0) {
      return text.append("Entry ")
          .append(at)
          .append(" is the newest one: nothing had to be done\n")
          .toString();
    }
    long entry = answer.path("last_index").asLong();
    return text.append("Restored everything to entry ")
        .append(at)
        .append(", by entry ")
        .append(entry)
        .append("\nThat brings back what was there: ")
        .append(command.apply(entry - 1))
        .append(" --yes\n")
        .toString();
  }

  private static void add(StringBuilder text, JsonNode counts, String one, String many) {
    List<String> parts = new ArrayList<>();
    part(parts, counts.path("back").asLong(), "come back", "comes back");
    part(parts, counts.path("gone").asLong(), "go", "goes");
    part(parts, counts.path("changed").asLong(), "change", "changes");
    if (parts.isEmpty()) {
      return;
    }
    long sum =
        counts.path("back").asLong()
            + counts.path("gone").asLong()
            + counts.path("changed").asLong();
    text.append(sum == 1 ? one : many).append(": ").append(String.join(", ", parts)).append('\n');
  }

  private static void part(List<String> parts, long count, String many, String one) {
    if (count > 0) {
      parts.add(Quantities.count(count) + " " + (count == 1 ? one : many));
    }
  }
}
