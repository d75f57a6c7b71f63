package io.hypersync.cli.command;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say which workspace that is mounted on this machine a command is about. */
final class WorkspaceSelection {
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description =
          "Which workspace: where it is mounted, or anything in it (default: the one of the working"
              + " directory, else the only one).")
  private @Nullable Path mount;

  /**
   * The worker that has it mounted.
   *
   * @throws UserError if there is none, or there are several and nothing says which
   */
  Daemons.Living worker() {
    Daemons daemons = selection.daemons();
    List<Daemons.Living> workers = MountedWorkers.of(daemons, Optional.ofNullable(mount));
    if (workers.size() == 1) {
      return workers.getFirst();
    }
    Path here = Path.of("").toAbsolutePath();
    if (workers.stream().anyMatch(worker -> here.startsWith(MountedWorkers.mount(worker)))) {
      return MountedWorkers.of(daemons, Optional.of(here)).getFirst();
    }
    throw new UserError(
        "which workspace? There are " + workers.size() + " mounts on this machine",
        workers.stream()
            .map(worker -> "--mount " + ShellWords.quoted(MountedWorkers.mount(worker)))
            .collect(Collectors.joining("\n")),
        UserError.USAGE);
  }
}
