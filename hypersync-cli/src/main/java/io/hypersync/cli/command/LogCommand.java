package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.LogReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync log}: shows the newest committed entries (hypersync.md 16.1). */
@Command(
    name = "log",
    description = "Show the newest committed operations, as the leader has them.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync log --tail 50",
      "  ./hypersync log --tail 1000 --json | jq -r '.entries[] | [.log_index, .op] | @tsv'",
      "  ./hypersync log --agent BlueLake",
      "  ./hypersync log --workspace team"
    })
final class LogCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(30);
  private static final int MAX_TAIL = 100_000;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Option(
      names = {"-n", "--tail"},
      paramLabel = "<count>",
      description = "How many, 1 to 100000 (default: ${DEFAULT-VALUE}).")
  private int tail = 20;

  @Option(
      names = "--agent",
      paramLabel = "<name>",
      description =
          "Only those of this agent, of the newest 100000; \"\" for those without a name.")
  private @Nullable String agent;

  @Override
  public Integer call() {
    if (tail < 1 || tail > MAX_TAIL) {
      throw new UserError(
          "--tail: expected a whole number from 1 to " + MAX_TAIL + ", got " + tail,
          "",
          UserError.USAGE);
    }
    ObjectNode args = JsonNodeFactory.instance.objectNode().put("tail", tail);
    if (agent != null) {
      args.put("agent", agent);
    }
    JsonNode log = leader.client(LIMIT).call("log", args);
    screen.show(log, () -> LogReport.render(log, agent != null));
    return 0;
  }
}
