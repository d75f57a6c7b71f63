package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.render.UndoReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code hypersync undo}: makes what an agent has changed what it was before. */
@Command(
    name = "undo",
    description = {
      "Undo what an agent has done, on all mounts at once, by new entries: what it has made is removed;"
          + " what it has changed, moved or removed is again as it was before its first change, with"
          + " content, names, links, modes, owners, attributes and times. The agent need not run any"
          + " more.",
      "",
      "Says what would be done, and does nothing without --yes. A path that somebody else has changed"
          + " since is contested: it is named and left as it is.",
      "",
      "The entries are of the agent \"undo of <name>\", so that can be undone in the same way."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync undo --agent BlueLake --since 2h             # what would be done?",
      "  ./hypersync undo --agent BlueLake --since 2h --yes",
      "  ./hypersync undo --agent BlueLake --since 48000 --path /ntmfs/ws/team/src --dry-run --json",
      "  ./hypersync undo --agent 'undo of BlueLake' --since 10m --yes"
    })
final class UndoCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int MOST_ACTIONS = 100_000;
  private static final int LEFT = 1;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();
  @Mixin private final AgentOption agent = new AgentOption();

  @Option(
      names = "--since",
      paramLabel = "<state>",
      description =
          "Only what it has done from this entry on, or behind a snapshot or a time"
              + " (2026-01-31T09:00:00Z, or 10m: ten minutes ago). Default: all that the log has.")
  private @Nullable String since;

  @Option(
      names = "--path",
      paramLabel = "<path>",
      description =
          "Only what is, or was, at this path or below it: in a mount of this machine, or as seen from"
              + " the root of the workspace.")
  private @Nullable String path;

  @Option(names = "--yes", description = "Do it.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Only say what would be done (the default).")
  private boolean dryRun;

  @Option(
      names = "--planned-at",
      paramLabel = "<index>",
      description =
          "With --yes: the entry that a dry run names. What anybody has changed since is left alone.")
  private long plannedAt = -1;

  @Option(
      names = "--force",
      description =
          "Undo contested paths, too: what others have changed in them since is then in the log"
              + " only. A directory stays as long as something of others is in it.")
  private boolean force;

  @Option(
      names = "--limit",
      paramLabel = "<count>",
      description = "List so many paths at most, 1 to 100000 (default: ${DEFAULT-VALUE}).")
  private int limit = 1_000;

  @Override
  public Integer call() {
    String name = agent.name();
    if (name.isEmpty()) {
      throw new UserError(
          "whose changes are to be undone? --agent is missing",
          "./hypersync status lists the agents of each mount, ./hypersync log shows who did what.",
          UserError.USAGE);
    }
    if (yes && dryRun) {
      throw new UserError("--yes and --dry-run at once", "Give one of them.", UserError.USAGE);
    }
    if (limit < 1 || limit > MOST_ACTIONS) {
      throw new UserError(
          "--limit: expected a whole number from 1 to " + MOST_ACTIONS + ", got " + limit,
          "",
          UserError.USAGE);
    }
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("agent", name)
            .put("dry_run", !yes)
            .put("force", force)
            .put("limit", limit);
    if (since != null) {
      request.put("since", since);
    }
    if (plannedAt >= 0) {
      request.put("planned_at", plannedAt);
    }
    Optional<Daemons.Living> worker = Optional.empty();
    if (path != null) {
      WorkspacePath place = WorkspacePath.of(path, leader.daemons());
      request.put("path", place.inWorkspace());
      worker = place.worker();
    }
    JsonNode answer = ask(leader.client(LIMIT, worker), request);
    screen.show(answer, () -> UndoReport.render(answer, again(name, answer), again(answer)));
    boolean isLeft =
        answer.path("left_count").asLong() > 0 || answer.path("contested_count").asLong() > 0;
    return isLeft ? LEFT : 0;
  }

  private JsonNode ask(AdminClient client, ObjectNode request) {
    return switch (client.ask("undo", request)) {
      case AdminClient.Reply.Result(JsonNode value) -> value;
      case AdminClient.Reply.Refused(UserError error) -> throw error;
      case AdminClient.Reply.Dead(String reason) ->
          throw new UserError(
              "the leader is not running: " + reason, "See which daemons run: ./hypersync status");
      case AdminClient.Reply.Unresponsive(String reason) ->
          throw new UserError(
              "the leader has not answered: " + reason,
              yes
                  ? "What it has undone stays so. Ask it again without --planned-at, which goes on from there."
                  : "Its log says what it is busy with.");
    };
  }

  /** The command that does what a dry run has said: with indexes, as a time means another then. */
  private String again(String name, JsonNode answer) {
    return "./hypersync undo --agent "
        + ShellWords.quoted(name)
        + " --since "
        + answer.path("since_index").asText()
        + (path == null ? "" : " --path " + ShellWords.quoted(path))
        + (force ? " --force" : "")
        + " --planned-at "
        + answer.path("head_index").asText()
        + leader.again()
        + " --yes";
  }

  /** The command that undoes this undo. */
  private String again(JsonNode answer) {
    return "./hypersync undo --agent "
        + ShellWords.quoted(answer.path("undo_agent").asText())
        + " --since "
        + (answer.path("head_index").asLong() + 1)
        + leader.again()
        + " --yes";
  }
}
