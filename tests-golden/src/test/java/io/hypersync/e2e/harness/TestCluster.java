package io.hypersync.e2e.harness;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.demo.LeaderPort;
import io.hypersync.cli.workspace.NewIds;
import io.hypersync.cli.workspace.WorkspaceDirectory;
import io.hypersync.cli.workspace.WorkspaceName;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.file.DurableFiles;
import io.hypersync.worker.fuse.dev.FolderCover;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A complete workspace on this machine: a leader and workers as processes, with real mounts, their
 * state in a temporary directory. Closing it ends the processes, unmounts and removes the
 * directory, whatever state they are in.
 *
 * <p>Thread-safe, except that only one thread at a time may start and stop daemons.
 */
public final class TestCluster implements AutoCloseable {
  /**
   * The default worker settings: the leader counts as unreachable after a second (hypersync.md
   * 6.4).
   */
  public static final List<String> PROMPT = List.of("hypersync.worker.leader_timeout=1s");

  /**
   * Worker settings for tests without faults of the leader: on a busy machine a process may be
   * silent for a second, and then a mutation would fail with EROFS.
   */
  public static final List<String> PATIENT = List.of("hypersync.worker.leader_timeout=15s");

  /** The setting with which libfuse 2 serves a worker's mount. */
  public static final String JNR = "hypersync.worker.fuse_backend=jnr";

  /** Thousands of daemons are started, and what they do then is not measured. */
  private static final String NO_PRACTICE = "hypersync.practice=0s";

  /** What a daemon is started with that shows its metrics; the harness turns them off. */
  public static final String METRICS = "hypersync.metrics.enabled=true";

  private static final String NO_METRICS = "hypersync.metrics.enabled=false";

  /** Workers that have it in all tests of this run, to see what a test says of that backend. */
  private static final Set<String> JNR_WORKERS =
      Set.of(System.getProperty("hypersync.tests.jnr", "").split(","));

  /** The worker that is the mount of the leader's process in all tests of this run. */
  private static final String MAIN_HOST = System.getProperty("hypersync.tests.main_host", "");

  private static final Path MOUNTS = Path.of("/proc/self/mountinfo");
  private static final int MOUNT_POINT_FIELD = 4;
  private static final Duration END_LIMIT = Duration.ofSeconds(20);
  private static final int TAIL_LINES = 60;

  private final Path root;
  private final RunDirectory runDirectory;
  private final WorkspaceDirectory workspace;
  private final LeaderPort port;
  private final HostPort address;
  private final Map<String, DaemonJvm> daemons = new LinkedHashMap<>();
  private final Map<String, Path> stateDirs = new LinkedHashMap<>();
  private final Map<String, HostPort> leaderAddresses = new HashMap<>();
  private final Map<String, List<String>> javaOptions = new HashMap<>();
  private final Map<String, List<String>> starters = new HashMap<>();
  private final Map<String, List<String>> ownSettings = new HashMap<>();
  private final Thread onExit = new Thread(this::closeQuietly, "cluster-exit");
  private final List<String> workerSettings;
  private final Map<String, String> faults;
  private String mainHost = MAIN_HOST;
  private boolean closed;
  private String brokenInvariants = "";

  private TestCluster(List<String> workerSettings, Map<String, String> faults, Ground ground)
      throws IOException {
    this(workerSettings, faults, ground, TestCluster::empty);
  }

  private TestCluster(
      List<String> workerSettings, Map<String, String> faults, Ground ground, Founding founding)
      throws IOException {
    this.workerSettings = List.copyOf(workerSettings);
    this.faults = Map.copyOf(faults);
    root = Files.createTempDirectory("hs-e2e-").toRealPath();
    Files.createDirectories(root.resolve("logs"));
    runDirectory = new RunDirectory(root.resolve("run"));
    port = LeaderPort.reserve();
    address = port.address();
    ground.lay(Files.createDirectory(root.resolve("workspace")));
    workspace = founding.found(root.resolve("workspace"), address);
    Runtime.getRuntime().addShutdownHook(onExit);
  }

  private static WorkspaceDirectory empty(Path directory, HostPort address) {
    return WorkspaceDirectory.create(
        directory,
        NewIds.workspace(),
        new WorkspaceName("e2e"),
        Instant.now(),
        WorkspaceDirectory.saying(address));
  }

