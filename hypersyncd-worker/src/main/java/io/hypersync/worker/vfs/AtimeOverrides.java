package io.hypersync.worker.vfs;

import io.hypersync.model.id.InodeNo;
import io.hypersync.model.state.Node;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Access times set by utimensat on this mount. atime is not replicated (hypersync.md 0.1.3): a
 * value lasts until the kernel forgets the inode (FORGET), and every other inode shows its mtime as
 * atime. Thread-safe.
 */
final class AtimeOverrides {
  private final ConcurrentHashMap<InodeNo, Long> atimesNs = new ConcurrentHashMap<>();

  /** The atime to report, in nanoseconds since 1970: the value set here, else mtime. */
  long of(Node node) {
    Long atimeNs = atimesNs.get(node.inode());
    return atimeNs == null ? node.attributes().mtimeNs() : atimeNs;
  }

  /** Sets the atime of an inode, in nanoseconds since 1970. */
  void set(InodeNo inode, long atimeNs) {
    atimesNs.put(inode, atimeNs);
  }

  /** Forgets the atime that was set; the inode shows its mtime again. */
  void remove(InodeNo inode) {
    atimesNs.remove(inode);
  }
}
