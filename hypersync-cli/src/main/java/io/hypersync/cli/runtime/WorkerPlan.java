package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.Enrolments.Enrolled;
import io.hypersync.wire.admin.UserError;
import io.hypersync.wire.file.FileProblems;
import io.hypersync.wire.text.ShellWords;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.vfs.CachePolicy;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/** From a configuration and an enrolment to what a worker is started with. */
public final class WorkerPlan {
  /** Like /tmp: everybody may write, and remove what is their own. */
  private static final int LOCAL_DIR_MODE = 01777;

  private WorkerPlan() {}

  /**
   * The options; makes the folders that the worker needs.
   *
   * @throws UserError if something is missing or in the way
   */
  public static WorkerDaemonOptions options(Configuration configuration, Enrolments enrolments) {
    Enabling.check(configuration);
    Path mount =
        configuration
            .findPath(Settings.WORKER_MOUNT)
            .orElseThrow(
                () ->
                    new UserError(
                        "where is the workspace to be mounted?",
                        "Say so: --mount /ntmfs/ws/<workspace>",
                        UserError.USAGE));
    refuseIfMounted(mount);
    Enrolled enrolled = enrolled(configuration, enrolments);
    Path localDir =
        configuration.findPath(Settings.WORKER_LOCAL_DIR).orElseGet(() -> localDirOf(mount));
    makeFolder(mount, "mount point");
    makeLocalDir(localDir);
    return new WorkerDaemonOptions(
        enrolled.token().workspace(),
        enrolled.token().worker(),
        enrolled.token().identity(),
        configuration
            .find(Settings.WORKER_LEADER_ADDRESS)
            .map(HostPort::unresolved)
            .orElse(enrolled.token().leader()),
        mount,
        localDir,
        enrolled.stateDir(),
        configuration.get(Settings.WORKER_MUTATION_DEADLINE),
        configuration.get(Settings.WORKER_LEADER_TIMEOUT),
        configuration.get(Settings.WORKER_LEADER_STALE),
        cachePolicy(configuration),
        inotify(configuration));
  }

  private static Optional<Duration> inotify(Configuration configuration) {
    return configuration.get(Settings.WORKER_INOTIFY)
        ? Optional.of(configuration.get(Settings.WORKER_INOTIFY_SCAN))
        : Optional.empty();
  }

  private static CachePolicy cachePolicy(Configuration configuration) {
    boolean cache = configuration.get(Settings.WORKER_KERNEL_CACHE);
    return new CachePolicy(
        cache,
        cache,
        configuration.get(Settings.WORKER_STRICT_OPEN),
        configuration.get(Settings.WORKER_STRICT_READS));
  }

  /** {@code .../ws/team} has {@code .../local/team}; any other mount has {@code <mount>.local}. */
  static Path localDirOf(Path mount) {
    Path parent = mount.getParent();
    Path name = mount.getFileName();
    if (parent == null || name == null) {
      throw new UserError("the root of the filesystem cannot be the mount point", "");
    }
    return parent.endsWith("ws")
        ? parent.resolveSibling("local").resolve(name)
        : parent.resolve(name + ".local");
  }

  private static Enrolled enrolled(Configuration configuration, Enrolments enrolments) {
    Optional<Path> stateDir = configuration.findPath(Settings.WORKER_STATE_DIR);
    Optional<Path> token = configuration.findPath(Settings.WORKER_TOKEN);
    Enrolled enrolled =
        token.isPresent()
            ? enrolments.join(token.get(), stateDir)
            : enrolments.find(stateDir, configuration.find(Settings.WORKER_ID));
    configuration
        .find(Settings.WORKER_ID)
        .filter(id -> !id.equals(enrolled.token().worker()))
        .ifPresent(
            id -> {
              throw new UserError(
                  "this is worker " + id + ", but the token is for " + enrolled.token().worker(),
                  "Use the token that was written for "
                      + id
                      + ", or leave hypersync.worker.id out.",
                  UserError.USAGE);
            });
    return enrolled;
  }

  private static void refuseIfMounted(Path mount) {
    if (Mounts.all().contains(mount)) {
      throw new UserError(
          "a workspace is mounted at " + mount + " already, or its worker died there",
          "See: ./hypersync status\nTake it away: ./hypersync umount " + ShellWords.quoted(mount));
    }
  }

  private static void makeLocalDir(Path directory) {
    if (!Files.isDirectory(directory)) {
      makeFolder(directory, "local folder");
      try {
        Files.setAttribute(directory, "unix:mode", LOCAL_DIR_MODE);
      } catch (IOException failure) {
        throw new UserError(
            "cannot open the local folder "
                + directory
                + " to all: "
                + FileProblems.describe(failure),
            FileProblems.hint(failure, ""));
      }
    }
  }

  private static void makeFolder(Path directory, String what) {
    try {
      Files.createDirectories(directory);
    } catch (IOException failure) {
      throw new UserError(
          "cannot make the "
              + what
              + " "
              + directory
              + ": "
              + (Files.exists(directory)
                  ? "it is there, and is no folder"
                  : FileProblems.describe(failure)),
          FileProblems.hint(failure, ""));
    }
  }
}
