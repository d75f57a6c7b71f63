package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.HazardsReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync hazards}: overlaps of the work of different agents (hypersync.md 11). */
@Command(
    name = "hazards",
    description = {
      "Show where different agents have changed the same things, the latest last.",
      "",
      "An entry of the log is a hazard if it changes bytes that another agent has changed shortly"
          + " before, renames or replaces what another one has renamed or written, or writes a file"
          + " that another one has removed. Nothing is refused because of that.",
      "",
      "The leader tells all that its log has. On a machine without the leader, or with --mount, the"
          + " worker tells what it has seen since its start, within milliseconds.",
      "stale_overwrite: the bytes were written by one who has not read what it has written over."
          + " destroyed_work: a file is gone that another agent has written, and its git repository"
          + " has recorded nothing since. symlink_leaves is an advice: the link leads to other files"
          + " on each host."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync hazards",
      "  ./hypersync hazards --follow",
      "  ./hypersync hazards --follow --agent BlueLake --mount /ntmfs/ws/team",
      "  ./hypersync hazards --json | jq -r '.entries[].hazards[].path' | sort | uniq -c"
    })
final class HazardsCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MOST = 100_000;
  private static final int POLL_MS = 50;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = {"-n", "--tail"},
      paramLabel = "<count>",
      description =
          "How many entries at most, 1 to 100000, of the newest 100000 of the log (default:"
              + " ${DEFAULT-VALUE}).")
  private int tail = 20;

  @Option(
      names = {"-f", "--follow"},
      description =
          "Go on until interrupted and show further ones as they come; with --json, a line of JSON"
              + " for each entry.")
  private boolean follow;

  @Option(
      names = "--agent",
      paramLabel = "<name>",
      description = "Only those of this agent, whether it came first or second.")
  private @Nullable String agent;

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description = "Ask the worker of this mount in place of the leader.")
  private @Nullable Path mount;

  @Override
  public Integer call() throws InterruptedException {
    if (tail < 1 || tail > MOST) {
      throw new UserError(
          "--tail: expected a whole number from 1 to " + MOST + ", got " + tail,
          "",
          UserError.USAGE);
    }
    AdminClient daemon = leader.clientOrWorker(LIMIT, Optional.ofNullable(mount));
    JsonNode found = ask(daemon, "tail", tail);
    if (!follow) {
      screen.show(found, () -> HazardsReport.render(found));
      return 0;
    }
    showEach(found);
    long after = found.path("commit_index").asLong();
    while (true) { // until a signal ends the process
      Thread.sleep(POLL_MS);
      JsonNode more = ask(daemon, "after", after);
      showEach(more);
      after = Math.max(after, more.path("commit_index").asLong());
    }
  }

  private JsonNode ask(AdminClient daemon, String which, long number) {
    JsonNode found =
        daemon.call("hazards", JsonNodeFactory.instance.objectNode().put(which, number));
    if (agent != null && found.path("entries") instanceof ArrayNode entries) {
      entries.removeIf(entry -> !concerns(entry, agent));
    }
    return found;
  }

  private static boolean concerns(JsonNode entry, String agent) {
    if (entry.path("agent").asText().equalsIgnoreCase(agent)) {
      return true;
    }
    for (JsonNode hazard : entry.path("hazards")) {
      if (hazard.path("agent").asText().equalsIgnoreCase(agent)) {
        return true;
      }
    }
    return false;
  }

  private void showEach(JsonNode found) {
    for (JsonNode entry : found.path("entries")) {
      screen.output().line(screen.isJson() ? entry.toString() : HazardsReport.line(entry));
    }
  }
}
