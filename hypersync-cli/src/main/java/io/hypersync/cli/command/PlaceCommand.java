package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.PlacementReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync place}: on which workers agents are to be started (hypersync.md 15). */
@Command(
    name = "place",
    description = {
      "Choose the workers on which agents are to be started. Starts nothing: who asks does that.",
      "",
      "The leader takes workers that are stable, and of these the ones that are likely to hurt"
          + " least: by the load of their hosts, the age of what they show, the time of their commits"
          + " and their agents. Agents that were placed count from then on. Exits with 1 if there is"
          + " no room for all of them."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync place --count 12",
      "  ./hypersync place --count 12 --session payments --explain",
      "  ./hypersync place --decisions",
      "  ./hypersync place --count 4 --json | jq -r '.placements[] | .worker + \" \" + (.count|tostring)'"
    })
final class PlaceCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(10);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = {"-n", "--count"},
      paramLabel = "<count>",
      description = "How many agents, 1 to 256.")
  private @Nullable Integer count;

  @Option(
      names = "--session",
      paramLabel = "<name>",
      description = "For whom they are, to find the decision again.")
  private String session = "";

  @Option(
      names = "--explain",
      description = "Show what the decision rests on: costs, their parts, what was drawn.")
  private boolean explain;

  @Option(
      names = "--decisions",
      description = "Place nobody, and show the last 32 decisions since the leader's start.")
  private boolean decisions;

  @Override
  public Integer call() {
    if (decisions == (count != null)) {
      throw new UserError(
          "place: how many agents?",
          "Say it: ./hypersync place --count 4"
              + leader.again()
              + "\nor look at what was decided:"
              + " ./hypersync place --decisions"
              + leader.again(),
          UserError.USAGE);
    }
    ObjectNode request = JsonNodeFactory.instance.objectNode();
    if (count == null) {
      JsonNode all = leader.client(LIMIT).call("place", request.put("decisions", true));
      screen.show(all, () -> PlacementReport.decisions(all));
      return 0;
    }
    JsonNode decision =
        leader.client(LIMIT).call("place", request.put("count", count).put("session", session));
    if (!explain && decision instanceof ObjectNode tree) {
      var _ = tree.remove("evidence");
    }
    screen.show(decision, () -> PlacementReport.render(decision));
    return decision.path("unplaced").asInt() == 0 ? 0 : UserError.FAILED;
  }
}
