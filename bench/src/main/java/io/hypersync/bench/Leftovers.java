package io.hypersync.bench;

import io.hypersync.cli.daemons.Mounts;
import io.hypersync.worker.fuse.dev.FuseMount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Takes away what processes that were ended have left mounted in a folder.
 *
 * @param folder the folder
 */
record Leftovers(Path folder) {
  private static final long CHILD_LIMIT_S = 10;

  /**
   * Waits for the processes that this one has started, a while, and takes their mounts away.
   *
   * @throws IOException if a mount cannot be taken away
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
