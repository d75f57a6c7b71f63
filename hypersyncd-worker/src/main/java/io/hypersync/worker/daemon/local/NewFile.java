package io.hypersync.worker.daemon.local;

import io.hypersync.worker.fuse.dev.HostCallFailed;
import io.hypersync.worker.fuse.dev.HostFiles;
import io.hypersync.worker.fuse.dev.HostStat;
import java.util.OptionalInt;

/**
 * Makes local files as the caller of the mount would: the kernel has checked that it may. Until a
 * file has its owner and mode, only the daemon can reach it.
 *
 * @param uid the caller's user
 * @param gid the caller's group
 * @param groupOfDirectory the directory's group, if new files get that one instead
 */
record NewFile(int uid, int gid, OptionalInt groupOfDirectory) {
  private static final int PERMISSIONS = 07777;
  private static final int TYPE = 0170000;
  private static final int SET_GROUP_ID = 02000;

  private int group() {
    return groupOfDirectory.orElse(gid);
  }

  HostStat directory(int parent, byte[] name, int mode) throws HostCallFailed {
    HostFiles.makeDirectory(parent, name, 0700);
    int inherited = groupOfDirectory.isPresent() ? SET_GROUP_ID : 0;
    return owned(parent, name, true, (mode & PERMISSIONS) | inherited);
  }

  HostStat node(int parent, byte[] name, int mode, int rdev) throws HostCallFailed {
    HostFiles.makeNode(parent, name, (mode & TYPE) | 0600, rdev);
    return owned(parent, name, false, mode & PERMISSIONS);
  }

  HostStat link(int parent, byte[] name, byte[] target) throws HostCallFailed {
    HostFiles.makeLink(parent, name, target);
    return owned(parent, name, false, -1);
  }

  /** Makes and opens a regular file; the caller closes the descriptor. */
  int file(int parent, byte[] name, int flags, int mode) throws HostCallFailed {
    int fd = HostFiles.open(parent, name, HostFiles.O_CREAT_EXCL | flags, 0600);
    try {
      own(fd, mode & PERMISSIONS);
      return fd;
    } catch (HostCallFailed e) {
      HostFiles.close(fd);
      HostFiles.remove(parent, name, false);
      throw e;
    }
  }

  /** Makes and opens a file without a name; the caller closes the descriptor. */
  int unnamed(int parent, int flags, int mode) throws HostCallFailed {
    int fd = HostFiles.makeUnnamed(parent, flags, 0600);
    try {
      own(fd, mode & PERMISSIONS);
      return fd;
    } catch (HostCallFailed e) {
      HostFiles.close(fd);
      throw e;
    }
  }

  private HostStat owned(int parent, byte[] name, boolean isDirectory, int mode)
      throws HostCallFailed {
    try {
      int fd = HostFiles.open(parent, name, HostFiles.O_PATH, 0);
      try {
        own(fd, mode);
        return HostFiles.stat(fd);
      } finally {
        HostFiles.close(fd);
      }
    } catch (HostCallFailed e) {
      HostFiles.remove(parent, name, isDirectory);
      throw e;
    }
  }

  /** The owner first: setting it takes set-id bits away. */
  private void own(int fd, int mode) throws HostCallFailed {
    HostFiles.setOwner(fd, uid, group());
    if (mode >= 0) {
      HostFiles.setMode(fd, mode);
    }
  }
}
