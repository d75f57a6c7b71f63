package io.hypersync.cli.command;

import io.hypersync.cli.config.Settings;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The options {@code --dir} and {@code --state-dir}: the workspace and its leader's state
 * directory.
 */
final class LeaderFolders {
  @Option(
      names = "--dir",
      paramLabel = "<dir>",
      description = "The workspace's folder, made by init (default: this one).")
  private Path directory = Path.of("");

  @Option(
      names = "--state-dir",
      paramLabel = "<dir>",
      description = "Where the op log and the chunks are, over hypersync.leader.state_dir.")
  private @Nullable String stateDir;

  /**
   * Opens the workspace, and overrides the configured state directory if {@code --state-dir} was
   * given.
   *
   * @throws io.hypersync.runtime.admin.UserError if there is no workspace in the directory
   */
  WorkspaceDirectory open(ConfigurationOptions configuration) {
    WorkspaceDirectory workspace = WorkspaceDirectory.open(directory.toAbsolutePath().normalize());
    configuration.put("--state-dir", Settings.LEADER_STATE_DIR, stateDir);
    return workspace;
  }
}
