package io.hypersync.cli.render;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.text.ShellWords;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Text output of {@code hypersync profile}, from the tree of {@code docs/json.md}. */
public final class ProfileReport {
  private static final int PATHS_SHOWN = 15;
  private static final int SYSCALLS_SHOWN = 20;
  private static final int SLOWEST_SHOWN = 5;

  private ProfileReport() {}

  public static String render(JsonNode tree) {
    StringBuilder text = new StringBuilder();
    text.append("Profile of ")
        .append(ShellWords.line(words(tree.path("command"))))
        .append("\n  on ")
        .append(Printable.line(tree.path("mount").asText()))
        .append(" of worker ")
        .append(Printable.line(tree.path("worker_id").asText()))
        .append(
            ", %.1f s, exit code %d"
                .formatted(tree.path("seconds").asDouble(), tree.path("exit_code").asInt()))
        .append(
            ", %d CPUs, load %.1f before and %.1f after\n"
                .formatted(
                    tree.path("cpus").asInt(),
                    tree.path("load_1m_before").asDouble(),
                    tree.path("load_1m_after").asDouble()));
    part(text, "Requests of the kernel", requests(tree));
    if (tree.path("syscalls").isObject()) {
      part(text, "System calls of the command", syscalls(tree.path("syscalls")));
    }
    text.append('\n').append(maps(tree.path("syscalls")));
    part(text, "Changes", changes(tree));
    text.append('\n').append(writes(tree.path("writes")));
    text.append(syncs(tree));
    part(text, "Where the time of a change went", WhySlowReport.stages(tree.path("stages")));
    text.append('\n')
        .append(tree.path("limit").path("sentence").asText().replace(", over the last seconds", ""))
        .append('\n');
    part(
        text,
        "The slowest of the last minute",
        WhySlowReport.slowest(tree.path("slowest"), SLOWEST_SHOWN));
    part(text, "Hottest paths", hottest(tree.path("paths")));
    text.append("  of ")
        .append(Quantities.count(tree.path("paths_in_all").asLong()))
        .append(" that were changed\n\n")
        .append(local(tree.path("local")));
    return text.toString();
  }

  private static void part(StringBuilder text, String heading, Table table) {
    if (!table.isEmpty()) {
      text.append('\n').append(heading).append('\n').append(table.render("  "));
    }
  }

  private static Table requests(JsonNode tree) {
    double seconds = Math.max(0.001, tree.path("seconds").asDouble());
    Table table = Table.of("REQUEST", ">COUNT", ">PER S");
    for (Map.Entry<String, JsonNode> row : descending(tree.path("requests"))) {
      long count = row.getValue().asLong();
      table.row(row.getKey(), Quantities.count(count), "%.1f".formatted(count / seconds));
    }
    return table;
  }

  private static Table syscalls(JsonNode syscalls) {
    Table table = Table.of("SYSTEM CALL", ">ON THE MOUNT", ">ANYWHERE");
    descending(syscalls.path("all")).stream()
        .sorted(
            Comparator.comparingLong(row -> -syscalls.path("on_mount").path(row.getKey()).asLong()))
        .limit(SYSCALLS_SHOWN)
        .forEach(
            row ->
                table.row(
                    row.getKey(),
                    Quantities.count(syscalls.path("on_mount").path(row.getKey()).asLong()),
                    Quantities.count(row.getValue().asLong())));
    return table;
  }

  private static String maps(JsonNode syscalls) {
    if (!syscalls.isObject()) {
      return "Shared writable maps: not known, the kernel refuses them by itself; --syscalls counts"
          + " them\n";
    }
    return "Shared writable maps of files on the mount: %d tried, %d refused with ENODEV\n"
        .formatted(
            syscalls.path("shared_writable_maps").asLong(),
            syscalls.path("shared_writable_maps_refused").asLong());
  }

  private static Table changes(JsonNode tree) {
    Table table = Table.of("CHANGE", ">COUNT");
    for (Map.Entry<String, JsonNode> row : descending(tree.path("ops"))) {
      table.row(row.getKey(), Quantities.count(row.getValue().asLong()));
    }
    if (tree.path("refused").asLong() > 0) {
      table.row("(refused)", Quantities.count(tree.path("refused").asLong()));
    }
    return table;
  }

