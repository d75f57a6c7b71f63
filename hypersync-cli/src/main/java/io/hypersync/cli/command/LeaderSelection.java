package io.hypersync.cli.command;

import io.hypersync.runtime.admin.AdminClient;
import java.time.Duration;
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
}
