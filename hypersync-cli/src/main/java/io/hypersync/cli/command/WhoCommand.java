package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.render.WhoReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync who}: who has changed a path. */
@Command(
    name = "who",
    description = {
      "Show who has changed a file or a directory, the latest change first.",
      "",
      "What is there is followed back through its renames, and what was there before it, too. Of a"
          + " directory, changes of the names in it count. A path that does not exist any more is answered"
          + " as well."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync who /ntmfs/ws/team/src/main.c",
      "  ./hypersync who docs/plan.md --limit 3 --json",
      "  ./hypersync who /ntmfs/ws/team/src --recursive",
      "  ./hypersync who notes.txt --all      # through all of the log, however long it is"
    })
final class WhoCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int MOST = 10_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      index = "0",
      paramLabel = "<path>",
      description = "In a mount of this machine, or as seen from the root of the workspace.")
  private String path = "";

  @Option(
      names = {"-n", "--limit"},
      paramLabel = "<count>",
      description = "How many changes, 1 to 10000 (default: ${DEFAULT-VALUE}).")
  private int limit = 10;

  @Option(
      names = "--recursive",
      description =
          "Also changes of all that is below a directory, of the newest 100000 entries of the log.")
  private boolean recursive;

  @Option(
      names = "--all",
      description =
          "Look through all of the log: without it, through the newest million entries, and not much"
              + " further than the last change that is found.")
  private boolean all;

  @Override
  public Integer call() {
    if (limit < 1 || limit > MOST) {
      throw new UserError(
          "--limit: expected a whole number from 1 to " + MOST + ", got " + limit,
          "",
          UserError.USAGE);
    }
    if (all && recursive) {
      throw new UserError(
          "--all and --recursive at once",
          "For what is below a directory: ./hypersync log --path <path> --since <state>",
          UserError.USAGE);
    }
    WorkspacePath place = WorkspacePath.of(path, leader.daemons());
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("path", place.inWorkspace())
            .put("limit", limit)
            .put("recursive", recursive)
            .put("all", all);
    JsonNode answer = leader.client(LIMIT, place.worker()).call("who", request);
    screen.show(answer, () -> WhoReport.render(answer));
    return 0;
  }
}