  /** Makes a workspace. */
  @FunctionalInterface
  public interface Founding {
    /** Makes one in the directory, whose leader will listen on the address. */
    WorkspaceDirectory found(Path directory, HostPort address) throws IOException;
  }

  /** Prepares the filesystem that holds a workspace. */
  @FunctionalInterface
  public interface Ground {
    /** Mounts a filesystem on the directory, which is empty. */
    void lay(Path workspace) throws IOException;
  }

  /** A workspace without running daemons, whose workers are {@link #PATIENT}. */
  public static TestCluster create() throws IOException {
    return create(PATIENT);
  }

  /**
   * A workspace without running daemons.
   *
   * @param workerSettings as for {@code --set}
   */
  public static TestCluster create(List<String> workerSettings) throws IOException {
    return create(workerSettings, _ -> {});
  }

  /**
   * A workspace without running daemons, on a filesystem of its own.
   *
   * @param workerSettings as for {@code --set}
   * @param ground mounts that filesystem
   */
  public static TestCluster create(List<String> workerSettings, Ground ground) throws IOException {
    requireFuse();
    return new TestCluster(workerSettings, Map.of(), ground);
  }

  /**
   * A workspace without running daemons that somebody else makes.
   *
   * @param workerSettings as for {@code --set}
   */
  public static TestCluster found(List<String> workerSettings, Founding founding)
      throws IOException {
    requireFuse();
    return new TestCluster(workerSettings, Map.of(), _ -> {}, founding);
  }

  /** Starts a leader and these workers; returns when they are mounted and have caught up. */
  public static TestCluster start(List<String> workerSettings, String... workers) throws Exception {
    return start(workerSettings, Map.of(), workers);
  }

  /**
   * The same, with faults.
   *
   * @param faults environment variables of all daemons that inject faults
   */
  public static TestCluster start(
      List<String> workerSettings, Map<String, String> faults, String... workers) throws Exception {
    return start(workerSettings, Map.of(), faults, workers);
  }

  /**
   * The same, with settings of single workers.
   *
   * @param own by worker, as for {@code --set}
   */
  public static TestCluster start(
      List<String> workerSettings,
      Map<String, List<String>> own,
      Map<String, String> faults,
      String... workers)
      throws Exception {
    return start(workerSettings, own, faults, new String[0], workers);
  }

  /**
   * The same, with arguments of the leader.
   *
   * @param leader after {@code hypersync leader --dir <dir>}
   */
  static TestCluster start(
      List<String> workerSettings,
      Map<String, List<String>> own,
      Map<String, String> faults,
      String[] leader,
      String... workers)
      throws Exception {
    requireFuse();
    TestCluster cluster = new TestCluster(workerSettings, faults, _ -> {});
    cluster.ownSettings.putAll(own);
    try {
      cluster.startLeader(leader);
      cluster.startWorkers(workers);
      return cluster;
    } catch (Exception | Error failure) {
      String logs = cluster.logs();
      cluster.close();
      throw new AssertionError("the workspace did not come up\n" + logs, failure);
    }
  }

  private static void requireFuse() {
    if (!Files.isWritable(Path.of("/dev/fuse"))) {
      throw new AssertionError(
          "these tests mount filesystems: they need root and /dev/fuse (modprobe fuse; in a"
              + " container: --device /dev/fuse --cap-add SYS_ADMIN)");
    }
  }

  // Paths and addresses.

  /** The directory that contains everything of this workspace. */
  public Path root() {
    return root;
  }

  public Path runDirectory() {
    return runDirectory.path();
  }

  public WorkspaceDirectory workspace() {
    return workspace;
  }

  /** The address that the leader listens on. */
  public HostPort address() {
    return address;
  }

  /** The mount point of a worker. */
  public Path mount(String worker) {
    return root.resolve("mounts").resolve(worker);
  }

  /** The state directory of a worker. */
  public Path stateDir(String worker) {
    return stateDirs.getOrDefault(worker, root.resolve("state").resolve(worker));
  }

  /**
   * Sets another state directory for a daemon, before it is started; {@code leader} is a daemon
   * too.
   */
  public void putState(String daemon, Path directory) {
    stateDirs.put(daemon, directory);
  }

