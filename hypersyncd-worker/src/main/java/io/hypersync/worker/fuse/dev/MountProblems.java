package io.hypersync.worker.fuse.dev;

import io.hypersync.model.errno.Errno;
import java.nio.file.Path;
import java.util.List;

/** The messages for users when mounting or unmounting fails. Pure. */
final class MountProblems {
  private MountProblems() {}

  /** {@code /dev/fuse} could not be opened. */
  static MountException device(Errno errno) {
    String message =
        switch (errno) {
          case ENOENT, ENODEV ->
              FuseDevice.PATH
                  + " is missing: load the module with `modprobe fuse`; in a container, start it"
                  + " with `--device /dev/fuse --cap-add SYS_ADMIN`";
          case EACCES, EPERM ->
              "no permission to open "
                  + FuseDevice.PATH
                  + ": run as root; in a container, start it with `--device /dev/fuse"
                  + " --cap-add SYS_ADMIN`";
          default -> "cannot open " + FuseDevice.PATH + ": " + errno.message();
        };
    return new MountException(errno, message);
  }

  /** The mount point is not accessible. */
  static MountException unusable(Path point, Errno errno) {
    String message =
        switch (errno) {
          case ENOENT ->
              "mount point " + point + " does not exist: create it with `mkdir -p " + point + "`";
          case ENOTDIR -> notADirectory(point).getMessage();
          case EACCES -> "no permission to reach mount point " + point + ": run as root";
          default -> "cannot use mount point " + point + ": " + errno.message();
        };
    return new MountException(errno, message);
  }

  /** The mount point is a file. */
  static MountException notADirectory(Path point) {
    return new MountException(Errno.ENOTDIR, "mount point " + point + " is not a directory");
  }

  /** The mount point has content that the mount would hide. */
  static MountException notEmpty(Path point, String example) {
    return new MountException(
        Errno.ENOTEMPTY,
        "mount point "
            + point
            + " is not empty (it contains "
            + example
            + "): mounting would hide its content; use an empty directory");
  }

  /** A live filesystem is mounted there. */
  static MountException busy(Path point, MountTable.Mount mounted) {
    return new MountException(
        Errno.EBUSY,
        point + " is already a mount point of " + mounted.describe() + ": unmount it first");
  }

  /** A FUSE filesystem whose daemon has ended is mounted there, or above. */
  static MountException dead(Path point, String deadPoint) {
    String where =
        deadPoint.equals(point.toString())
            ? point + " is a mount"
            : point + " is inside the mount " + deadPoint;
    return new MountException(
        Errno.ENOTCONN,
        where + " whose daemon is gone: run `hypersync umount " + deadPoint + "` and try again");
  }

  /** A dead mount cannot be removed because other mounts are inside it. */
  static MountException deadWithOthersInside(Path point, List<Path> inside) {
    return new MountException(
        Errno.EBUSY,
        point
            + " is a mount whose daemon is gone, and "
            + inside.getFirst()
            + " is mounted inside it: unmount that first, or run `hypersync umount --force "
            + point
            + "`, and try again");
  }

  /** The mount point does not exist and cannot be created. */
  static MountException cannotBeMade(Path point, Path above) {
    return new MountException(
        Errno.EACCES,
        "mount point "
            + point
            + " does not exist and cannot be made, because "
            + above
            + " takes no new folders: run as root, or mount elsewhere");
  }

  /** mount(2) failed. */
  static MountException mount(Path point, Errno errno) {
    String message =
        switch (errno) {
          case EPERM, EACCES ->
              "no permission to mount on "
                  + point
                  + ": run as root; in a container, start it with `--cap-add SYS_ADMIN`";
          case ENODEV -> "this kernel has no FUSE: load the module with `modprobe fuse`";
          case EBUSY -> point + " is busy: something was mounted there meanwhile";
          default -> "cannot mount on " + point + ": " + errno.message();
        };
    return new MountException(errno, message);
  }

  /** umount2(2) failed. */
  static MountException unmount(Path point, Errno errno) {
    String message =
        switch (errno) {
          case EINVAL -> point + " is not a mount point";
          case ENOENT -> point + " does not exist";
          case EPERM, EACCES -> "no permission to unmount " + point + ": run as root";
          default -> "cannot unmount " + point + ": " + errno.message();
        };
    return new MountException(errno, message);
  }
}
