package io.hypersync.cli.command;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.cli.render.Quantities;
import io.hypersync.cli.workspace.WorkspaceDirectory.StateFiller;
import io.hypersync.leader.archive.BackupDirectory;
import io.hypersync.leader.archive.SnapshotChoice;
import io.hypersync.leader.archive.StateFromBackup;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.text.Printable;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.snapshot.Snapshot;
import java.nio.file.Path;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The state of a backup with which a new workspace begins, or none. */
final class RestoredState {
  private final WorkspaceId workspace;
  private final @Nullable Path from;
  private final @Nullable String at;
  private final Screen screen;
  private @Nullable Done done;

  private record Done(Path backup, WorkspaceId workspace, String name, StateFromBackup.Made made) {}

  /**
   * What the options say.
   *
   * @param workspace the new one
   * @param from the backup; null for none
   * @param at which state of it; null for the newest
   */
  RestoredState(WorkspaceId workspace, @Nullable Path from, @Nullable String at, Screen screen) {
    this.workspace = workspace;
    this.from = from;
    this.at = at;
    this.screen = screen;
  }

  /**
   * Has the workspace made while the backup is open.
   *
   * @throws UserError if there is no such state, before anything is made; or if it is not whole
   */
  <T> T fill(Function<StateFiller, T> made) {
    if (from == null) {
      return made.apply(StateFiller.NONE);
    }
    Path directory = from.toAbsolutePath().normalize();
    try (BackupDirectory backup = BackupDirectory.open(directory, "hypersync init")) {
      Snapshot state = chosen(backup);
      return made.apply(
          stateDir -> {
            screen.tell("copying the state of entry " + state.index() + " from " + directory);
            StateFromBackup.Made copied =
                new StateFromBackup(backup, state)
                    .make(
                        stateDir,
                        workspace,
                        far -> screen.tell(Quantities.bytes(far.copiedBytes()) + " copied so far"));
            done = new Done(directory, backup.label().workspace(), backup.label().name(), copied);
          });
    }
  }

  private Snapshot chosen(BackupDirectory backup) {
    BackupDirectory.Contents contents = backup.contents();
    Snapshot newest = contents.newest();
    if (newest == null) {
      throw new UserError(
          backup.directory() + " has no state that is complete",
          contents.unreadable().isEmpty()
              ? "The backup was interrupted: run it again."
              : "The records of its states are damaged: take another backup.");
    }
    if (at == null) {
      requireNewest(contents, newest);
      return newest;
    }
    return SnapshotChoice.of(
        contents.states(),
        at,
        Clock.SYSTEM.epochNs(),
        "List them: ./hypersync backup --list <dir>");
  }

  /** Whoever wants the newest state must not get an older one unsaid. */
  private static void requireNewest(BackupDirectory.Contents contents, Snapshot newest) {
    if (!contents.unreadable().isEmpty() && contents.unreadable().getLast() > newest.index()) {
      throw new UserError(
          "the record of the newest state, of entry "
              + contents.unreadable().getLast()
              + ", is damaged",
          "Take an older one: --at " + newest.index());
    }
  }

  /** For {@code docs/json.md}; null if nothing was restored. */
  @Nullable ObjectNode json() {
    Done now = done;
    return now == null
        ? null
        : JsonNodeFactory.instance
            .objectNode()
            .put("backup", now.backup.toString())
            .put("workspace", now.workspace.toString())
            .put("workspace_name", now.name)
            .put("index", now.made.index())
            .put("root", now.made.root().toString())
            .put("bytes", now.made.copied().copiedBytes());
  }

  /** A sentence about it; empty if nothing was restored. */
  String text() {
    Done now = done;
    return now == null
        ? ""
        : "It begins with entry "
            + now.made.index()
            + " of "
            + Printable.line(now.name)
            + ", "
            + Quantities.bytes(now.made.copied().copiedBytes())
            + ", every hash compared. Its workers are enrolled anew.\n";
  }
}