  /** Sets another leader address for a worker, before it is started. */
  public void putLeaderAddress(String worker, HostPort elsewhere) {
    leaderAddresses.put(worker, elsewhere);
  }

  /**
   * Gives a worker settings in addition to those of all, as for {@code --set}, before it is
   * started.
   */
  public void putSettings(String worker, String... settings) {
    ownSettings.put(worker, List.of(settings));
  }

  /** Sets JVM options of a daemon, which override the common ones, before it is started. */
  public void putJavaOptions(String daemon, String... options) {
    javaOptions.put(daemon, List.of(options));
  }

  /** Makes a worker the mount of the leader's process, before that is started. */
  public void putMainHost(String worker) {
    mainHost = worker;
  }

  /** Sets the words before a daemon's command line, such as {@code nsenter}. */
  public void putStarter(String daemon, List<String> words) {
    starters.put(daemon, words);
  }

  /** Mounts a tmpfs of this size, which is removed with the workspace. */
  public Path tmpfs(String name, int mebibytes) throws IOException, InterruptedException {
    Path directory = Files.createDirectories(root.resolve(name));
    Shell.must(
        root, "mount", "-t", "tmpfs", "-o", "size=" + mebibytes + "m", "e2e", directory.toString());
    return directory;
  }

  // Daemons.

  public DaemonJvm leader() {
    return daemon("leader");
  }

  public DaemonJvm worker(String name) {
    return daemon(name);
  }

  public synchronized DaemonJvm daemon(String name) {
    DaemonJvm daemon = daemons.get(name);
    if (daemon == null) {
      throw new AssertionError(name + " was not started");
    }
    return daemon;
  }

  /** Starts the leader, for the first time or again; returns when it answers status requests. */
  public DaemonJvm startLeader(String... more) throws IOException, InterruptedException {
    DaemonJvm leader = launchLeader(more);
    leader.await("answer", _ -> true);
    return leader;
  }

  /**
   * The same, with faults until its next start.
   *
   * @param itsFaults environment variables in addition to those of all daemons
   */
  public DaemonJvm startLeader(Map<String, String> itsFaults)
      throws IOException, InterruptedException {
    DaemonJvm leader = launchLeader(itsFaults);
    leader.await("answer", _ -> true);
    return leader;
  }

  /** Starts the leader without waiting for it. */
  public DaemonJvm launchLeader(String... more) throws IOException {
    return launchLeader(Map.of(), more);
  }

  /**
   * The same, with faults until its next start.
   *
   * @param itsFaults environment variables in addition to those of all daemons
   */
  public DaemonJvm launchLeader(Map<String, String> itsFaults, String... more) throws IOException {
    List<String> arguments =
        new ArrayList<>(List.of("leader", "--dir", workspace.root().toString()));
    Path stateDir = stateDirs.get("leader");
    if (stateDir != null) {
      arguments.addAll(List.of("--state-dir", stateDir.toString()));
    }
    if (!mainHost.isEmpty()) {
      arguments.addAll(List.of("--mount", mount(mainHost).toString()));
      arguments.addAll(List.of("--set", "hypersync.worker.id=" + mainHost));
      arguments.addAll(settings(mainHost));
    }
    arguments.addAll(List.of(more));
    DaemonJvm leader =
        launch("leader", runDirectory.leaderSocket(workspace.id()), arguments, itsFaults);
    if (!mainHost.isEmpty()) {
      putBeside(leader);
    }
    return leader;
  }

  private synchronized void putBeside(DaemonJvm leader) {
    daemons.put(mainHost, leader.beside(mainHost, workerSocket(mainHost)));
  }

  private Path workerSocket(String name) {
    return runDirectory.workerSocket(workspace.id(), new WorkerId(name));
  }

  /** Starts a worker, for the first time or again; returns when it is mounted and writable. */
  public DaemonJvm startWorker(String name) throws IOException, InterruptedException {
    return startWorker(name, Map.of());
  }

  /**
   * The same, with faults until its next start.
   *
   * @param itsFaults environment variables in addition to those of all daemons
   */
  public DaemonJvm startWorker(String name, Map<String, String> itsFaults)
      throws IOException, InterruptedException {
    launchWorker(name, itsFaults);
    return awaitWritable(name);
  }

