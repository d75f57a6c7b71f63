package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.render.LogReport;
import io.hypersync.runtime.admin.UserError;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync log}: shows the newest committed entries (hypersync.md 16.1). */
@Command(
    name = "log",
    description = {
      "Show the newest committed operations, as the leader has them.",
      "",
      "With --path each is shown with the path that it has changed. Then the states between them are"
          + " made again, which takes some seconds for a hundred thousand entries."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync log --tail 50",
      "  ./hypersync log --tail 1000 --json | jq -r '.entries[] | [.log_index, .op] | @tsv'",
      "  ./hypersync log --agent BlueLake --since 2h",
      "  ./hypersync log --path /ntmfs/ws/team/src --since 48000 --until 48213",
      "  ./hypersync log --hazards --path src --agent BlueLake",
      "  ./hypersync log --workspace team"
    })
final class LogCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int MAX_TAIL = 100_000;
  private static final int MAX_WITH_PATHS = 10_000;

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
          "Only those of this agent, of the newest 100000 or since --since; \"\" for those without a"
              + " name.")
  private @Nullable String agent;

  @Option(
      names = "--path",
      paramLabel = "<path>",
      description =
          "Only those that change what is at this path or below it: in a mount of this machine, or as"
              + " seen from the root of the workspace. 10000 at most.")
  private @Nullable String path;

  @Option(
      names = "--since",
      paramLabel = "<state>",
      description =
          "Only those from this entry on, or behind a snapshot or a time (2026-01-31T09:00:00Z, or 10m:"
              + " ten minutes ago).")
  private @Nullable String since;

  @Option(
      names = "--until",
      paramLabel = "<state>",
      description = "Only those up to this entry, snapshot or time.")
  private @Nullable String until;

  @Option(names = "--hazards", description = "Only those that overlap with others' work.")
  private boolean hazards;

  @Override
  public Integer call() {
    int most = path == null ? MAX_TAIL : MAX_WITH_PATHS;
    if (tail < 1 || tail > most) {
      throw new UserError(
          "--tail: expected a whole number from 1 to " + most + ", got " + tail,
          "",
          UserError.USAGE);
    }
    ObjectNode args = JsonNodeFactory.instance.objectNode().put("tail", tail);
    if (hazards) {
      args.put("hazards", true);
    }
    put(args, "agent", agent);
    put(args, "since", since);
    put(args, "until", until);
    Optional<Daemons.Living> worker = Optional.empty();
    if (path != null) {
      WorkspacePath place = WorkspacePath.of(path, leader.daemons());
      args.put("path", place.inWorkspace());
      worker = place.worker();
    }
    JsonNode log = leader.client(LIMIT, worker).call("log", args);
    boolean isSome = hazards || agent != null || path != null || since != null || until != null;
    screen.show(log, () -> LogReport.render(log, isSome));
    return 0;
  }

  private static void put(ObjectNode args, String name, @Nullable String value) {
    if (value != null) {
      args.put(name, value);
    }
  }
}
