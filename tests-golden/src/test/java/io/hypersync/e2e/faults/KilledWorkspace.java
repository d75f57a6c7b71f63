package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.disk.Naming;
import io.hypersync.disk.PowerLossDisk;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.MortalLoad;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.runtime.fault.FaultPoints;
import io.hypersync.runtime.file.DurableFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A workspace in which everything happens all the time: snapshots and collections every second or
 * two, a log that is trimmed, workers with little room, and writers on both mounts. Besides there
 * is a directory that restores bring back, to the snapshot {@code before}.
 */
final class KilledWorkspace implements AutoCloseable {
  static final List<String> WORKERS = List.of("a", "b");

  private static final String INSTALLS = "the leader offers its snapshot of entry";
  private static final String DOOMED = "made since";
  private static final int WRITERS = 2;
  private static final int RESTORED_FILES = 60;
  private static final long START_LIMIT_MS = 60_000;
  private static final String SEGMENTS = "-Dhypersync.chunks.segment_bytes=" + (128 << 10);

  private static final List<String> WORKER_SETTINGS =
      List.of(
          "hypersync.worker.leader_timeout=3s",
          "hypersync.worker.cache_max=16MiB",
          "hypersync.gc.interval=2s",
          "hypersync.snapshots.interval=1s");

  /** Entries are kept for as long as a worker may need to connect again. */
  private static final int KEPT_ENTRIES = 1_000;

  /** The leader blocks when a trim has taken the first segment out of its log. */
  private static final Map<String, String> HELD_IN_A_TRIM =
      Map.of("HYPERSYNC_FAULT_HOLD_AT", FaultPoints.Moment.SEGMENT_WITHDRAWN + ":1");

  private final TestCluster cluster;
  private final @Nullable PowerLossDisk disk;
  private final Random random;
  private final KillTally tally = new KillTally();
  private final Map<String, String> restored = new TreeMap<>();
  private final MortalLoad load;
  private long slowestStartMs;
  private int pasts;
  private int states;
  private String pastWorker = "";
  private CompletableFuture<Boolean> isPastMounted = CompletableFuture.completedFuture(false);

  private KilledWorkspace(
      TestCluster cluster, @Nullable PowerLossDisk disk, MortalLoad load, Random random) {
    this.cluster = cluster;
    this.disk = disk;
    this.load = load;
    this.random = random;
  }

  /**
   * Starts everything.
   *
   * @param withPowerCuts the leader's state is on a disk that forgets what was not synced
   */
  static KilledWorkspace start(Random random, boolean withPowerCuts) throws Exception {
    AtomicReference<@Nullable PowerLossDisk> disk = new AtomicReference<>();
    TestCluster cluster =
        withPowerCuts
            ? TestCluster.create(
                WORKER_SETTINGS, folder -> disk.set(PowerLossDisk.mount(folder, Naming.JOURNALED)))
            : TestCluster.create(WORKER_SETTINGS);
    try {
      for (String daemon : List.of("leader", "a", "b")) {
        cluster.putJavaOptions(daemon, SEGMENTS);
      }
      cluster.startLeader(leaderSettings(KEPT_ENTRIES));
      for (String worker : WORKERS) {
        cluster.startWorker(worker);
      }
      List<Path> mounts = WORKERS.stream().map(cluster::mount).toList();
      MortalLoad load = new MortalLoad(mounts, WRITERS, random.nextLong());
      KilledWorkspace workspace = new KilledWorkspace(cluster, disk.get(), load, random);
      workspace.fillRestored();
      load.start();
      return workspace;
    } catch (Exception | Error failure) {
      System.err.println(cluster.logs());
      cluster.close();
      throw failure;
    }
  }

  private static String[] leaderSettings(int keptEntries) {
    return Stream.of(
            "hypersync.snapshots.interval=1s",
            "hypersync.snapshots.retain=2",
            "hypersync.snapshots.catchup_log_threshold_entries=50",
            "hypersync.gc.interval=2s",
            "hypersync.gc.replay_entries=0",
            "hypersync.log.retain=0s",
            "hypersync.log.retain_entries=" + keptEntries,
            "hypersync.log.max_bytes=67108864")
        .flatMap(setting -> Stream.of("--set", setting))
        .toArray(String[]::new);
  }

