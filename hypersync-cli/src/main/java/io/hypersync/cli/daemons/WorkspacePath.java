package io.hypersync.cli.daemons;

import io.hypersync.runtime.admin.UserError;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * A path that a user gives, which may be in a mount of this machine.
 *
 * @param inWorkspace as seen from the root of the workspace; {@code /} for the root
 * @param worker whose mount it is in; empty if it was given as seen from the root
 */
public record WorkspacePath(String inWorkspace, Optional<Daemons.Living> worker) {
  /** The root of the workspace. */
  public static final String ROOT = "/";

  /**
   * Finds what a path means. One that is in no mount is taken from the root of the workspace,
   * unless it begins with a slash. All of the workspace is its mount, or {@code /}: in no mount,
   * {@code .} is rather a slip.
   *
   * @throws UserError if it is no path, is empty, or is in no mount and begins with a slash or
   *     means all of the workspace
   */
  public static WorkspacePath of(String text, Daemons daemons) {
    if (text.isEmpty()) {
      throw new UserError("an empty path", "The whole workspace is /.", UserError.USAGE);
    }
    if (text.indexOf('\0') >= 0) {
      throw new UserError("a path with a NUL", "", UserError.USAGE);
    }
    Path path = Path.of(text);
    List<Daemons.Living> workers = daemons.workers();
    // Lexically, not through the filesystem: a hanging mount would block this, too.
    Path place = path.toAbsolutePath().normalize();
    for (Daemons.Living worker : workers) {
      Path mount = MountedWorkers.mount(worker);
      if (mount.isAbsolute() && place.startsWith(mount)) {
        return new WorkspacePath(orRoot(mount.relativize(place)), Optional.of(worker));
      }
    }
    if (text.equals(ROOT)) {
      return new WorkspacePath(ROOT, Optional.empty());
    }
    Path inside = path.normalize();
    if (path.isAbsolute() || inside.startsWith("..")) {
      throw new UserError(
          text + " is in no mount of this machine",
          "Give it as seen from the root of the workspace, such as src/main.",
          UserError.USAGE);
    }
    if (inside.toString().isEmpty()) {
      throw new UserError(
          "this directory is in no mount of this machine",
          "The whole workspace is /.",
          UserError.USAGE);
    }
    return new WorkspacePath(inside.toString(), Optional.empty());
  }

  private static String orRoot(Path inside) {
    return inside.toString().isEmpty() ? ROOT : inside.toString();
  }
}
