package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.VisibilityReport;
import io.hypersync.leader.visibility.Visibility;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync visibility}: where changes are visible when their calls return. */
@Command(
    name = "visibility",
    description = {
      "Show, or set, where a change is visible when the call that made it returns.",
      "",
      "own: on the mount that it was made on. Other mounts follow a moment later.",
      "everywhere: on every mount that can write. A call takes longer, by the way to the slowest"
          + " worker and back. A worker for which calls wait longer than"
          + " hypersync.leader.visibility_timeout becomes read-only until it keeps up again.",
      "",
      "What is set here ends with the leader. To keep it, set hypersync.leader.visibility in"
          + " hypersync.toml."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync visibility",
      "  ./hypersync visibility everywhere",
      "  ./hypersync visibility own",
      "  ./hypersync visibility --json | jq '.workers[] | select(.waited_for_ms > 0)'"
    })
final class VisibilityCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);
  private static final Duration LONGEST_CHANGE = Duration.ofSeconds(30);
  private static final long POLL_MS = 50;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "<own|everywhere>",
      description = "What to set; the command returns when it holds.")
  private @Nullable String wanted;

  @Override
  public Integer call() {
    AdminClient client = leader.client(LIMIT);
    String mode = wanted;
    if (mode != null
        && Arrays.stream(Visibility.values()).noneMatch(each -> each.text().equals(mode))) {
      throw new UserError(
          "visibility is \"own\" or \"everywhere\", not \"" + mode + '"', "", UserError.USAGE);
    }
    JsonNode found = ask(client, mode);
    if (Visibility.EVERYWHERE.text().equals(mode)) {
      found = awaited(client, found);
    }
    JsonNode answer = found;
    screen.show(answer, () -> VisibilityReport.of(answer));
    return 0;
  }

  private static JsonNode ask(AdminClient client, @Nullable String mode) {
    ObjectNode args = JsonNodeFactory.instance.objectNode();
    if (mode != null) {
      args.put("mode", mode);
    }
    return client.call("visibility", args);
  }

  /** Waits until the promise holds: all workers have to know of it. */
  private static JsonNode awaited(AdminClient client, JsonNode first) {
    JsonNode found = first;
    long begunNs = System.nanoTime();
    while (!found.path("in_force").asBoolean()
        && System.nanoTime() - begunNs < LONGEST_CHANGE.toNanos()) {
      try {
        Thread.sleep(POLL_MS);
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        return found;
      }
      found = ask(client, null);
    }
    return found;
  }
}