  private void fillRestored() throws Exception {
    Path folder = cluster.mount("a").resolve("restored");
    Files.createDirectory(folder);
    for (int i = 0; i < RESTORED_FILES; i++) {
      String text = ("file " + i + " ").repeat(1 + random.nextInt(2_000));
      Files.writeString(folder.resolve("f" + i), text);
      restored.put("f" + i, text);
    }
    cluster.settle("a", "b");
    var _ = cluster.leader().ask("snapshot", arguments("create").put("name", "before"));
  }

  TestCluster cluster() {
    return cluster;
  }

  MortalLoad load() {
    return load;
  }

  KillTally tally() {
    return tally;
  }

  long slowestStartMs() {
    return slowestStartMs;
  }

  // What is begun before a kill.

  /** Begins something that these daemons take part in, without waiting until it has ended. */
  void begin(KillMoment what, String victim) throws Exception {
    DaemonJvm daemon = cluster.daemon(victim);
    boolean isLeader = victim.equals("leader");
    switch (what) {
      case SNAPSHOT -> {
        if (isLeader) {
          var _ = inBackground(daemon, "snapshot", arguments("create").put("name", ""));
        } else {
          awaitOwnSnapshot(daemon);
        }
      }
      case COLLECTION -> {
        var _ = daemon.ask("gc", arguments("run"));
      }
      case SCRUB -> {
        var _ = inBackground(cluster.leader(), "scrub", arguments("run"));
      }
      case BACKUP -> {
        ObjectNode request = arguments("run").put("dir", backup().toString());
        var _ = inBackground(cluster.leader(), "backup", request.put("bytes_per_second", 8L << 20));
      }
      case RESTORE -> {
        spoil();
        var _ = inBackground(cluster.leader(), "restore", restoreRequest());
      }
      case RESTORE_ALL -> {
        keepState();
        spoil();
        awaitOk(() -> Files.createDirectories(cluster.mount("a").resolve(DOOMED)));
        var _ = inBackground(cluster.leader(), "restore", restoreAllRequest());
      }
      case TRIM -> awaitTrim();
      case PAST_MOUNT -> {
        pastWorker = isLeader ? "a" : victim;
        pasts++;
        isPastMounted =
            inBackground(
                cluster.worker(pastWorker),
                "mount",
                arguments("add").put("at", "before").put("path", past().toString()));
      }
      case LOAD, INSTALL, START -> {}
    }
  }

  /**
   * Takes the snapshot that everything is restored to. The writers rest from here on: what they
   * would do since would be gone.
   */
  private void keepState() throws Exception {
    load.stop();
    cluster.settle("a", "b");
    states++;
    var _ = cluster.leader().ask("snapshot", arguments("create").put("name", state()));
  }

  private String state() {
    return "state-" + states;
  }

  /** Starts the leader again so that it trims its log, and is held in the middle of that. */
  private void awaitTrim() throws Exception {
    kill(KillMoment.LOAD.name(), List.of("leader"));
    int before = cluster.leader().log().length();
    cluster.launchLeader(HELD_IN_A_TRIM, leaderSettings(0));
    String held = "held at " + FaultPoints.Moment.SEGMENT_WITHDRAWN;
    Await.until(
        "the leader trims its log", () -> cluster.leader().log().indexOf(held, before) >= 0);
  }

  /** A worker takes them by itself only. */
  private static void awaitOwnSnapshot(DaemonJvm worker) throws InterruptedException {
    long before = worker.status().path("snapshots").path("taken").asLong();
    worker.await(
        "take a snapshot",
        status ->
            status.path("snapshots").path("taking").asBoolean()
                || status.path("snapshots").path("taken").asLong() > before);
  }

  /** Sends a request; the future says whether it was done. */
  private static CompletableFuture<Boolean> inBackground(
      DaemonJvm daemon, String command, ObjectNode request) {
    return CompletableFuture.supplyAsync(
        () -> {
          try {
            daemon.ask(command, request);
            return true;
          } catch (UserError cutShort) {
            return false; // a daemon was killed meanwhile, or one is under way already
          }
        },
        task -> Thread.ofVirtual().start(task));
  }

  private static ObjectNode arguments(String what) {
    return JsonNodeFactory.instance.objectNode().put("do", what);
  }

