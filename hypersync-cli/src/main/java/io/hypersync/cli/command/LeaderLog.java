package io.hypersync.cli.command;

import io.hypersync.leader.conversion.LogConversion;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.text.ShellWords;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The log in the state directory of a stopped leader. */
final class LeaderLog {
  private LeaderLog() {}

  /**
   * The log's directory.
   *
   * @throws UserError if there is no log, or a conversion of it was interrupted: then it cannot be
   *     told from one that something has begun meanwhile
   */
  static Path require(Path state) {
    if (isBeingConverted(state)) {
      throw new UserError(
          "the conversion of the log in " + state + " was interrupted",
          "Finish it: ./hypersync convert " + ShellWords.quoted(state));
    }
    Path oplog = state.resolve("oplog");
    if (!Files.isDirectory(oplog)) {
      throw new UserError(
          state + " has no log: no leader has run there", "Name another folder: --state-dir <dir>");
    }
    return oplog;
  }

  private static boolean isBeingConverted(Path state) {
    try {
      return LogConversion.isUnfinished(state);
    } catch (IOException e) {
      throw new UserError(
          "cannot read " + state + ": " + FileProblems.describe(e), FileProblems.hint(e, ""));
    }
  }
}
