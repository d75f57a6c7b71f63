package io.hypersync.cli.runtime;

import io.hypersync.cli.config.Configuration;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.config.Settings;
import io.hypersync.cli.daemons.Mounts;
import io.hypersync.cli.workspace.Enrolments;
import io.hypersync.cli.workspace.Enrolments.Enrolled;
import io.hypersync.cli.workspace.SavedWorkerOptions;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.leader.LeaderDaemonOptions;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.background.BackgroundTurns;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.runtime.file.FileProblems;
import io.hypersync.runtime.file.SharedDirectories;
import io.hypersync.runtime.text.ShellWords;
import io.hypersync.wire.pki.EnrolmentToken;
import io.hypersync.wire.pki.Identity;
import io.hypersync.worker.FuseBackend;
import io.hypersync.worker.WorkerDaemonOptions;
import io.hypersync.worker.WorkerTuning;
import io.hypersync.worker.cache.CacheLimits;
import io.hypersync.worker.takeover.KeeperClient;
import io.hypersync.worker.takeover.TakeoverOptions;
import io.hypersync.worker.vfs.CachePolicy;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Turns a configuration and an enrolment into the options of a worker. */
public final class WorkerPlan {
  /** Like /tmp, with the sticky bit: everybody may create files and remove their own. */
  private static final int LOCAL_DIR_MODE = 01777;

  /** The id of the worker in the leader's process, unless the configuration says another. */
  private static final WorkerId MAIN_HOST = new WorkerId("main-host");

  private static final Logger LOG = LoggerFactory.getLogger(WorkerPlan.class);

  private WorkerPlan() {}

  /**
   * Returns the worker's options; what is not given is taken from the worker's last start. Creates
   * the local directory for caches.
   *
   * @throws UserError if something is missing or in the way
   */
  public static WorkerDaemonOptions options(Configuration configuration, Enrolments enrolments) {
    Enabling.check(configuration);
    Optional<Path> said = configuration.findPath(Settings.WORKER_MOUNT);
    said.ifPresent(WorkerPlan::refuseIfMounted);
    Enrolled enrolled = enrolled(configuration, enrolments, said);
    Path mount =
        said.or(enrolled.memory()::mount)
            .orElseThrow(
                () ->
                    new UserError(
                        "where is the workspace to be mounted?",
                        "Say so: --mount /ntmfs/ws/<workspace>",
                        UserError.USAGE));
    return options(
        configuration,
        enrolled.token().workspace(),
        enrolled.token().worker(),
        enrolled.token().identity(),
        leaders(
            configuration.find(Settings.WORKER_LEADER_ADDRESS),
            enrolled.memory().leaderAddresses(),
            enrolled.token()),
        mount,
        enrolled.stateDir(),
        configuration.get(Settings.WORKER_MULTICAST),
        takeover(configuration, enrolled.token().workspace(), enrolled.token().worker()));
  }

  private static List<InetSocketAddress> leaders(
      Optional<List<HostPort>> said, List<HostPort> saidBefore, EnrolmentToken token) {
    List<HostPort> known = said.orElse(saidBefore);
    return known.isEmpty() ? token.leaders() : known.stream().map(HostPort::unresolved).toList();
  }

  private static Optional<TakeoverOptions> takeover(
      Configuration configuration, WorkspaceId workspace, WorkerId worker) {
    Duration timeout = configuration.get(Settings.WORKER_TAKEOVER_TIMEOUT);
    return timeout.isZero()
        ? Optional.empty()
        : Optional.of(
            new TakeoverOptions(
                RunDirectory.of(System.getenv()).keeperSocket(workspace, worker), timeout));
  }

