package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;

/** Text output of {@code hypersync scrub}, from the tree of {@code docs/json.md}. */
public final class ScrubReport {
  private ScrubReport() {}

  /** Returns how far a scrub is, what the last one has found, and what to do about it. */
  public static String of(JsonNode scrub) {
    StringBuilder text = new StringBuilder();
    if (scrub.path("running").asBoolean()) {
      JsonNode current = scrub.path("current");
      text.append("A scrub is running: ")
          .append(current.isObject() ? progress(current) : "it begins")
          .append('\n');
    }
    if (scrub.path("last_failure").isTextual()) {
      text.append("The last one was given up: ")
          .append(Printable.line(scrub.path("last_failure").asText()))
          .append("\nWhat it has mended stays so.\n");
    }
    JsonNode last = scrub.path("last");
    if (last.isObject()) {
      found(last, text);
    } else {
      text.append("No scrub has come to its end since the leader started")
          .append(
              scrub.path("running").asBoolean() ? ".\n" : "; begin one: ./hypersync scrub --run\n");
    }
    return text.toString();
  }

  /** Returns how far a scrub is, in a line. */
  public static String progress(JsonNode current) {
    long of = current.path("snapshots").asLong();
    return "snapshot "
        + Quantities.count(Math.min(current.path("snapshots_read").asLong() + 1, of))
        + " of "
        + Quantities.count(of)
        + "; "
        + read(current)
        + "; "
        + counts(current)
        + (current.path("waiting").asLong() > 0
            ? ", " + count(current, "waiting") + " looked for at workers"
            : "");
  }

  private static void found(JsonNode last, StringBuilder text) {
    text.append(read(last))
        .append(" of ")
        .append(count(last, "snapshots_read"))
        .append(last.path("snapshots_read").asLong() == 1 ? " snapshot" : " snapshots")
        .append(", up to entry ")
        .append(last.path("index").asText())
        .append(", in ")
        .append(Quantities.uptime(last.path("took_ms").asLong()))
        .append('\n')
        .append(last.path("bad").asLong() == 0 ? "all is well" : counts(last))
        .append('\n');
    if (last.path("lost").asLong() > 0) {
      lost(last, text);
    }
  }

  private static void lost(JsonNode last, StringBuilder text) {
    if (!last.path("complete").asBoolean()) {
      text.append("So much is lost that the scrub has stopped there: look at the disk.\n");
    }
    Table items = Table.of("LOST", "HASH", ">IN SNAPSHOT");
    boolean hasChunks = false;
    boolean hasPages = false;
    for (JsonNode item : last.path("lost_items")) {
      hasPages |= item.path("kind").asText().equals("page");
      hasChunks |= item.path("kind").asText().equals("chunk");
      items.row(
          item.path("kind").asText(), item.path("hash").asText(), item.path("snapshot").asText());
    }
    text.append(items.render(""));
    more(last.path("lost").asLong() - last.path("lost_items").size(), text);
    Table files = Table.of(">INODE", "FILE OF THE NEWEST STATE");
    for (JsonNode file : last.path("lost_files")) {
      JsonNode path = file.path("path");
      files.row(file.path("inode").asText(), path.isTextual() ? path.asText() : "(no name)");
    }
    if (!files.isEmpty()) {
      text.append(files.render(""));
    }
    text.append("No connected worker has these. Start workers that may have them, or restart the")
        .append(
            " leader, which writes again pages of the newest state and small chunks that its log")
        .append(" has; then: ./hypersync scrub --run\n");
    if (hasChunks) {
      text.append(
              "Until then reads of a lost chunk get EIO. If it is gone for good, write the file")
          .append(" again, or bring an older one back: ./hypersync restore\n");
    }
    if (hasPages) {
      text.append(
              "What only a lost page of an older snapshot leads to was not read, and while a page")
          .append(" is lost gc frees nothing. Such a snapshot can be removed:")
          .append(" ./hypersync snapshot rm\n");
    }
  }

  private static void more(long left, StringBuilder text) {
    if (left > 0) {
      text.append("and ").append(Quantities.count(left)).append(" more\n");
    }
  }

  private static String read(JsonNode figures) {
    return count(figures, "chunks_read")
        + " chunks and "
        + count(figures, "pages_read")
        + " pages read, "
        + Quantities.bytes(figures.path("bytes_read").asLong());
  }

  private static String counts(JsonNode figures) {
    return count(figures, "bad")
        + " missing or damaged, "
        + count(figures, "mended")
        + " mended, "
        + count(figures, "lost")
        + " lost";
  }

  private static String count(JsonNode node, String key) {
    return Quantities.count(node.path(key).asLong());
  }
}
