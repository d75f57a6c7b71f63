package io.hypersync.cli.support;

import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Optional;

/**
 * Where an archive may be written: in a workspace it would be sent to all hosts with the logs in
 * it, and where the mount hangs, so would the command.
 */
public final class OutsideOfMounts {
  private static final Path ROOT = Path.of("/");
  private static final Path ELSEWHERE = Path.of("/tmp");
  private static final String TYPE = "fuse.hypersync";

  /** As many symbolic links as the kernel follows. */
  private static final int MOST_LINKS = 40;

  private final MountTable table;

  OutsideOfMounts(MountTable table) {
    this.table = table;
  }

  /** By the mounts of now. */
  public static OutsideOfMounts now() {
    try {
      return new OutsideOfMounts(MountTable.read());
    } catch (IOException e) {
      throw new UserError("cannot read the list of mounts: " + FileProblems.describe(e), "");
    }
  }

  /**
   * The file in a directory, or in /tmp if that directory is in a workspace.
   *
   * @throws UserError if both are
   */
  public Path inOrElsewhere(Path directory, String name) {
    Path here = directory.resolve(name);
    return mountOf(here).isEmpty() ? here : checked(ELSEWHERE.resolve(name));
  }

  /**
   * The file, as it was named.
   *
   * @throws UserError if it is in a workspace
   */
  public Path checked(Path file) {
    Optional<String> mount = mountOf(file);
    if (mount.isPresent()) {
      throw new UserError(
          file
              + " is inside of the workspace mounted on "
              + mount.get()
              + ": all hosts would get it",
          "Name a file elsewhere: --out /tmp/<file>.tar.gz",
          UserError.USAGE);
    }
    return file;
  }

  /**
   * The mount point of the workspace that a file is in, or is reached through. Links are followed
   * up to there.
   */
  private Optional<String> mountOf(Path file) {
    ArrayDeque<Path> left = new ArrayDeque<>();
    file.toAbsolutePath().forEach(left::addLast);
    Path at = ROOT;
    int links = 0;
    while (!left.isEmpty()) {
      Path next = at.resolve(left.removeFirst()).normalize();
      Optional<MountTable.Mount> mount = table.covering(next.toString());
      if (mount.isPresent() && mount.get().type().equals(TYPE)) {
        return mount.map(MountTable.Mount::point);
      }
      Optional<Path> target = target(next);
      if (target.isPresent() && links++ < MOST_LINKS) {
        ArrayDeque<Path> more = new ArrayDeque<>();
        target.get().forEach(more::addFirst);
        more.forEach(left::addFirst);
        at = target.get().isAbsolute() ? ROOT : at;
      } else {
        at = next;
      }
    }
    return Optional.empty();
  }

  private static Optional<Path> target(Path file) {
    try {
      return Files.isSymbolicLink(file)
          ? Optional.of(Files.readSymbolicLink(file))
          : Optional.empty();
    } catch (IOException gone) {
      return Optional.empty();
    }
  }
}