  /** Starts workers at the same time; returns when all are mounted and writable. */
  public void startWorkers(String... names) throws IOException, InterruptedException {
    for (String name : names) {
      launchWorker(name);
    }
    for (String name : names) {
      awaitWritable(name);
    }
  }

  /**
   * Makes of a workspace that a test has used one for the next test: ends other workers, starts
   * again which of these do not run, removes all files and what the logs say. What is left is what
   * daemons count, and the log of entries.
   *
   * @param leader arguments of the leader, should it have to be started
   * @throws AssertionError if one of the daemons is stopped, or does not come up
   */
  void mend(String[] leader, String... workers) throws IOException, InterruptedException {
    Set<String> wanted = Set.of(workers);
    for (DaemonJvm daemon : all()) {
      daemon.requireNotFrozen();
      if (!daemon.equals(leader()) && !wanted.contains(daemon.name())) {
        daemon.end(END_LIMIT);
        forget(daemon.name());
      }
    }
    if (!leader().isAlive()) {
      startLeader(leader);
    }
    for (String name : workers) {
      if (!worker(name).isAlive()) {
        launchWorker(name);
      }
    }
    for (String name : workers) {
      awaitWritableAgain(name);
    }
    Path mount = mount(workers[0]);
    Shell.must(root, "find", mount.toString(), "-xdev", "-mindepth", "1", "-delete");
    settle(workers);
    for (String daemon : daemons().keySet()) {
      Files.write(logOf(daemon), new byte[0]); // daemons append
    }
  }

  /**
   * A worker that was told to end before, by an umount perhaps, may have run a moment ago. One that
   * has failed is not started again: the failure has the end of its log.
   */
  private void awaitWritableAgain(String name) throws IOException, InterruptedException {
    try {
      awaitWritable(name);
    } catch (AssertionError failure) {
      if (worker(name).isAlive() || worker(name).awaitExit(END_LIMIT) != 0) {
        throw failure;
      }
      launchWorker(name);
      awaitWritable(name);
    }
  }

  private synchronized void forget(String daemon) throws IOException {
    daemons.remove(daemon);
    DurableFiles.deleteTree(stateDir(daemon));
    Files.deleteIfExists(workspace.tokenFile(new WorkerId(daemon))); // it joins as a new one
  }

  private synchronized Map<String, DaemonJvm> daemons() {
    return Map.copyOf(daemons);
  }

  private Path logOf(String daemon) {
    return root.resolve("logs").resolve(daemon + ".log");
  }

  /** Starts a worker without waiting for it. */
  public DaemonJvm launchWorker(String name) throws IOException {
    return launchWorker(name, Map.of());
  }

  private DaemonJvm launchWorker(String name, Map<String, String> itsFaults) throws IOException {
    return name.equals(mainHost)
        ? worker(name) // it runs since the leader does
        : launch(name, workerSocket(name), workerArguments(name), itsFaults);
  }

