package io.hypersync.cli.command;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The user whose leader a state directory belongs to. */
final class StateOwner {
  private static final String USER = "unix:uid";

  private StateOwner() {}

  /**
   * Refuses to run as another user: the leader could not open files that this process creates.
   *
   * @throws UserError if the directory belongs to another user, or it cannot be told
   */
  static void require(Path state) {
    try {
      Object owner = Files.getAttribute(state, USER);
      if (!owner.equals(Files.getAttribute(Path.of("/proc/self"), USER))) {
        throw new UserError(
            state + " belongs to another user: " + Files.getOwner(state).getName(),
            "Run this as that user, as the leader is run.");
      }
    } catch (IOException e) {
      throw new UserError(
          "cannot find out whose " + state + " is: " + FileProblems.describe(e),
          FileProblems.hint(e, ""));
    }
  }
}
