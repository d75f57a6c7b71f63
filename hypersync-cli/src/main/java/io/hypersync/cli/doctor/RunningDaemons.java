package io.hypersync.cli.doctor;

import io.hypersync.cli.config.Configuration;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** What the kernel tells of a daemon's process. */
public final class RunningDaemons {
  private static final Path PROC = Path.of("/proc");

  private RunningDaemons() {}

  /**
   * Its state directories.
   *
   * @throws IOException if the process is another user's, or gone
   */
  public static List<Path> stateDirs(long pid) throws IOException {
    return Probes.stateDirs(pid);
  }

  /**
   * What its file and its {@code --set} say now. That is not all of what is in force: other flags
   * and the environment are over it, and the daemon may not have read the file as it is now.
   *
   * @throws IOException if the process is another user's, or gone
   * @throws UserError if they cannot be read, or make no sense
   */
  public static Configuration configurationOnDisk(long pid) throws IOException {
    DaemonArguments arguments = DaemonArguments.of(PROC.resolve(Long.toString(pid)));
    List<Path> roots = new ArrayList<>(arguments.paths("--dir"));
    for (Path directory : stateDirs(pid)) {
      Path parent = directory.getParent();
      if (parent != null && Files.exists(parent.resolve("workspace.toml"))) {
        roots.add(parent);
      }
    }
    return arguments.configuration(roots);
  }
}
