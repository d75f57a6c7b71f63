package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.PresenceReport;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code hypersync message}: says something to the people of a worker's host. */
@Command(
    name = "message",
    description = {
      "Say something to the people of a worker's host.",
      "",
      "The text comes once into the log of the worker, and into ./hypersync events there. A worker"
          + " that is away is told when it comes back within its lease (./hypersync peers --all). To"
          + " be run on the leader's host."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync message alice \"The leader is moved at 18:00. Please close your files.\"",
      "  ./hypersync message bob --json \"Your disk is nearly full.\""
    })
final class MessageCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(index = "0", paramLabel = "<worker>", description = "The worker's name.")
  private String worker = "";

  @Parameters(index = "1", paramLabel = "<text>", description = "1 to 1000 characters.")
  private String text = "";

  @Override
  public Integer call() {
    JsonNode sent =
        leader
            .client(LIMIT)
            .call(
                "message",
                JsonNodeFactory.instance.objectNode().put("worker", worker).put("text", text));
    screen.show(sent, () -> PresenceReport.message(sent));
    return 0;
  }
}
