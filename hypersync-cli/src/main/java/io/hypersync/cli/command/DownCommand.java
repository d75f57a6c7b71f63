package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountUsers;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync down}: stops the leader of a workspace, and the mount in its process. */
@Command(
    name = "down",
    description = {
      "Stop the leader of a workspace. The mount in its process finishes what is under way and is",
      "unmounted; mounts on other hosts turn read-only until a leader is there again."
    },
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync down /srv/team",
      "  ./hypersync down /srv/team --force   # though processes work in its mount"
    })
final class DownCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Parameters(
      paramLabel = "<dir>",
      arity = "0..1",
      description = "The workspace's folder (default: this one).")
  private Path directory = Path.of("");

  @Option(
      names = "--force",
      description = "Unmount though processes work in it, whose next access fails.")
  private boolean force;

  @Override
  public Integer call() {
    WorkspaceDirectory workspace = WorkspaceDirectory.open(directory.toAbsolutePath().normalize());
    Daemons daemons = selection.daemons();
    Daemons.Living leader = daemons.leader(Optional.of(workspace.id().toString()));
    long pid = leader.status().path("pid").asLong();
    List<Path> mounts =
        daemons.workers().stream()
            .filter(worker -> worker.status().path("pid").asLong() == pid)
            .map(worker -> Path.of(worker.status().path("mount").asText()))
            .toList();
    if (!force) {
      mounts.forEach(mount -> MountUsers.refuse(mount, Set.of(pid)));
    }
    var _ =
        new AdminClient(leader.socket(), LIMIT).call("stop", JsonNodeFactory.instance.objectNode());
    ObjectNode result =
        JsonNodeFactory.instance.objectNode().put("stopped", workspace.name().text());
    mounts.forEach(mount -> result.withArrayProperty("unmounted").add(mount.toString()));
    screen.show(result, () -> text(workspace, mounts));
    return 0;
  }

  private static String text(WorkspaceDirectory workspace, List<Path> mounts) {
    StringBuilder text = new StringBuilder("Stopped the leader of " + workspace.name() + ".\n");
    for (Path mount : mounts) {
      text.append("Unmounted ").append(Printable.line(mount.toString())).append('\n');
    }
    return text.toString();
  }
}
