package io.hypersync.cli.command;

import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.text.ShellWords;
import java.nio.file.Path;

/** Command lines that output suggests as the next step. */
final class Suggestion {
  private Suggestion() {}

  static String leader(WorkspaceDirectory workspace) {
    return "./hypersync leader --dir " + ShellWords.quoted(workspace.root());
  }

  static String token(WorkspaceDirectory workspace, WorkerId worker) {
    return "./hypersync token " + worker + " --dir " + ShellWords.quoted(workspace.root());
  }

  static String worker(WorkspaceDirectory workspace, Path token) {
    return "./hypersync worker --token "
        + ShellWords.quoted(token)
        + " --mount /ntmfs/ws/"
        + workspace.name();
  }
}
