package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.WorkspacePath;
import io.hypersync.cli.render.RestoreAllReport;
import io.hypersync.cli.render.RestoreReport;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync restore}: brings a path of a workspace, or all of it, back to what it was. */
@Command(
    name = "restore",
    description = {
      "Bring a file or a directory back to what it was, on all mounts at once, by new entries.",
      "",
      "Says what would be done, and does nothing without --yes. What was made since then below the"
          + " path, or moved into it, is removed. What was moved out of it stays where it is. Files"
          + " that are still there keep their inode numbers. What others change or move meanwhile"
          + " is left alone and named.",
      "",
      "With --all the whole workspace becomes what it was, at once, by one entry, however large it is."
          + " What others write meanwhile is not left alone: it is gone from the newest state, as is all"
          + " that was made since then. What is open stays open, without a name. The command says how"
          + " everything comes back."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync restore /ntmfs/ws/team/src --at 10m          # what would be done?",
      "  ./hypersync restore /ntmfs/ws/team/src --at 10m --yes",
      "  ./hypersync restore docs/plan.md --at before-the-rewrite --yes",
      "  ./hypersync restore /ntmfs/ws/team --at 48213 --dry-run --json",
      "  ./hypersync restore --all --at 48213                     # how much would change?",
      "  ./hypersync restore --all --at before-the-rewrite --yes"
    })
final class RestoreCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);
  private static final int MOST_ACTIONS = 100_000;
  private static final int DEFAULT_ACTIONS = 1_000;
  private static final int LEFT = 1;

  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderSelection leader = new LeaderSelection();

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "<path>",
      description =
          "What is restored: in a mount of this machine, or as seen from the root of the workspace.")
  private @Nullable String path;

  @Option(names = "--all", description = "Restore the whole workspace at once, by one entry.")
  private boolean all;

  @Option(
      names = "--at",
      paramLabel = "<state>",
      required = true,
      description =
          "The state: a snapshot's name, the index of an entry, a time (2026-01-31T09:00:00Z), or how"
              + " long ago (10m).")
  private String at = "";

  @Option(names = "--yes", description = "Do it.")
  private boolean yes;

  @Option(names = "--dry-run", description = "Only say what would be done (the default).")
  private boolean dryRun;

  @Option(
      names = "--planned-at",
      paramLabel = "<index>",
      description =
          "With --yes: the entry that a dry run names. What others have changed since is left alone.")
  private long plannedAt = -1;

  @Option(
      names = "--limit",
      paramLabel = "<count>",
      description = "List so many paths at most, 1 to 100000 (default: 1000).")
  private @Nullable Integer limit;

  @Override
  public Integer call() {
    if (yes && dryRun) {
      throw new UserError("--yes and --dry-run at once", "Give one of them.", UserError.USAGE);
    }
    return all ? restoreAll() : restorePath();
  }

  private int restoreAll() {
    if (path != null || plannedAt >= 0 || limit != null) {
      throw new UserError(
          "--all takes neither a path, nor --planned-at, nor --limit",
          "One path: ./hypersync restore <path> --at <state>.",
          UserError.USAGE);
    }
    ObjectNode request =
        JsonNodeFactory.instance.objectNode().put("all", true).put("at", at).put("dry_run", !yes);
    JsonNode answer =
        ask(
            leader.client(LIMIT),
            request,
            "It may have been done: ./hypersync log shows the newest entries.");
    screen.show(
        answer,
        () ->
            RestoreAllReport.render(
                answer, index -> "./hypersync restore --all --at " + index + leader.again()));
    return 0;
  }

  private int restorePath() {
    String asked = path;
    if (asked == null) {
      throw new UserError(
          "no path is given",
          "The whole workspace at once: ./hypersync restore --all --at <state>.",
          UserError.USAGE);
    }
    int most = limit == null ? DEFAULT_ACTIONS : limit;
    if (most < 1 || most > MOST_ACTIONS) {
      throw new UserError(
          "--limit: expected a whole number from 1 to " + MOST_ACTIONS + ", got " + most,
          "",
          UserError.USAGE);
    }
    WorkspacePath place = WorkspacePath.of(asked, leader.daemons());
    ObjectNode request =
        JsonNodeFactory.instance
            .objectNode()
            .put("path", place.inWorkspace())
            .put("at", at)
            .put("dry_run", !yes)
            .put("limit", most);
    if (plannedAt >= 0) {
      request.put("planned_at", plannedAt);
    }
    AdminClient client = leader.client(LIMIT, place.worker());
    JsonNode answer = ask(client, request, goesOn());
    String again = again(asked, answer);
    String atOnce =
        !yes && place.inWorkspace().equals(WorkspacePath.ROOT)
            ? "./hypersync restore --all --at " + answer.path("at_index").asText() + leader.again()
            : "";
    screen.show(answer, () -> RestoreReport.render(answer, again, atOnce));
    return answer.path("left_count").asLong() == 0 ? 0 : LEFT;
  }

  private JsonNode ask(AdminClient client, ObjectNode request, String ifSilent) {
    return switch (client.ask("restore", request)) {
      case AdminClient.Reply.Result(JsonNode value) -> value;
      case AdminClient.Reply.Refused(UserError error) -> throw error;
      case AdminClient.Reply.Dead(String reason) ->
          throw new UserError(
              "the leader is not running: " + reason, "See which daemons run: ./hypersync status");
      case AdminClient.Reply.Unresponsive(String reason) ->
          throw new UserError(
              "the leader has not answered: " + reason,
              yes ? ifSilent : "Its log says what it is busy with.");
    };
  }

  private String goesOn() {
    return "What it has restored stays so. "
        + (plannedAt < 0
            ? "Ask it again, which goes on from there."
            : "Ask it again without --yes, which says what is left to do.");
  }

  /**
   * The command that does what a dry run has said, or that says what is left: with an index,
   * because a time means another one then.
   */
  private String again(String asked, JsonNode answer) {
    return "./hypersync restore "
        + ShellWords.quoted(asked)
        + " --at "
        + answer.path("at_index").asText()
        + leader.again()
        + (yes ? "" : " --planned-at " + answer.path("head_index").asText() + " --yes");
  }
}
