package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync init}: creates a workspace (hypersync.md 16.1, 18). */
@Command(
    name = "init",
    description =
        "Make a workspace: its id, its certificate authority, its leader's certificate, its"
            + " configuration.",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync init /srv/team",
      "  ./hypersync init /srv/team --bind 10.0.0.1:7890 --workers fmd,yto,css",
      "  ./hypersync init /srv/team2 --from /mnt/backup/team"
    })
public final class InitCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderAddressOption leaderAddress = new LeaderAddressOption();

  @Parameters(paramLabel = "<dir>", description = "The folder; it is made if it is not there.")
  private Path directory = Path.of("");

  @Option(
      names = "--name",
      paramLabel = "<name>",
      description = "What to call the workspace (default: the name of the folder).")
  private @Nullable String name;

  @Option(
      names = "--bind",
      paramLabel = "<host:port>",
      description = "Where the leader will listen (default: ${DEFAULT-VALUE}).")
  private String bind = "0.0.0.0:7890";

  @Option(
      names = "--workers",
      paramLabel = "<worker>",
      split = ",",
      description = "Write enrolment tokens for these workers at once.")
  private List<String> workers = List.of();

  @Option(
      names = "--from",
      paramLabel = "<backup dir>",
      description =
          "Begin with a state of this backup (./hypersync backup), and not with an empty folder.")
  private @Nullable Path from;

  @Option(
      names = "--at",
      paramLabel = "<state>",
      description =
          "With --from: which state, by its name, its index or a time (default: the newest one).")
  private @Nullable String at;

  @Override
  public Integer call() {
    if (at != null && from == null) {
      throw new UserError("init: --at needs --from <backup dir>", "", UserError.USAGE);
    }
    HostPort bindAddress = Arguments.parse("--bind", Settings.LEADER_BIND_ADDRESS, bind);
    List<WorkerId> ids =
        workers.stream()
            .map(worker -> Arguments.parse("--workers", Settings.WORKER_ID, worker))
            .toList();
    Path root = directory.toAbsolutePath().normalize();
    WorkspaceName called =
        new WorkspaceName(name != null ? name : String.valueOf(root.getFileName()));
    WorkspaceId id = NewIds.workspace();
    RestoredState restored = new RestoredState(id, from, at, screen);
    WorkspaceDirectory workspace =
        restored.fill(
            filler ->
                WorkspaceDirectory.create(
                    root,
                    id,
                    called,
                    Instant.now(),
                    WorkspaceDirectory.saying(bindAddress),
                    ids,
                    leaderAddress.orFrom(bindAddress),
                    filler));
    ObjectNode result = JsonNodeFactory.instance.objectNode();
    result
        .put("workspace", workspace.id().toString())
        .put("workspace_name", workspace.name().text())
        .put("dir", root.toString());
    result.set("restored", restored.json());
    ArrayNode tokens = result.putArray("tokens");
    List<HostPort> leaders = leaderAddress.orFrom(bindAddress);
    Optional<String> warning = Optional.empty();
    for (WorkerId worker : ids) {
      Path file = workspace.tokenFile(worker);
      tokens.add(file.toString());
      warning =
          warning.or(
              () ->
                  LoopbackAddress.warning(
                      leaders, List.of("token", worker.name(), "--dir", root.toString()), file));
    }
    result.put("warning", warning.orElse(null));
    screen.show(result, () -> text(workspace, restored.text(), ids));
    warning.ifPresent(screen::tell);
    return 0;
  }

  private static String text(
      WorkspaceDirectory workspace, String restored, List<WorkerId> workers) {
    StringBuilder text = new StringBuilder();
    text.append("Made workspace ").append(workspace.name());
    text.append(" (").append(workspace.id()).append(") in ").append(workspace.root());
    text.append(".\n")
        .append(restored)
        .append("\nNext:\n  ")
        .append(Suggestion.leader(workspace))
        .append('\n');
    if (workers.isEmpty()) {
      WorkerId example = new WorkerId("w1");
      text.append("  ").append(Suggestion.token(workspace, example)).append('\n');
      text.append("  ").append(Suggestion.worker(workspace, workspace.tokenFile(example)));
      text.append('\n');
    }
    for (WorkerId worker : workers) {
      text.append("  ").append(Suggestion.worker(workspace, workspace.tokenFile(worker)));
      text.append('\n');
    }
    return text.toString();
  }
}
