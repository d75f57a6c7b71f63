package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.DiffReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync diff}: what differs between two states of a workspace. */
@Command(
    name = "diff",
    description = {
      "Show what differs between two states of a workspace.",
      "",
      "A state is given by a snapshot's name, by the index of its last entry (./hypersync log), by a"
          + " time (2026-01-31T09:00:00Z), by how long ago it was (90s, 10m, 2h, 3d), or as head: the"
          + " newest one. States between two snapshots are there as long as the log is."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync diff 10m",
      "  ./hypersync diff before-the-rewrite head --path src",
      "  ./hypersync diff 48213 48300 --json",
      "  ./hypersync diff 2026-01-31T09:00:00+01:00"
    })
final class DiffCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int MOST_CHANGES = 100_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(index = "0", paramLabel = "<from>", description = "The one state.")
  private String from = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "<to>",
      description = "The other one (default: head).")
  private String to = "head";

  @Option(
      names = "--path",
      paramLabel = "<path>",
      description =
          "Only what is at or below this path, as seen from the root of the workspace, in one of the"
              + " two states.")
  private @Nullable String path;

  @Option(
      names = "--limit",
      paramLabel = "<count>",
      description = "List so many changes at most, 1 to 100000 (default: ${DEFAULT-VALUE}).")
  private int limit = 10_000;

  @Override
  public Integer call() {
    if (limit < 1 || limit > MOST_CHANGES) {
      throw new UserError(
          "--limit: expected a whole number from 1 to " + MOST_CHANGES + ", got " + limit,
          "",
          UserError.USAGE);
    }
    ObjectNode request =
        JsonNodeFactory.instance.objectNode().put("from", from).put("to", to).put("limit", limit);
    if (path != null) {
      request.put("path", path);
    }
    JsonNode answer = leader.client(LIMIT).call("diff", request);
    screen.show(answer, () -> DiffReport.render(answer));
    return 0;
  }
}