  private static String writes(JsonNode writes) {
    if (writes.path("count").asLong() == 0) {
      return "Writes: none\n";
    }
    StringBuilder text = new StringBuilder();
    text.append(
        "Writes: %s of together %s; size p50 %s, p90 %s, p99 %s, largest %s\n"
            .formatted(
                Quantities.count(writes.path("count").asLong()),
                Quantities.bytes(writes.path("bytes").asLong()),
                Quantities.bytes(writes.path("size_bytes_p50").asLong()),
                Quantities.bytes(writes.path("size_bytes_p90").asLong()),
                Quantities.bytes(writes.path("size_bytes_p99").asLong()),
                Quantities.bytes(writes.path("size_bytes_max").asLong())));
    text.append(
        "  in seconds with writes: p50 %s, p99 %s, at most %s a second\n"
            .formatted(
                Quantities.count(writes.path("per_s_p50").asLong()),
                Quantities.count(writes.path("per_s_p99").asLong()),
                Quantities.count(writes.path("per_s_max").asLong())));
    Table table = Table.of(">SMALLER THAN", ">WRITES");
    writes
        .path("sizes")
        .properties()
        .forEach(
            row ->
                table.row(
                    Quantities.bytes(Long.parseLong(row.getKey())),
                    Quantities.count(row.getValue().asLong())));
    return text.append(table.render("  ")).toString();
  }

  private static String syncs(JsonNode tree) {
    JsonNode rates = tree.path("rates_per_s");
    return "\nA second: %.1f fsync of files, %.1f of directories (%d of all waited for nothing), %.1f renames, %.1f unlinks, %.1f opens, %.1f stats, %.1f listings\n"
        .formatted(
            rates.path("fsyncs").asDouble(),
            rates.path("fsyncs_of_directories").asDouble(),
            tree.path("fsync_elided").asLong(),
            rates.path("renames").asDouble(),
            rates.path("unlinks").asDouble(),
            rates.path("opens").asDouble(),
            rates.path("stats").asDouble(),
            rates.path("listings").asDouble());
  }

  private static Table hottest(JsonNode paths) {
    Table table = Table.of(">CHANGES", ">WRITES", ">BYTES", ">MADE", ">REMOVED", "PATH");
    for (int i = 0; i < Math.min(PATHS_SHOWN, paths.size()); i++) {
      JsonNode row = paths.get(i);
      table.row(
          Quantities.count(row.path("mutations").asLong()),
          Quantities.count(row.path("writes").asLong()),
          Quantities.bytes(row.path("bytes").asLong()),
          Quantities.count(row.path("created").asLong()),
          Quantities.count(row.path("removed").asLong()),
          "/" + row.path("path").asText());
    }
    return table;
  }

  private static String local(JsonNode candidates) {
    if (candidates.isEmpty()) {
      return "Nothing here asks to be moved to /ntmfs/local: no directory with 2 % of the changes"
          + " is one that tools make again, or whose files come and go.\n";
    }
    StringBuilder text = new StringBuilder("What should go to /ntmfs/local\n");
    Table table =
        Table.of("PATH", ">SHARE", ">CHANGES", ">BYTES", ">MADE", ">REMOVED", "WHY", "HOW");
    for (JsonNode row : candidates) {
      table.row(
          "/" + row.path("path").asText(),
          "%.0f %%".formatted(100 * row.path("share").asDouble()),
          Quantities.count(row.path("mutations").asLong()),
          Quantities.bytes(row.path("bytes").asLong()),
          Quantities.count(row.path("created").asLong()),
          Quantities.count(row.path("removed").asLong()),
          row.path("why").asText(),
          row.path("how").asText());
    }
    return text.append(table.render("  ")).toString();
  }

  private static List<Map.Entry<String, JsonNode>> descending(JsonNode counts) {
    return counts.properties().stream()
        .sorted(
            Comparator.comparingLong((Map.Entry<String, JsonNode> row) -> -row.getValue().asLong())
                .thenComparing(Map.Entry::getKey))
        .toList();
  }

  private static List<String> words(JsonNode command) {
    return command.valueStream().map(JsonNode::asText).toList();
  }
}
