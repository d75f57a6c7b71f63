package io.hypersync.bench;

import io.hypersync.cli.daemons.Mounts;
import io.hypersync.worker.fuse.dev.FuseMount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Unmounts what killed processes have left mounted below a directory.
 *
 * @param folder the directory
 */
record StaleMounts(Path folder) {
  private static final long CHILD_LIMIT_S = 10;

  /**
   * Waits for the child processes of this process, kills those that still run after {@link
   * #CHILD_LIMIT_S} each, and unmounts what they left.
   *
   * @throws IOException if a mount cannot be unmounted
   */
  void clear() throws IOException {
    ProcessHandle.current()
        .children()
        .forEach(
            child -> {
              child.onExit().completeOnTimeout(child, CHILD_LIMIT_S, TimeUnit.SECONDS).join();
              child.destroyForcibly();
            });
    for (Path mount : Mounts.all()) {
      if (mount.startsWith(folder)) {
        FuseMount.unmount(mount);
      }
    }
  }
}
