package io.hypersync.worker.vfs;

import io.hypersync.model.state.NodeAttributes;
import io.hypersync.worker.fuse.protocol.RequestHeader;

/**
 * The POSIX mode-bit check, for the one case in which the kernel leaves it to the daemon:
 * open(O_CREAT) of a name that another process has created since the kernel looked it up.
 */
final class AccessCheck {
  private static final int READ = 4;
  private static final int WRITE = 2;
  private static final int ACCESS_MODE = 3;

  private final Callers callers;

  AccessCheck(Callers callers) {
    this.callers = callers;
  }

  /**
   * Whether the mode bits let the caller open the file with these open(2) flags; root always may.
   * O_TRUNC requires write permission.
   */
  boolean mayOpen(RequestHeader caller, NodeAttributes file, int openFlags) {
    int wanted =
        switch (openFlags & ACCESS_MODE) {
          case 0 -> READ;
          case 1 -> WRITE;
          default -> READ | WRITE;
        };
    if ((openFlags & FileRequests.O_TRUNC) != 0) {
      wanted |= WRITE;
    }
    if (caller.uid() == 0) {
      return true;
    }
    int shift = caller.uid() == file.uid() ? 6 : inGroup(caller, file.gid()) ? 3 : 0;
    return ((file.mode() >> shift) & wanted) == wanted;
  }

  private boolean inGroup(RequestHeader caller, int gid) {
    if (caller.gid() == gid) {
      return true;
    }
    for (int group : callers.groups(caller.pid())) {
      if (group == gid) {
        return true;
      }
    }
    return false;
  }
}
