package io.hypersync.cli.command;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say which worker of this machine mounts states of the past for a command. */
final class PastWorker {
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--mount",
      paramLabel = "<dir>",
      description =
          "Of which workspace: where it is mounted; may be left out in its mount, and if there is"
              + " one only.")
  private @Nullable Path mount;

  /**
   * The worker: of the mount that is named, else of the one that this process is in, else the only
   * one.
   *
   * @param here where this process is, absolute
   * @throws UserError if there is none, or more than one
   */
  Daemons.Living worker(Path here) {
    List<Daemons.Living> workers =
        MountedWorkers.of(selection.daemons(), Optional.ofNullable(mount));
    List<Daemons.Living> around =
        workers.stream().filter(each -> here.startsWith(MountedWorkers.mount(each))).toList();
    List<Daemons.Living> chosen = around.isEmpty() ? workers : around;
    if (chosen.size() > 1) {
      throw new UserError(
          "which workspace? There are " + chosen.size() + " mounts on this machine",
          chosen.stream()
              .map(worker -> "--mount " + MountedWorkers.mount(worker))
              .collect(Collectors.joining("\n")),
          UserError.USAGE);
    }
    return chosen.getFirst();
  }

  Daemons daemons() {
    return selection.daemons();
  }
}
