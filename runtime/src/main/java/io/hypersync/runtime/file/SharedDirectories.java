package io.hypersync.runtime.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Creates directories that all users of the workspace must be able to traverse. The daemon's umask
 * is 077, for its own files, so the mode is set explicitly.
 */
public final class SharedDirectories {
  private static final Set<PosixFilePermission> PASSABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");

  private SharedDirectories() {}

  /**
   * Creates a directory and its missing parents, each with mode 0755. Existing ones keep their
   * mode.
   *
   * @throws IOException if that fails, or the name belongs to something that is not a directory
   */
  public static void make(Path folder) throws IOException {
    Path absolute = folder.toAbsolutePath().normalize();
    if (Files.isDirectory(absolute)) {
      return;
    }
    Path parent = absolute.getParent();
    if (parent != null) {
      make(parent);
    }
    try {
      Files.createDirectory(absolute);
      Files.setPosixFilePermissions(absolute, PASSABLE);
    } catch (FileAlreadyExistsException there) {
      if (!Files.isDirectory(absolute)) {
        throw there;
      }
    }
  }
}
