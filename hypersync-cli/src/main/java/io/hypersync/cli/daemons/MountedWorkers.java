package io.hypersync.cli.daemons;

import io.hypersync.wire.admin.UserError;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which living workers a path stands for. */
public final class MountedWorkers {
  private MountedWorkers() {}

  /**
   * The worker in whose mount the path is, or all of this machine.
   *
   * @throws UserError if there is none
   */
  public static List<Daemons.Living> of(Daemons daemons, Optional<Path> path) {
    List<Daemons.Living> workers = daemons.workers();
    if (workers.isEmpty()) {
      throw new UserError(
          "no worker runs on this machine (looked in " + daemons.searched() + ")",
          "Mount a workspace: ./hypersync worker --token <file> --mount <folder>");
    }
    return path.isEmpty() ? workers : List.of(of(workers, path.get()));
  }

  private static Daemons.Living of(List<Daemons.Living> workers, Path path) {
    // Not resolved through the filesystem: a mount that hangs would hang this, too.
    Path wanted = path.toAbsolutePath().normalize();
    return workers.stream()
        .filter(worker -> wanted.startsWith(mount(worker)))
        .max(Comparator.comparingInt(worker -> mount(worker).getNameCount()))
        .orElseThrow(
            () ->
                new UserError(
                    wanted + " is in no workspace that a worker of this machine has mounted",
                    "These are mounted:\n"
                        + workers.stream()
                            .map(worker -> mount(worker).toString())
                            .collect(Collectors.joining("\n"))));
  }

  /** Where a worker has mounted its workspace. */
  public static Path mount(Daemons.Living worker) {
    return Path.of(worker.status().path("mount").asText());
  }
}