  /** The arguments of a worker; writes its enrolment token the first time. */
  public List<String> workerArguments(String name) throws IOException {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "worker",
                "--mount",
                mount(name).toString(),
                "--state-dir",
                stateDir(name).toString()));
    arguments.addAll(settings(name));
    HostPort elsewhere = leaderAddresses.get(name);
    if (elsewhere != null) {
      arguments.addAll(List.of("--set", "hypersync.worker.leader_address=" + elsewhere));
    }
    WorkerId id = new WorkerId(name);
    Path token = workspace.tokenFile(id);
    if (!Files.exists(token)) {
      workspace.writeToken(id, address, token);
      arguments.addAll(List.of("--token", token.toString()));
    }
    return arguments;
  }

  private List<String> settings(String worker) {
    List<String> arguments = new ArrayList<>();
    workerSettings.forEach(setting -> arguments.addAll(List.of("--set", setting)));
    if (JNR_WORKERS.contains(worker)) {
      arguments.addAll(List.of("--set", JNR));
    }
    ownSettings
        .getOrDefault(worker, List.of())
        .forEach(setting -> arguments.addAll(List.of("--set", setting)));
    return arguments;
  }

  /**
   * Waits until a worker is connected to the leader that runs now and accepts mutations. The leader
   * is asked first: after it was killed, a worker calls itself connected for as long as it has not
   * noticed, and the next mutation fails with EROFS (hypersync.md 6.4). Fails at once if the worker
   * ends before.
   */
  public DaemonJvm awaitWritable(String name) throws InterruptedException {
    DaemonJvm worker = worker(name);
    leader()
        .await(
            "have a session of worker " + name,
            status -> hasSession(status, name) || !worker.isAlive());
    worker.await(
        "be writable",
        status ->
            status.path("mounted").asBoolean()
                && status.path("connected").asBoolean()
                && !status.path("read_only").asBoolean());
    return worker;
  }

  private static boolean hasSession(JsonNode leaderStatus, String worker) {
    for (JsonNode each : leaderStatus.path("workers")) {
      if (each.path("worker_id").asText().equals(worker) && each.path("connected").asBoolean()) {
        return true;
      }
    }
    return false;
  }

  /** Starts a standby, for the first time or again; returns when it answers. */
  public DaemonJvm startStandby(String name, String... more)
      throws IOException, InterruptedException {
    WorkerId id = new WorkerId(name);
    Path token = workspace.tokenFile(id);
    if (!Files.exists(token)) {
      workspace.writeToken(id, address, token);
    }
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "standby",
                "--dir",
                workspace.root().toString(),
                "--state-dir",
                stateDir(name).toString(),
                "--token",
                token.toString()));
    arguments.addAll(List.of(more));
    DaemonJvm standby =
        launch(name, runDirectory.standbySocket(workspace.id(), id), arguments, Map.of());
    standby.await("answer", _ -> true);
    return standby;
  }

  private synchronized DaemonJvm launch(
      String name, Path socket, List<String> arguments, Map<String, String> itsFaults)
      throws IOException {
    DaemonJvm before = daemons.get(name);
    if (before != null && before.isAlive()) {
      throw new AssertionError(name + " runs already");
    }
    Map<String, String> environment = new HashMap<>(faults);
    environment.putAll(itsFaults);
    environment.putAll(ChildJvm.environment(runDirectory()));
    Path log = logOf(name);
    List<String> all = new ArrayList<>(arguments);
    // Before the test's own settings.
    all.addAll(1, List.of("--set", NO_PRACTICE, "--set", NO_METRICS));
    DaemonJvm daemon =
        DaemonJvm.start(
            name,
            log,
            socket,
            starters.getOrDefault(name, List.of()),
            javaOptions.getOrDefault(name, List.of()),
            all,
            environment);
    daemons.put(name, daemon);
    return daemon;
  }

  /** Runs {@code hypersync <arguments>} and waits until it ends. */
  public Shell hypersync(String... arguments) throws IOException, InterruptedException {
    return hypersync(List.of(arguments));
  }

  /** Runs {@code hypersync <arguments>} and waits until it ends. */
  public Shell hypersync(List<String> arguments) throws IOException, InterruptedException {
    return Shell.run(root, ChildJvm.environment(runDirectory()), ChildJvm.command(arguments));
  }

  // State.

  /** The newest {@code count} entries of the log. */
  public JsonNode log(int count) {
    return leader()
        .ask("log", JsonNodeFactory.instance.objectNode().put("tail", count))
        .path("entries");
  }

  /** Waits until these workers have applied everything that the leader has committed so far. */
  public void settle(String... workers) throws InterruptedException {
    long commitIndex = leader().status().path("commit_index").asLong();
    for (String name : workers) {
      worker(name)
          .await(
              "apply entry " + commitIndex,
              status -> status.path("applied_index").asLong() >= commitIndex);
    }
  }

  /**
   * Fails unless these workers and the leader have the same root at the same index. The leader logs
   * ops of its own (it reaps orphans), so the indexes may differ for a moment; then they are read
   * again.
   */
  public void assertSameRoots(String... workers) throws InterruptedException {
    long deadlineNs = System.nanoTime() + Await.LIMIT.toNanos();
    while (true) {
      settle(workers);
      Map<String, String> seen = new LinkedHashMap<>();
      JsonNode leader = leader().status();
      seen.put("leader", leader.path("root").asText());
      boolean comparable = true;
      for (String name : workers) {
        JsonNode status = worker(name).status();
        seen.put(name, status.path("root").asText());
        comparable &= status.path("applied_index").asLong() == leader.path("commit_index").asLong();
      }
      if (comparable) {
        assertEquals(
            1,
            seen.values().stream().distinct().count(),
            "roots differ at index " + leader.path("commit_index") + ": " + seen);
        return;
      }
      if (System.nanoTime() - deadlineNs > 0) {
        throw new AssertionError("the log does not come to rest");
      }
    }
  }

  /** Fails if a daemon that answers has broken an invariant of hypersync.md 22.1. */
  void assertInvariantsHold() {
    failIfBroken(brokenInvariants());
  }

  private String brokenInvariants() {
    StringBuilder broken = new StringBuilder();
    all().forEach(daemon -> broken.append(daemon.brokenInvariants()));
    return broken.toString();
  }

  private static void failIfBroken(String broken) {
    if (!broken.isEmpty()) {
      throw new AssertionError("invariants were broken (hypersync.md 22.1):" + broken);
    }
  }

  /** Whether the leader and these workers run and accept mutations. */
  public boolean isHealthy(String... workers) {
    try {
      boolean healthy = leader().isAlive();
      for (String name : workers) {
        healthy &= worker(name).isAlive() && !worker(name).status().path("read_only").asBoolean();
      }
      return healthy;
    } catch (UserError silent) {
      return false;
    }
  }

  /** The ends of all logs. */
  public String logs() {
    StringBuilder text = new StringBuilder();
    for (DaemonJvm daemon : all()) {
      text.append(daemon.tail(TAIL_LINES));
    }
    return text.toString();
  }

  // Shutdown.

  /**
   * Ends, unmounts and removes everything. Works also on a thread that has been interrupted because
   * its test timed out.
   *
   * @throws IOException if something is left behind
   * @throws AssertionError if a daemon that was still running has broken an invariant
   */
  @Override
  public void close() throws IOException {
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    Thread cleaner =
        Thread.ofPlatform()
            .name("cluster-close")
            .start(
                () -> {
                  try {
                    cleanUp();
                  } catch (IOException | InterruptedException | AssertionError failure) {
                    failed.set(failure);
                  }
                });
    boolean interrupted = false;
    while (cleaner.isAlive()) {
      try {
        cleaner.join();
      } catch (InterruptedException again) {
        interrupted = true;
      }
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
    if (failed.get() != null) {
      throw new IOException("cannot clean up " + root, failed.get());
    }
    failIfBroken(brokenInvariants);
  }

  private synchronized void cleanUp() throws IOException, InterruptedException {
    if (closed) {
      return;
    }
    closed = true;
    List<DaemonJvm> reversed = all().reversed();
    brokenInvariants = brokenInvariants();
    for (DaemonJvm daemon : reversed) {
      if (!daemon.equals(daemons.get("leader"))) {
        daemon.terminate();
      }
    }
    AssertionError stays = null;
    for (DaemonJvm daemon : reversed) {
      try {
        daemon.end(END_LIMIT);
      } catch (AssertionError failure) {
        if (stays != null) {
          failure.addSuppressed(stays);
        }
        stays = failure; // unmounting it may end the daemon
      }
    }
    port.close();
    for (Path mount : mounts().reversed()) {
      Shell.must(Path.of("/"), "umount", "-f", "-l", mount.toString());
    }
    for (DaemonJvm daemon : reversed) {
      var _ = FolderCover.clear(mount(daemon.name())); // a killed daemon may have left it
    }
    Shell.must(Path.of("/"), "rm", "-rf", "--one-file-system", root.toString());
    removeHook();
    if (stays != null) {
      throw stays;
    }
  }

  private synchronized List<DaemonJvm> all() {
    return List.copyOf(daemons.values());
  }

  /** All mounts below the directory; reading the list does not access the mounts. */
  private List<Path> mounts() throws IOException {
    return Files.readAllLines(MOUNTS).stream()
        .map(line -> Path.of(line.split(" ", -1)[MOUNT_POINT_FIELD]))
        .filter(point -> point.startsWith(root))
        .toList();
  }

  private void closeQuietly() {
    try {
      close();
    } catch (IOException failure) {
      System.err.println(failure + ": " + failure.getCause());
    }
  }

  private void removeHook() {
    try {
      Runtime.getRuntime().removeShutdownHook(onExit);
    } catch (IllegalStateException exiting) {
      System.err.println(root + " was cleaned up while the machine ended: " + exiting.getMessage());
    }
  }
}
