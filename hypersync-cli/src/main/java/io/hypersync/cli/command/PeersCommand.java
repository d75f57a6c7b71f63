package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.render.PresenceReport;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync peers}: which workers are there. */
@Command(
    name = "peers",
    description = {
      "Show which workers are there.",
      "",
      "A worker is there from its first connection on until it has been away for longer than its"
          + " lease (hypersync.leader.presence_lease). A short cut of its network does not change"
          + " that; --all shows it."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync peers",
      "  ./hypersync peers --all",
      "  ./hypersync peers --all --json | jq -r '.peers[] | .worker_id + \" \" + .transport'"
    })
final class PeersCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = "--all",
      description =
          "Say of each whether it is connected at the moment, for how long its lease goes on if"
              + " not, and how often it has come back.")
  private boolean all;

  @Override
  public Integer call() {
    JsonNode found =
        leader.client(LIMIT).call("peers", JsonNodeFactory.instance.objectNode().put("all", all));
    screen.show(found, () -> PresenceReport.peers(found, all));
    return 0;
  }
}
