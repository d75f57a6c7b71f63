package io.hypersync.worker.vfs;

import io.hypersync.model.state.Node;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The access times that utimensat has set on this mount. They are not replicated (hypersync.md
 * 0.1.3), so they last as long as the kernel knows the inode; mtime stands in for all others.
 * Threads: any.
 */
final class AccessTimes {
  private final ConcurrentHashMap<Long, Long> atimesNs = new ConcurrentHashMap<>();

  /** What to show, in nanoseconds since 1970. */
  long of(Node node) {
    Long atimeNs = atimesNs.get(node.inode().value());
    return atimeNs == null ? node.attributes().mtimeNs() : atimeNs;
  }

  /** It was set. */
  void set(long inode, long atimeNs) {
    atimesNs.put(inode, atimeNs);
  }

  /** It is the same as mtime again. */
  void remove(long inode) {
    atimesNs.remove(inode);
  }
}
