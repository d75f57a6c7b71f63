package io.hypersync.worker.fuse.dev;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Each message has the cause and a remedy. */
class MountProblemsTest {
  private static final Path POINT = Path.of("/mnt/ws");

  private record Row(MountException problem, Errno errno, String... says) {}

  @Test
  void messagesSayWhatToDo() {
    for (Row row :
        List.of(
            new Row(
                MountProblems.device(Errno.ENOENT),
                Errno.ENOENT,
                "/dev/fuse is missing",
                "modprobe fuse",
                "--device /dev/fuse"),
            new Row(MountProblems.device(Errno.EACCES), Errno.EACCES, "run as root", "--device"),
            new Row(MountProblems.device(Errno.EMFILE), Errno.EMFILE, "too many open files"),
            new Row(MountProblems.mount(POINT, Errno.EPERM), Errno.EPERM, "/mnt/ws", "run as root"),
            new Row(MountProblems.mount(POINT, Errno.ENODEV), Errno.ENODEV, "modprobe fuse"),
            new Row(
                MountProblems.unusable(POINT, Errno.ENOENT),
                Errno.ENOENT,
                "does not exist",
                "mkdir -p /mnt/ws"),
            new Row(MountProblems.unusable(POINT, Errno.ENOTDIR), Errno.ENOTDIR, "not a directory"),
            new Row(
                MountProblems.notADirectory(POINT), Errno.ENOTDIR, "/mnt/ws", "not a directory"),
            new Row(
                MountProblems.notEmpty(POINT, "notes.txt"),
                Errno.ENOTEMPTY,
                "not empty",
                "notes.txt",
                "use an empty directory"),
            new Row(
                MountProblems.busy(
                    POINT, new MountTable.Mount("0:27", "/mnt/ws", "ext4", "/dev/vdb")),
                Errno.EBUSY,
                "already a mount point of ext4 (/dev/vdb)"),
            new Row(
                MountProblems.dead(POINT, "/mnt/ws"),
                Errno.ENOTCONN,
                "daemon is gone",
                "`hypersync umount /mnt/ws`"),
            new Row(
                MountProblems.dead(POINT.resolve("sub"), "/mnt/ws"),
                Errno.ENOTCONN,
                "/mnt/ws/sub is inside the mount /mnt/ws",
                "`hypersync umount /mnt/ws`"),
            new Row(
                MountProblems.unmount(POINT, Errno.EINVAL), Errno.EINVAL, "is not a mount point"),
            new Row(MountProblems.unmount(POINT, Errno.EPERM), Errno.EPERM, "run as root"))) {
      assertEquals(row.errno(), row.problem().errno(), row.problem()::getMessage);
      for (String part : row.says()) {
        assertTrue(
            String.valueOf(row.problem().getMessage()).contains(part),
            () -> "no \"" + part + "\" in: " + row.problem().getMessage());
      }
    }
  }
}
