package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Checks mount points before mount(2), whose errno says less about the cause. */
public final class MountPoint {
  private MountPoint() {}

  /**
   * Checks that the path is an empty directory on which nothing is mounted.
   *
   * @return the mount point as the kernel will know it: absolute, no symbolic links
   * @throws MountException ENOENT, ENOTDIR, ENOTEMPTY, EBUSY, or ENOTCONN for a dead mount
   */
  public static Path check(Path requested) throws IOException {
    Path point = resolve(requested);
    MountTable table = MountTable.read();
    int stat = Syscalls.statNow(point.toString());
    if (stat == -Errno.ENOTCONN.code()) {
      String dead = table.covering(point.toString()).map(MountTable.Mount::point).orElse("/");
      throw MountProblems.dead(point, dead);
    }
    Optional<MountTable.Mount> mounted = table.at(point.toString());
    if (mounted.isPresent()) {
      throw MountProblems.busy(point, mounted.get());
    }
    if (stat < 0) {
      throw MountProblems.unusable(point, Errno.of(-stat));
    }
    if (!Files.isDirectory(point)) {
      throw MountProblems.notADirectory(point);
    }
    try (DirectoryStream<Path> content = Files.newDirectoryStream(point)) {
      for (Path first : content) {
        throw MountProblems.notEmpty(point, String.valueOf(first.getFileName()));
      }
    }
    return point;
  }

  /** Resolves symbolic links as far as the path can be walked; a dead mount cannot be walked. */
  static Path resolve(Path requested) {
    Path absolute = requested.toAbsolutePath().normalize();
    try {
      return absolute.toRealPath();
    } catch (IOException walkedInVain) {
      Path parent = absolute.getParent();
      Path name = absolute.getFileName();
      if (parent == null || name == null) {
        return absolute;
      }
      return resolve(parent).resolve(name);
    }
  }
}
