package io.hypersync.cli.command;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.cli.daemons.MountedWorkers;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Options that say which leader on this machine a command asks. */
final class LeaderSelection {
  @Mixin private final DaemonSelection selection = new DaemonSelection();

  @Option(
      names = "--workspace",
      paramLabel = "<name or id>",
      description = "Of which workspace, if several leaders run on this machine.")
  private @Nullable String workspace;

  /**
   * A client of that leader.
   *
   * @param limit the longest that a call waits for its answer
   */
  AdminClient client(Duration limit) {
    return new AdminClient(
        selection.daemons().leader(Optional.ofNullable(workspace)).socket(), limit);
  }

  /**
   * A client of the leader of this machine, or of the worker of a mount if one is named; where
   * there is no leader, of the only worker.
   *
   * @param limit the longest that a call waits for its answer
   */
  AdminClient clientOrWorker(Duration limit, Optional<Path> mount) {
    if (mount.isPresent()) {
      return new AdminClient(MountedWorkers.of(daemons(), mount).getFirst().socket(), limit);
    }
    List<Daemons.Living> workers = daemons().hasLeader() ? List.of() : daemons().workers();
    return workers.size() == 1
        ? new AdminClient(workers.getFirst().socket(), limit)
        : client(limit);
  }

  /**
   * The option for a command that asks the same leader again, with a space before; may be empty.
   */
  String again() {
    return workspace == null ? "" : " --workspace " + ShellWords.quoted(workspace);
  }

  /** The daemons that are asked. */
  Daemons daemons() {
    return selection.daemons();
  }

  /**
   * A client of the leader that a worker follows, or of the one that the options name.
   *
   * @param limit the longest that a call waits for its answer
   * @param worker a worker of this machine
   * @throws UserError if that leader does not run on this machine
   */
  AdminClient client(Duration limit, Optional<Daemons.Living> worker) {
    if (worker.isEmpty()) {
      return client(limit);
    }
    Optional<Daemons.Living> itsLeader = daemons().leaderOf(worker.get());
    if (itsLeader.isEmpty()) {
      throw new UserError(
          "the leader of that mount does not run on this machine",
          "Run this on its host, which is "
              + Printable.line(worker.get().status().path("leader").asText("?"))
              + ", with the path as seen from the root of the workspace.");
    }
    return new AdminClient(itsLeader.get().socket(), limit);
  }
}
