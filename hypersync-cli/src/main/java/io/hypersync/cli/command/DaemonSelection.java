package io.hypersync.cli.command;

import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.RunDirectory;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options {@code --socket} and {@code --run-dir}: which daemons a command asks. */
final class DaemonSelection {
  @Option(
      names = "--socket",
      paramLabel = "<file>",
      description = "Ask the daemon of this admin socket only; may be repeated.")
  private List<Path> sockets = List.of();

  @Option(
      names = "--run-dir",
      paramLabel = "<dir>",
      description =
          "Look for admin sockets here (default: $HYPERSYNC_RUN_DIR, else /run/hypersync).")
  private @Nullable Path runDirectory;

  Daemons daemons() {
    if (!sockets.isEmpty()) {
      return Daemons.at(sockets);
    }
    return Daemons.in(
        runDirectory == null ? RunDirectory.of(System.getenv()) : new RunDirectory(runDirectory));
  }
}
