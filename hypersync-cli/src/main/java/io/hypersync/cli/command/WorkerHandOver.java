package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** What {@code worker restart} and {@code worker upgrade} have in common. */
final class WorkerHandOver {
  /** A successor has a minute and a half until it is ready. */
  private static final Duration READY_LIMIT = Duration.ofMinutes(2);

  private static final Duration ASK_LIMIT = Duration.ofSeconds(5);

  /** From then on: a worker that does not come back within its takeover_timeout is gone. */
  private static final Duration SERVES_LIMIT = Duration.ofSeconds(90);

  private static final long POLL_MS = 50;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description = "Which mount; may be left out if there is one only.")
  private @Nullable Path mount;

  @Option(
      names = "--force",
      description =
          "Also if files on paths of hypersync.ignore are open, which then get ESTALE, or states of"
              + " the past are mounted, whose mounts then end.")
  private boolean force;

  /**
   * Hands a mount over; blocks until the successor serves.
   *
   * @param launcher of another build; empty for the command of the worker
   * @throws UserError if no other process takes it over; the worker goes on
   */
  int run(String launcher) {
    Daemons.Living worker = worker();
    ObjectNode args =
        JsonNodeFactory.instance.objectNode().put("launcher", launcher).put("force", force);
    String point = MountedWorkers.mount(worker).toString();
    if (!screen.isJson()) {
      screen.tell("A successor gets ready; " + Printable.line(point) + " is served on meanwhile.");
    }
    JsonNode ready = new AdminClient(worker.socket(), READY_LIMIT).call("restart", args);
    JsonNode serving =
        awaitSuccessor(
            new AdminClient(worker.socket(), ASK_LIMIT), ready.path("generation").asInt());
    JsonNode succession = serving.path("succession");
    ObjectNode result =
        JsonNodeFactory.instance
            .objectNode()
            .put("mount", point)
            .put("pid_before", ready.path("pid").asLong())
            .put("pid", serving.path("pid").asLong())
            .put("generation", serving.path("generation").asInt())
            .put("version", serving.path("version").asText());
    result.set("succession", succession);
    if (!succession.path("how").asText().equals("handed_over")) {
      throw new UserError(
          "the successor has ended before it served, and process "
              + serving.path("pid").asLong()
              + " of the command of before goes on with "
              + point,
          "The worker's log says why.");
    }
    screen.show(result, () -> text(result));
    return 0;
  }

  private static String text(JsonNode result) {
    return "Process "
        + result.path("pid").asLong()
        + " (version "
        + Printable.line(result.path("version").asText())
        + ") goes on with "
        + Printable.line(result.path("mount").asText())
        + ", after a pause of "
        + result.path("succession").path("pause_ms").asLong()
        + " ms\n";
  }

  private Daemons.Living worker() {
    List<Daemons.Living> workers =
        MountedWorkers.of(selection.daemons(), Optional.ofNullable(mount));
    if (workers.size() > 1) {
      throw new UserError(
          workers.size() + " workers run on this machine",
          "Say which: --mount "
              + String.join(
                  " or ",
                  workers.stream().map(each -> MountedWorkers.mount(each).toString()).toList()),
          UserError.USAGE);
    }
    return workers.getFirst();
  }

  private static JsonNode awaitSuccessor(AdminClient client, int before) {
    long limitNs = System.nanoTime() + SERVES_LIMIT.toNanos();
    while (System.nanoTime() - limitNs < 0) {
      if (client.ask("status") instanceof AdminClient.Reply.Result(JsonNode status)) {
        String failure = status.path("restart_failed").asText("");
        if (status.path("generation").asInt() > before
            && status.path("succession").isObject()
            && status.path("mounted").asBoolean()) {
          return status;
        }
        if (status.path("generation").asInt() == before && !failure.isEmpty()) {
          throw new UserError(
              "no other process takes the mount over: " + failure,
              "This worker goes on as before.");
        }
      }
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        throw new UserError("interrupted; the hand-over goes on", "See: ./hypersync status");
      }
    }
    throw new UserError(
        "the successor does not serve within " + SERVES_LIMIT.toSeconds() + " s",
        "The worker's log says why. See: ./hypersync status");
  }
}
