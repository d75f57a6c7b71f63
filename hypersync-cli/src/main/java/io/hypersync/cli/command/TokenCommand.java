package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.id.WorkerId;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync token}: writes an enrolment token for one worker (hypersync.md 18). */
@Command(
    name = "token",
    description = {
      "Write an enrolment token, with which one worker joins the workspace.",
      "The file is a secret: whoever has it is that worker."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync token fmd --dir /srv/team",
      "  ./hypersync token fmd --dir /srv/team --leader-address 10.0.0.1:7890 --out fmd.token",
      "  ./hypersync token fmd --leader-address 10.0.0.1:7890 --leader-address 10.0.0.2:7890"
    })
final class TokenCommand implements Callable<Integer> {
  @Mixin private final Screen screen = new Screen();
  @Mixin private final LeaderAddressOption leaderAddress = new LeaderAddressOption();

  @Parameters(paramLabel = "<worker>", description = "The name of the worker.")
  private String worker = "";

  @Option(
      names = "--dir",
      paramLabel = "<dir>",
      description = "The workspace's folder (default: this one).")
  private Path directory = Path.of("");

  @Option(
      names = "--out",
      paramLabel = "<file>",
      description = "The file to write (default: tokens/<worker>.token in the workspace's folder).")
  private @Nullable Path out;

  @Override
  public Integer call() {
    WorkerId id = Arguments.parse("<worker>", Settings.WORKER_ID, worker);
    WorkspaceDirectory workspace = WorkspaceDirectory.open(directory.toAbsolutePath().normalize());
    HostPort bindAddress =
        new ConfigurationReader()
            .withFile(workspace.configFile())
            .get(Settings.LEADER_BIND_ADDRESS);
    List<HostPort> leaders = leaderAddress.orFrom(bindAddress);
    Path file = out == null ? workspace.tokenFile(id) : out.toAbsolutePath().normalize();
    workspace.writeToken(id, leaders, file);
    Optional<String> warning =
        LoopbackAddress.warning(
            leaders, List.of("token", id.name(), "--dir", workspace.root().toString()), file);
    ObjectNode result =
        JsonNodeFactory.instance
            .objectNode()
            .put("workspace", workspace.id().toString())
            .put("worker_id", id.name())
            .put("leader_address", leaders.getFirst().toString())
            .put("token", file.toString())
            .put("warning", warning.orElse(null));
    leaders.forEach(leader -> result.withArray("leader_addresses").add(leader.toString()));
    screen.show(
        result,
        () ->
            "Wrote "
                + file
                + ", with which worker "
                + id
                + " joins the leader at "
                + leaders.stream().map(HostPort::toString).collect(Collectors.joining(" or "))
                + ".\nKeep it secret. On the worker's machine:\n  "
                + Suggestion.worker(workspace, file)
                + "\n");
    warning.ifPresent(screen::tell);
    return 0;
  }
}
