package io.hypersync.worker.daemon.local;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.dev.HostStat;
import io.hypersync.worker.fuse.protocol.FuseAttr;

/** How the attributes of a local file are shown. */
final class LocalAttributes {
  /**
   * Added to the inode number of this host's filesystem: no leader counts so far, and programs that
   * have numbers as floating point can still tell all of them apart.
   */
  private static final long INODES = 1L << 52;

  private LocalAttributes() {}

  /** The number that stat shows: the same each time, as long as the file exists. */
  static InodeNo inode(long onThisHost) {
    return new InodeNo(onThisHost >>> 52 == 0 ? INODES | onThisHost : onThisHost);
  }

  static FuseAttr of(HostStat stat) {
    return new FuseAttr(
        inode(stat.inode()),
        stat.size(),
        stat.blocks(),
        stat.atimeNs(),
        stat.mtimeNs(),
        stat.ctimeNs(),
        stat.mode(),
        stat.links(),
        stat.uid(),
        stat.gid(),
        stat.rdev(),
        stat.blockBytes());
  }
}