  private static ObjectNode restoreRequest() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("path", "restored")
        .put("at", "before")
        .put("dry_run", false);
  }

  private ObjectNode restoreAllRequest() {
    return JsonNodeFactory.instance
        .objectNode()
        .put("all", true)
        .put("at", state())
        .put("dry_run", false);
  }

  Path backup() {
    return cluster.root().resolve("backup");
  }

  private Path past() {
    return cluster.root().resolve("past-" + pasts);
  }

  /** Changes, removes and adds files of the directory that is restored. */
  private void spoil() throws Exception {
    Path folder = cluster.mount(WORKERS.get(random.nextInt(2))).resolve("restored");
    for (int i = 0; i < RESTORED_FILES; i++) {
      Path file = folder.resolve("f" + i);
      String text = "spoiled " + random.nextInt();
      switch (random.nextInt(4)) {
        case 0 -> awaitOk(() -> Files.writeString(file, text));
        case 1 -> awaitOk(() -> Files.deleteIfExists(file));
        case 2 -> awaitOk(() -> Files.writeString(folder.resolve("g" + file.getFileName()), text));
        default -> {}
      }
    }
  }

  /** A worker that has just connected again may refuse a mutation for a moment. */
  private static void awaitOk(Errnos.Call call) throws Exception {
    Await.same("how it ends", Errnos.NONE, () -> Errnos.of(call));
  }

  // Kills and starts.

  /** Kills these daemons, as nearly at once as one thread can. */
  void kill(KillMoment during, List<String> victims) throws Exception {
    for (String victim : victims) {
      tally.look(victim, cluster.daemon(victim));
    }
    kill(during.name(), victims);
  }

  private void kill(String during, List<String> victims) throws Exception {
    for (String victim : victims) {
      if (!cluster.daemon(victim).isAlive()) {
        throw new AssertionError(victim + " has ended by itself");
      }
      if (WORKERS.contains(victim)) {
        load.killed(cluster.mount(victim));
      }
      cluster.daemon(victim).kill();
      boolean forgets = victim.equals("leader") && disk != null && random.nextBoolean();
      if (forgets && disk != null) {
        disk.setNaming(random.nextBoolean() ? Naming.STRICT : Naming.JOURNALED);
        disk.cutPower(random);
      }
      tally.killed(victim, forgets ? during + ", power" : during);
    }
  }

  /** Removes what a worker has stored: it has to install the leader's snapshot. */
  void empty(String worker, boolean chunksToo) throws IOException {
    DurableFiles.deleteTree(cluster.stateDir(worker).resolve("snapshots"));
    if (chunksToo) {
      DurableFiles.deleteTree(cluster.stateDir(worker).resolve("chunks"));
    }
  }

  /** Starts a daemon without waiting for it. */
  void launch(String daemon) throws IOException {
    if (daemon.equals("leader")) {
      cluster.launchLeader(leaderSettings(KEPT_ENTRIES));
    } else {
      cluster.launchWorker(daemon);
    }
  }

  /** Kills it again at some moment of its start. */
  void killWhileItStarts(String daemon) throws Exception {
    launch(daemon);
    Thread.sleep(random.nextLong(2_000));
    kill(KillMoment.START.name(), List.of(daemon));
  }

  /** Kills a worker that was emptied while it installs; the leader must run. */
  void killWhileItInstalls(String worker) throws Exception {
    long before = installs(worker);
    launch(worker);
    Await.until(worker + " installs", () -> installs(worker) > before);
    Thread.sleep(random.nextLong(400));
    kill(KillMoment.INSTALL.name(), List.of(worker));
  }

  private long installs(String worker) {
    return cluster.worker(worker).log().lines().filter(line -> line.contains(INSTALLS)).count();
  }

  /** Starts daemons that were killed; each must get there by itself, and in time. */
  void startAgain(List<String> daemons) throws Exception {
    long beganNs = System.nanoTime();
    for (String daemon : daemons) {
      launch(daemon);
    }
    cluster.leader().await("answer", _ -> true);
    for (String worker : WORKERS) {
      cluster.awaitWritable(worker);
      if (daemons.contains(worker)) {
        load.started(cluster.mount(worker));
      }
    }
    long tookMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNs);
    slowestStartMs = Math.max(slowestStartMs, tookMs);
    assertTrue(tookMs < START_LIMIT_MS, daemons + " took " + tookMs + " ms to start");
  }

  // What must hold afterwards.

  /** Ends what was begun before the kill, and requires its result. */
  void finish(KillMoment what, List<String> victims) throws Exception {
    if (what == KillMoment.RESTORE) {
      restore();
      requireRestored(cluster.mount("a").resolve("restored"));
    } else if (what == KillMoment.RESTORE_ALL) {
      restoreAll();
    } else if (what == KillMoment.BACKUP) {
      backUp();
    } else if (what == KillMoment.PAST_MOUNT) {
      boolean isMounted = isPastMounted.get(1, TimeUnit.MINUTES);
      if (isMounted && !victims.contains(pastWorker)) {
        requireRestored(past().resolve("restored"));
        Shell.must(cluster.root(), "umount", past().toString());
      }
      Await.until("the folder is taken away", () -> !Files.exists(past()));
    }
  }

  /** Goes on with the backup that was cut short. */
  private void backUp() throws Exception {
    DaemonJvm leader = cluster.leader();
    long number =
        leader
            .ask("backup", arguments("run").put("dir", backup().toString()))
            .path("number")
            .asLong();
    Await.until(
        "the backup ends",
        () -> {
          for (JsonNode run : leader.ask("backup", arguments("status")).path("runs")) {
            if (run.path("number").asLong() == number) {
              assertTrue(run.path("failure").isNull(), run::toString);
              return true;
            }
          }
          return false;
        });
  }

  /** Everything is what it was when the writers began to rest; then they go on. */
  private void restoreAll() throws Exception {
    Await.until(
        "restore everything",
        () -> !cluster.leader().ask("restore", restoreAllRequest()).path("last_index").isNull());
    cluster.settle("a", "b");
    for (String worker : WORKERS) {
      assertFalse(Files.exists(cluster.mount(worker).resolve(DOOMED)), "it was made since");
      load.check(cluster.mount(worker));
      requireRestored(cluster.mount(worker).resolve("restored"));
    }
    cluster.assertSameRoots("a", "b");
    var _ = cluster.leader().ask("snapshot", arguments("rm").put("snapshot", state()));
    load.start();
  }

  private void restore() throws Exception {
    Await.until(
        "restore",
        () -> {
          JsonNode done = cluster.leader().ask("restore", restoreRequest());
          return done.path("left_count").asLong() == 0;
        });
    cluster.settle("a", "b");
  }

  private void requireRestored(Path folder) throws Exception {
    Map<String, String> found = new TreeMap<>();
    for (String name : Directories.names(folder)) {
      found.put(name, Files.readString(folder.resolve(name)));
    }
    assertEquals(restored.keySet(), found.keySet(), "names in " + folder);
    assertEquals(restored, found);
  }

  /** Stops the writers and requires that both mounts have all that was acknowledged. */
  void check() throws Exception {
    load.stop();
    cluster.settle("a", "b");
    for (String worker : WORKERS) {
      load.check(cluster.mount(worker));
      requireRestored(cluster.mount(worker).resolve("restored"));
    }
    cluster.assertSameRoots("a", "b");
    for (String daemon : List.of("leader", "a", "b")) {
      tally.look(daemon, cluster.daemon(daemon));
    }
    KillTally.assertNoErrors(cluster);
  }

  /** The last check: all that is stored can be read, and a new worker has it, too. */
  void checkAll() throws Exception {
    check();
    Shell scrub = cluster.hypersync("scrub", "--run");
    assertEquals(0, scrub.exit(), scrub::output);
    if (Files.exists(backup())) {
      Shell verified = cluster.hypersync("backup", "--verify", backup().toString());
      assertEquals(0, verified.exit(), verified::output);
    }
    cluster.startWorker("c");
    cluster.assertSameRoots("a", "b", "c");
    load.check(cluster.mount("c"));
    requireRestored(cluster.mount("c").resolve("restored"));
  }

  /** How many snapshots the leader has. */
  long snapshots() {
    return cluster.leader().status().path("snapshots").path("count").asLong();
  }

  /** Copies the daemons' logs, if somebody has asked for them. */
  void keepLogs() throws IOException, InterruptedException {
    String to = System.getProperty("hypersync.kills.logs");
    if (to != null) {
      Files.createDirectories(Path.of(to));
      Shell.must(Path.of("/"), "cp", "-r", cluster.root().resolve("logs").toString(), to);
    }
  }

  @Override
  public void close() throws IOException {
    load.close();
    try {
      cluster.close();
    } finally {
      if (disk != null) {
        disk.close();
      }
    }
  }
}
