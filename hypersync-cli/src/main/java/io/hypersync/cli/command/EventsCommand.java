package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.PresenceReport;
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

/** {@code hypersync events}: which workers have come and gone. */
@Command(
    name = "events",
    description = {
      "Show which workers have come and gone, the latest last.",
      "",
      "The leader remembers the latest 1000 since its start. A worker that loses its connection and"
          + " comes back within its lease has not gone; --all tells of that, too.",
      "On a machine without the leader, or with --mount, the worker tells the latest 200 that the"
          + " leader has told it: also messages, and locks that were lost. What happened while it"
          + " was away comes when it is back."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync events",
      "  ./hypersync events --follow",
      "  ./hypersync events --mount /ntmfs/ws/team",
      "  ./hypersync events --follow --all --json | jq -r '.kind + \" \" + .worker_id'"
    })
final class EventsCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final int MOST = 1_000;
  private static final int POLL_MS = 100;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = {"-n", "--tail"},
      paramLabel = "<count>",
      description = "How many at most, 1 to 1000 (default: ${DEFAULT-VALUE}).")
  private int tail = 20;

  @Option(
      names = {"-f", "--follow"},
      description =
          "Go on until interrupted and show further ones as they come; with --json, a line of JSON"
              + " for each event.")
  private boolean follow;

  @Option(names = "--all", description = "Tell of lost, resumed and replaced connections, too.")
  private boolean all;

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
    JsonNode found = ask(daemon, JsonNodeFactory.instance.objectNode().put("tail", tail));
    if (!follow) {
      screen.show(found, () -> PresenceReport.events(found));
      return 0;
    }
    showEach(found);
    JsonNode last = found;
    while (true) { // until a signal ends the process
      Thread.sleep(POLL_MS);
      last =
          ask(
              daemon,
              JsonNodeFactory.instance
                  .objectNode()
                  .put("after", last.path("newest").asLong())
                  .put("run", last.path("run").asText()));
      showEach(last);
    }
  }

  private JsonNode ask(AdminClient daemon, ObjectNode args) {
    return daemon.call("events", args.put("all", all));
  }

  private void showEach(JsonNode found) {
    for (JsonNode event : found.path("events")) {
      screen.output().line(screen.isJson() ? event.toString() : PresenceReport.line(event));
    }
  }
}
