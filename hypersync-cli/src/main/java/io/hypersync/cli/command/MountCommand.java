package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code hypersync mount --at}: a state of the past beside the workspace, read-only. */
@Command(
    name = "mount",
    description = {
      "Mount the workspace as it was, read-only, beside its mount on this machine.",
      "",
      "Nothing is copied: what somebody looks at is read then, from this machine or from the leader,"
          + " which keeps it as long as it is mounted. ./hypersync umount or the end of the worker takes it"
          + " away.",
      "The workspace itself is mounted by ./hypersync worker."
    },
    synopsisHeading = "Usage: ",
    footerHeading = "%nExamples:%n",
    footer = {
      "  ./hypersync mount --at 2h /mnt/before",
      "  ./hypersync mount --at before-the-rewrite /mnt/before",
      "  ./hypersync mount --at 48213 /mnt/k --mount /ntmfs/ws/team --json",
      "  ./hypersync umount /mnt/before"
    })
final class MountCommand implements Callable<Integer> {
  private static final Duration LIMIT = Duration.ofMinutes(31);

  @Mixin private final Screen screen = new Screen();
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--at",
      paramLabel = "<state>",
      description =
          "Which state: a snapshot's name, the index of its last entry (./hypersync log), a time"
              + " (2026-01-31T09:00:00Z), how long ago it was (90s, 10m, 2h, 3d), or head: the newest one"
              + " of now. States between two snapshots are there as long as the log is.")
  private @Nullable String at;

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description =
          "Of which workspace: where it is mounted; may be left out if there is one only.")
  private @Nullable Path mount;

  @Parameters(
      index = "0",
      paramLabel = "<path>",
      description = "Where to mount it: an empty folder, or one that is made and taken away again.")
  private Path path = Path.of("");

  @Override
  public Integer call() {
    if (at == null) {
      throw new UserError(
          "which state is to be mounted? --at is missing",
          "The workspace itself is mounted by: ./hypersync worker",
          UserError.USAGE);
    }
    List<Daemons.Living> workers =
        MountedWorkers.of(selection.daemons(), Optional.ofNullable(mount));
    if (workers.size() > 1) {
      throw new UserError(
          "which workspace? There are " + workers.size() + " mounts on this machine",
          workers.stream()
              .map(worker -> "--mount " + MountedWorkers.mount(worker))
              .collect(Collectors.joining("\n")),
          UserError.USAGE);
    }
    JsonNode answer =
        new AdminClient(workers.getFirst().socket(), LIMIT)
            .call(
                "mount",
                JsonNodeFactory.instance
                    .objectNode()
                    .put("do", "add")
                    .put("at", at)
                    .put("path", path.toAbsolutePath().normalize().toString()));
    screen.show(answer, () -> text(answer));
    return 0;
  }

  private static String text(JsonNode answer) {
    return "Mounted the state of entry "
        + answer.path("index").asText()
        + " ("
        + answer.path("time").asText()
        + ") at "
        + Printable.line(answer.path("mount").asText())
        + ", read-only.\n";
  }
}