  /**
   * Returns the options of the worker in a leader's process. Creates the local directory for
   * caches.
   *
   * @throws UserError if something is in the way of the mount
   */
  public static WorkerDaemonOptions besideLeader(
      Configuration configuration,
      WorkspaceDirectory workspace,
      LeaderDaemonOptions leader,
      Path mount) {
    Path stateDir =
        configuration.findPath(Settings.WORKER_STATE_DIR).orElseGet(workspace::mountStateDir);
    BackingFilesystem.check(stateDir);
    try {
      Files.createDirectories(stateDir, DurableFiles.OWNER_ONLY_DIRECTORY);
    } catch (IOException failure) {
      throw new UserError(
          "cannot make the folder " + stateDir + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
    return options(
        configuration,
        leader.workspace(),
        configuration.find(Settings.WORKER_ID).orElse(MAIN_HOST),
        leader.identity(), // shown to nobody: the two do not meet over a network
        List.of(leader.bindAddress()),
        mount,
        stateDir,
        false,
        Optional.empty()); // its mount ends with the leader
  }

  /**
   * Returns the options of a standby, which mounts nothing. It keeps all chunks: a leader must.
   *
   * @param leaders where its leader is, or may be; those of the token if empty
   * @param stateDir that of the leader that it may become
   * @throws UserError if the directory cannot be used
   */
  public static WorkerDaemonOptions standby(
      Configuration configuration, EnrolmentToken token, List<HostPort> leaders, Path stateDir) {
    Enabling.check(configuration);
    BackingFilesystem.check(stateDir);
    try {
      Files.createDirectories(stateDir, DurableFiles.OWNER_ONLY_DIRECTORY);
    } catch (IOException failure) {
      throw new UserError(
          "cannot make the folder " + stateDir + ": " + FileProblems.describe(failure),
          FileProblems.hint(failure, ""));
    }
    Path nowhere = stateDir.resolve("unmounted");
    return new WorkerDaemonOptions(
        token.workspace(),
        token.worker(),
        token.identity(),
        leaders(Optional.empty(), leaders, token),
        nowhere,
        nowhere,
        stateDir,
        configuration.get(Settings.WORKER_MUTATION_DEADLINE),
        configuration.get(Settings.WORKER_PARTITION_GRACE),
        configuration.get(Settings.WORKER_LEADER_TIMEOUT),
        configuration.get(Settings.WORKER_LEADER_STALE),
        cachePolicy(configuration),
        Optional.empty(),
        FuseBackend.KERNEL,
        false,
        false,
        false,
        configuration.get(Settings.SNAPSHOTS_INTERVAL),
        new CacheLimits(configuration.get(Settings.GC_INTERVAL).toNanos(), CacheLimits.NO_LIMIT),
        StateMemory.bytes(configuration.get(Settings.WORKER_STATE_MEMORY)),
        configuration.get(Settings.WORKER_MULTICAST),
        configuration.get(Settings.WORKER_MULTICAST_INTERFACE),
        Optional.empty(),
        BackgroundTurns.ALONE);
  }

  private static WorkerDaemonOptions options(
      Configuration configuration,
      WorkspaceId workspace,
      WorkerId worker,
      Identity identity,
      List<InetSocketAddress> leaders,
      Path mount,
      Path stateDir,
      boolean multicast,
      Optional<TakeoverOptions> takeover) {
    refuseIfMounted(mount);
    Path localDir =
        configuration.findPath(Settings.WORKER_LOCAL_DIR).orElseGet(() -> localDirOf(mount));
    makeLocalDir(localDir);
    return new WorkerDaemonOptions(
        workspace,
        worker,
        identity,
        leaders,
        mount,
        localDir,
        stateDir,
        configuration.get(Settings.WORKER_MUTATION_DEADLINE),
        configuration.get(Settings.WORKER_PARTITION_GRACE),
        configuration.get(Settings.WORKER_LEADER_TIMEOUT),
        configuration.get(Settings.WORKER_LEADER_STALE),
        cachePolicy(configuration),
        inotify(configuration),
        configuration.get(Settings.WORKER_FUSE_BACKEND),
        configuration.get(Settings.WORKER_SUID),
        configuration.get(Settings.WORKER_DEV),
        configuration.get(Settings.WORKER_IDENTIFY_AGENTS),
        configuration.get(Settings.SNAPSHOTS_INTERVAL),
        new CacheLimits(
            configuration.get(Settings.GC_INTERVAL).toNanos(),
            configuration.get(Settings.WORKER_CACHE_MAX)),
        StateMemory.bytes(configuration.get(Settings.WORKER_STATE_MEMORY)),
        multicast,
        configuration.get(Settings.WORKER_MULTICAST_INTERFACE),
        takeover,
        BackgroundTurns.ALONE);
  }

  /**
   * Stores what a worker was started with: its mount point, and the leader's addresses if a flag
   * gave them. An address from a file is not stored, because it would stay in effect after its
   * removal from the file. Failure to write is only logged.
   */
  public static void remember(
      Configuration configuration, WorkerDaemonOptions options, Enrolments enrolments) {
    SavedWorkerOptions before = SavedWorkerOptions.read(options.stateDir());
    boolean kept =
        !configuration.isSet(Settings.WORKER_LEADER_ADDRESS)
            && before.leaderAddresses().stream()
                .map(HostPort::unresolved)
                .toList()
                .equals(options.leaderAddresses());
    List<HostPort> byFlag =
        configuration.isByFlag(Settings.WORKER_LEADER_ADDRESS)
            ? configuration.find(Settings.WORKER_LEADER_ADDRESS).orElse(List.of())
            : kept ? before.leaderAddresses() : List.of();
    SavedWorkerOptions now = new SavedWorkerOptions(Optional.of(options.mountPoint()), byFlag);
    try {
      if (!now.equals(before)) {
        now.write(options.stateDir());
      }
      enrolments.remember(options.stateDir());
    } catch (IOException failure) {
      LOG.warn(
          "the next start has to be told again where to mount: {}", FileProblems.describe(failure));
    }
  }

  /** Returns what a worker that runs takes up. */
  public static WorkerTuning tuning(Configuration configuration) {
    return new WorkerTuning(
        configuration.get(Settings.WORKER_PARTITION_GRACE).toNanos(),
        configuration.get(Settings.WORKER_LEADER_TIMEOUT).toNanos(),
        configuration.get(Settings.WORKER_LEADER_STALE).toNanos(),
        configuration.get(Settings.SNAPSHOTS_INTERVAL).toNanos());
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

  /**
   * Returns the local directory of a mount: {@code .../local/team} for {@code .../ws/team}, {@code
   * <mount>.local} for any other mount.
   */
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

  private static Enrolled enrolled(
      Configuration configuration, Enrolments enrolments, Optional<Path> mount) {
    Optional<Path> stateDir = configuration.findPath(Settings.WORKER_STATE_DIR);
    Optional<Path> token = configuration.findPath(Settings.WORKER_TOKEN);
    Enrolled enrolled =
        token.isPresent()
            ? enrolments.join(token.get(), stateDir, BackingFilesystem::check)
            : enrolments.find(stateDir, configuration.find(Settings.WORKER_ID), mount);
    if (token.isEmpty()) {
      BackingFilesystem.check(enrolled.stateDir());
    }
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

  /**
   * Refuses a mount point where a live or hanging HyperSync mount is. A dead one is left to the
   * daemon, which can remove the mount if it is its own, and so is one that is kept for the next
   * worker, which is not looked at: nobody answers there.
   */
  private static void refuseIfMounted(Path mount) {
    for (Path keeper : RunDirectory.of(System.getenv()).keeperSockets()) {
      if (KeeperClient.waitsWith(keeper, mount)) {
        return;
      }
    }
    if (Mounts.all().contains(mount) && Mounts.probe(mount) != Mounts.Health.DEAD) {
      throw new UserError(
          "a workspace is mounted at " + mount + " already, or its worker died there",
          "See: ./hypersync status\nTake it away: ./hypersync umount " + ShellWords.quoted(mount));
    }
  }

  private static void makeLocalDir(Path directory) {
    if (!Files.isDirectory(directory)) {
      try {
        SharedDirectories.make(directory);
        Files.setAttribute(directory, "unix:mode", LOCAL_DIR_MODE);
      } catch (IOException failure) {
        throw new UserError(
            "cannot make the local folder " + directory + ": " + FileProblems.describe(failure),
            FileProblems.hint(failure, ""));
      }
    }
  }
}
