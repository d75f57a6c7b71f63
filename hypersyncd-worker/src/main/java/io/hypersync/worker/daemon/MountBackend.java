package io.hypersync.worker.daemon;

import io.hypersync.worker.fuse.abi.FuseOpcode;
import io.hypersync.worker.fuse.dev.MountFolder;
import java.io.IOException;
import java.util.Map;

/**
 * What stands between the kernel and the {@link io.hypersync.worker.vfs.Vfs} of a workspace's
 * mount. Used for one mount; {@link #close} may come from another thread.
 */
interface MountBackend extends AutoCloseable {
  /**
   * Mounts on a folder that is prepared, says so to it, and serves the mount from then on.
   *
   * @throws IOException if it cannot be mounted
   */
  void mount(MountFolder folder) throws IOException;

  /** Whether {@link #mount} has succeeded. */
  boolean isMounted();

  /** How many requests were made, by their kind; those that were not made are left out. */
  Map<FuseOpcode, Long> requests();

  /** How many requests wait for an answer. */
  int inFlight();

  /** How many files and directories are open. */
  int openHandles();

  /** How many calls have waited for chunks that were not here. */
  long readsThatFetched();

  /** How many files were opened with O_DIRECT. */
  long directOpens();

  /**
   * Leaves the mount to another process: answers nothing from now on. This process has to end then.
   *
   * @return false if it cannot be left now; then it is served as before
   */
  boolean leave() throws InterruptedException;

  /**
   * Unmounts; EIO for what waits. Does nothing if there is no mount.
   *
   * @throws IOException if it cannot be unmounted
   */
  @Override
  void close() throws IOException;
}
