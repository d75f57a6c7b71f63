package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.cli.render.GcReport;
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

/** {@code hypersync gc}: collects dead chunks, or says what keeps them (hypersync.md 14.2). */
@Command(
    name = "gc",
    description = {
      "Free the disk space of content that nothing needs any more, or see what keeps it.",
      "",
      "The leader does so by itself (gc.interval). Kept is what the newest state has, what snapshots"
          + " have, and what the newest log entries mention (gc.replay_entries, gc.replay_time).",
      "A worker does the same with its own copies, and keeps to worker.cache_max: see --mount."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync gc",
      "  ./hypersync gc --dry-run",
      "  ./hypersync gc --run",
      "  ./hypersync gc --status --json",
      "  ./hypersync gc --mount /ntmfs/ws/team --run"
    })
final class GcCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final long POLL_MS = 200;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(names = "--status", description = "Show what the last collection found (default).")
  private boolean status;

  @Option(names = "--run", description = "Collect now, and wait until that is done.")
  private boolean run;

  @Option(names = "--dry-run", description = "Look what a collection would free; remove nothing.")
  private boolean dryRun;

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description = "Ask the worker of this mount in place of the leader.")
  private @Nullable Path mount;

  @Override
  public Integer call() {
    if ((status && (run || dryRun)) || (run && dryRun)) {
      throw new UserError(
          "gc: --status, --run and --dry-run exclude each other", "", UserError.USAGE);
    }
    if (mount != null && dryRun) {
      throw new UserError(
          "gc: there is no --dry-run on a worker",
          "./hypersync gc --mount " + mount + " shows what the last run has found.",
          UserError.USAGE);
    }
    AdminClient client = client();
    JsonNode answer = run || dryRun ? awaited(client) : ask(client, "status");
    screen.show(answer, () -> GcReport.of(answer));
    return 0;
  }

  private AdminClient client() {
    return mount == null
        ? leader.client(LIMIT)
        : new AdminClient(
            MountedWorkers.of(leader.daemons(), Optional.of(mount)).getFirst().socket(), LIMIT);
  }

  private JsonNode awaited(AdminClient client) {
    JsonNode asked = ask(client, dryRun ? "dry-run" : "run");
    long number = asked.path("number").asLong();
    String told = "";
    while (true) {
      JsonNode now = ask(client, "status");
      if (!now.path("epoch").equals(asked.path("epoch"))) {
        throw new UserError(
            "the daemon was started again, and the collection has ended with it",
            "Nothing that is needed was removed. Ask again.");
      }
      if (now.path("ended").asLong() >= number) {
        return ended(now, number);
      }
      if (now.has("in_touch") && !now.path("in_touch").asBoolean()) {
        throw new UserError(
            "the worker has lost its leader, and collects only while that is in touch",
            "See: ./hypersync status");
      }
      String progress = now.path("progress").asText();
      if (!progress.isEmpty() && !progress.equals(told)) {
        screen.tell(progress);
        told = progress;
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted; the collection goes on", "");
      }
    }
  }

  /** The status after a run that is over. */
  static JsonNode ended(JsonNode status, long number) {
    if (!status.has("runs") && !status.path("last_failure").isNull()) { // a worker's
      throw failed(status.path("last_failure").asText());
    }
    for (JsonNode each : status.path("runs")) {
      if (each.path("number").asLong() == number && !each.path("failure").isNull()) {
        throw failed(each.path("failure").asText());
      }
    }
    return status;
  }

  private static UserError failed(String why) {
    return new UserError("the collection has ended: " + why, "Nothing that is needed was removed.");
  }

  private static JsonNode ask(AdminClient client, String what) {
    return client.call("gc", JsonNodeFactory.instance.objectNode().put("do", what));
  }
}
