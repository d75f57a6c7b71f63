package io.hypersync.cli.daemons;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds the living workers that a path argument refers to. */
public final class MountedWorkers {
  private MountedWorkers() {}

  /**
   * Returns the worker in whose mount the path is, or all workers of this machine if no path is
   * given.
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
    // Lexically, not through the filesystem: a hanging mount would block this, too.
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

  /** Returns where a worker has mounted its workspace. */
  public static Path mount(Daemons.Living worker) {
    return Path.of(worker.status().path("mount").asText());
  }
}
