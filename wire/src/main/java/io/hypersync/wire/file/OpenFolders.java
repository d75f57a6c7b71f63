package io.hypersync.wire.file;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Set;

/**
 * Folders that users of the workspace have to pass, made by a daemon whose own files are for nobody
 * else: their modes do not depend on its umask.
 */
public final class OpenFolders {
  private static final Set<PosixFilePermission> PASSABLE =
      PosixFilePermissions.fromString("rwxr-xr-x");

  private OpenFolders() {}

  /**
   * Makes a folder, and those above it that are not there; everybody may enter each that was made
   * (0755). One that is there stays as it is.
   *
   * @throws IOException if that cannot be done, or something else has the name
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
