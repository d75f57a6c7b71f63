package io.hypersync.worker.inotify;

import io.hypersync.model.state.FsState;

/** Where other filesystems are mounted inside the workspace, on this host. */
@FunctionalInterface
public interface MountPoints {
  /**
   * Whether something is mounted on this name, or below it, in any mount namespace. The kernel
   * would detach that if it took the name out of its cache, or if it were told that the name leads
   * elsewhere.
   *
   * @param before the state before the entry that a shadow call is made for: the kernel may still
   *     have what the name led to then
   * @param after the state after that entry: a later one may have moved away what it has made, and
   *     the kernel not have followed yet
   */
  boolean areAtOrBelow(NameInDirectory place, FsState before, FsState after);
}
