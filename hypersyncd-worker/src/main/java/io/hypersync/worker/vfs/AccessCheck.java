package io.hypersync.worker.vfs;

import io.hypersync.model.state.NodeAttributes;
import io.hypersync.worker.fuse.protocol.RequestHeader;

/**
 * The classic permission check, for the one case which the kernel leaves to us: open(O_CREAT) of a
 * name that somebody else has created since the kernel looked.
 */
final class AccessCheck {
  private static final int READ = 4;
  private static final int WRITE = 2;
  private static final int ACCESS_MODE = 3;

  private final Callers callers;

  AccessCheck(Callers callers) {
    this.callers = callers;
  }

  /** Whether the caller may open the file with these open(2) flags. */
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
