package io.hypersync.cli.command;

import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.id.WorkerId;
import java.nio.file.Path;

/** The commands that a user wants next. */
final class Suggestion {
  private Suggestion() {}

  static String leader(WorkspaceDirectory workspace) {
    return "./hypersync leader --dir " + quoted(workspace.root());
  }

  static String token(WorkspaceDirectory workspace, WorkerId worker) {
    return "./hypersync token " + worker + " --dir " + quoted(workspace.root());
  }

  static String worker(WorkspaceDirectory workspace, Path token) {
    return "./hypersync worker --token " + quoted(token) + " --mount /ntmfs/ws/" + workspace.name();
  }

  /** As a shell reads it back. */
  static String quoted(Path path) {
    String text = path.toString();
    return text.matches("[a-zA-Z0-9._/+,:@%=-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
  }
}
