package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.WriteLoad;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * One mount that many processes serve, one after the other, under load: each hand-over goes well,
 * or the worker or its successor is killed at one of its steps, or the worker is killed outside of
 * any. After each one process serves, and in the end each acknowledged call is there once and no
 * caller has seen an error (decisions 048, 053).
 */
@RealMounts
class ManyHandOversTest {
  /**
   * Rounds, each of the next kind, without the last two, which other tests have;
   * -Dhypersync.tests.handover_rounds=250 for the long version.
   */
  private static final int ROUNDS =
      Integer.getInteger("hypersync.tests.handover_rounds", Round.values().length - 2);

  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  /** A process may have so many more descriptors than the first one, for what is under way. */
  private static final int SPARE_DESCRIPTORS = 40;

  private static final long SPARE_KEEPER_KIB = 30_000;

  /** What happens in a round. */
  private enum Round {
    WORKER_DIES_WHEN_ITS_SUCCESSOR_IS_READY(Moment.SUCCESSOR_READY, true, 2),
    SUCCESSOR_DIES_BEFORE_IT_IS_READY(Moment.TURN_AWAITED, false, 0),
    WORKER_DIES_WHEN_IT_HAS_LEFT(Moment.MOUNT_LEFT, true, 2),
    SUCCESSOR_DIES_WHEN_ITS_TURN_HAS_COME(Moment.TURN_CAME, false, 1),
    WORKER_DIES_WITH_ITS_STATE_RELEASED(Moment.STATE_RELEASED, true, 2),
    SUCCESSOR_DIES_WITH_THE_MOUNT(Moment.MOUNT_TAKEN, false, 2),
    ALL_GOES_WELL(null, false, 1),
    WORKER_IS_KILLED(null, false, 1);

    private final @Nullable Moment heldAt;
    private final boolean isOfWorker;

    /** How many processes take the mount, one of them to be held when it is to leave. */
    private final int taken;

    Round(@Nullable Moment heldAt, boolean isOfWorker, int taken) {
      this.heldAt = heldAt;
      this.isOfWorker = isOfWorker;
      this.taken = taken;
    }
  }

  private TestCluster cluster;
  private Path mount;
  private Path other;
  private final List<Long> handOverMs = new ArrayList<>();
  private final List<Long> deathMs = new ArrayList<>();
  private int launchers;
  private volatile boolean stopped;

  @BeforeEach
  void aWorkspace() throws Exception {
    cluster =
        TestCluster.create(
            List.of(
                "hypersync.worker.leader_timeout=15s", "hypersync.worker.takeover_timeout=60s"));
    cluster.startLeader(
        "--set",
        "hypersync.leader.lock_ttl=30s",
        "--set",
        "hypersync.leader.open_lease_ttl=2m"); // git maps files that it has replaced since
    cluster.startWorkers("a", "b");
    mount = cluster.mount("a");
    other = cluster.mount("b");
  }

  @AfterEach
  void takeItAway() throws Exception {
    var _ = cluster.hypersync("umount", "--force", mount.toString());
    cluster.close();
  }

  @Test
  @LongVersion
  void oneProcessServesAndEachCallIsThereOnce() throws Exception {
    WriteLoad.prepare(mount);
    Path repository = Files.createDirectory(mount.resolve("repository"));
    Git.must(repository, "init", "--quiet");
    AtomicReference<@Nullable Throwable> seen = new AtomicReference<>();
    int[] commits = {0};
    List<Thread> users =
        List.of(
            user(seen, () -> commit(repository, commits[0]++)),
            user(seen, ManyHandOversTest.this::scan));
    WriteLoad load = WriteLoad.start(List.of(mount, mount, other), Duration.ofMillis(5));
    int descriptors = descriptors(pid());
    long keeperKib = keeperKib();
    try (load) {
      for (int i = 0; i < ROUNDS; i++) {
        Round round = Round.values()[i % Round.values().length];
        int before = status().path("generation").asInt();
        run(round);
        assertEquals(
            before + round.taken,
            status().path("generation").asInt(),
            round + ": no other process");
        load.awaitProgress(30);
        assertTrue(seen.get() == null, () -> round + ": a program saw " + seen.get());
      }
    }
    stopped = true;
    for (Thread user : users) {
      user.join();
    }
    if (seen.get() != null) {
      throw new AssertionError("a program saw a hand-over", seen.get());
    }
    assertEquals(0, load.unknown(), "calls with an unknown outcome");
    assertEquals(0, load.refused(), "calls that were refused");
    cluster.settle("b");
    load.check(mount);
    load.check(other);
    assertEquals("", Git.must(repository, "status", "--porcelain"));
    assertEquals(
        Integer.toString(commits[0]), Git.must(repository, "rev-list", "--count", "HEAD").strip());
    Git.must(repository, "fsck", "--strict");
    System.out.printf(
        "pauses, ms: of hand-overs %s; of deaths %s; descriptors of the worker %d to %d, KiB of the"
            + " keeper %d to %d%n",
        figures(handOverMs),
        figures(deathMs),
        descriptors,
        descriptors(pid()),
        keeperKib,
        keeperKib());
    assertTrue(descriptors(pid()) < descriptors + SPARE_DESCRIPTORS, "descriptors do not pile up");
    assertTrue(keeperKib() < keeperKib + SPARE_KEEPER_KIB, "nor does memory");
  }

  private void run(Round round) throws Exception {
    Moment moment = round.heldAt;
    if (round == Round.WORKER_IS_KILLED) {
      long pid = pid();
      kill(pid);
      awaitAnother(pid);
      deathMs.add(pauseMs());
    } else if (moment == null) {
      handOver("");
    } else if (round.isOfWorker) {
      handOver(moment + ":1"); // one that will be held when it is to leave
      long pid = pid();
      int held = held(moment);
      Thread upgrade = Thread.ofVirtual().start(() -> upgrade(launcher("")));
      Await.until("it is held", () -> held(moment) > held);
      kill(pid);
      awaitAnother(pid);
      upgrade.join();
      deathMs.add(pauseMs());
    } else {
      long pid = pid();
      int held = held(moment);
      AtomicReference<@Nullable Shell> said = new AtomicReference<>();
      String launcher = launcher(moment + ":1");
      Thread upgrade = Thread.ofVirtual().start(() -> said.set(upgrade(launcher)));
      Await.until("it is held", () -> held(moment) > held);
      kill(Long.parseLong(Files.readString(Path.of(launcher + ".pid")).strip()));
      upgrade.join();
      Shell ended = said.get();
      assertTrue(ended != null && ended.exit() == 1, "the command says that it has failed");
      if (round == Round.SUCCESSOR_DIES_BEFORE_IT_IS_READY) {
        assertEquals(pid, pid(), "the worker serves on");
      } else {
        awaitAnother(pid);
        assertEquals("fell_back", status().path("succession").path("how").asText());
        deathMs.add(pauseMs());
      }
    }
  }

  /** A clean one, by a launcher that sets this fault for the process that serves then. */
  private void handOver(String fault) throws Exception {
    long before = pid();
    Shell said = upgrade(launcher(fault));
    assertEquals(0, said.exit(), () -> said.output() + cluster.logs());
    assertNotEquals(before, pid());
    assertTrue(ProcessHandle.of(before).isEmpty(), "the process of before has ended");
    assertEquals("handed_over", status().path("succession").path("how").asText());
    handOverMs.add(pauseMs());
  }

  private void awaitAnother(long before) throws Exception {
    Await.until(
        "another process serves",
        () ->
            admin().ask("status") instanceof AdminClient.Reply.Result(JsonNode status)
                && status.path("pid").asLong() != before
                && status.path("mounted").asBoolean()
                && !status.path("succession").isNull()
                && !status.path("read_only").asBoolean());
    assertTrue(status().path("outlives_worker").asBoolean(), "and so it can go on");
  }

  private String launcher(String fault) {
    Path launcher = cluster.root().resolve("launcher-" + ++launchers);
    try {
      Files.writeString(
          launcher,
          "#!/bin/sh\n"
              + (fault.isEmpty()
                  ? "unset HYPERSYNC_FAULT_HOLD_AT\n"
                  : "HYPERSYNC_FAULT_HOLD_AT=" + fault + "\nexport HYPERSYNC_FAULT_HOLD_AT\n")
              + "echo $$ >"
              + launcher
              + ".pid\nexec "
              + String.join(" ", ChildJvm.command(List.of()))
              + " \"$@\"\n");
      Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    return launcher.toString();
  }

  private int held(Moment moment) {
    return cluster.worker("a").log().split("held at " + moment, -1).length - 1;
  }

  /** Without a process for it: see {@link HandOverTest}. */
  private static void kill(long pid) {
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  private Shell upgrade(String launcher) {
    try {
      return cluster.hypersync("worker", "upgrade", "--mount", mount.toString(), launcher);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private Thread user(AtomicReference<@Nullable Throwable> seen, Use use) {
    return Thread.ofPlatform()
        .start(
            () -> {
              try {
                while (!stopped) {
                  use.once();
                }
              } catch (Exception | Error e) {
                seen.compareAndSet(null, e);
              }
            });
  }

  @FunctionalInterface
  private interface Use {
    void once() throws Exception;
  }

  private static void commit(Path repository, int number) throws Exception {
    Files.writeString(repository.resolve("file" + number), "content " + number);
    Git.must(repository, "add", "-A");
    Git.must(repository, "commit", "--quiet", "-m", "commit " + number);
  }

  /** As an editor looks for what has changed: all names, and their attributes. */
  private void scan() throws Exception {
    try (Stream<Path> all = Files.list(mount.resolve("created"))) {
      for (Path each : all.toList()) {
        var _ = Files.size(each);
      }
    }
    Thread.sleep(20);
  }

  private AdminClient admin() {
    return new AdminClient(
        new RunDirectory(cluster.runDirectory())
            .workerSocket(cluster.workspace().id(), new WorkerId("a")),
        ASK_LIMIT);
  }

  private JsonNode status() {
    return admin().call("status", JsonNodeFactory.instance.objectNode());
  }

  private long pid() {
    return status().path("pid").asLong();
  }

  private long pauseMs() {
    return status().path("succession").path("pause_ms").asLong();
  }

  private static int descriptors(long pid) throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc", Long.toString(pid), "fd"))) {
      return (int) open.count();
    }
  }

  private long keeperKib() {
    return ProcessHandle.allProcesses()
        .filter(ManyHandOversTest::isKeeper)
        .filter(process -> commandLine(process).contains(cluster.root().toString()))
        .mapToLong(ManyHandOversTest::residentKib)
        .max()
        .orElseThrow(() -> new AssertionError("there is no keeper"));
  }

  private static boolean isKeeper(ProcessHandle process) {
    return commandLine(process).contains("io.hypersync.worker.takeover.KeeperMain");
  }

  private static String commandLine(ProcessHandle process) {
    try {
      return Files.readString(Path.of("/proc", Long.toString(process.pid()), "cmdline"));
    } catch (IOException ended) {
      return "";
    }
  }

  private static long residentKib(ProcessHandle process) {
    try (Stream<String> lines =
        Files.lines(Path.of("/proc", Long.toString(process.pid()), "status"))) {
      return lines
          .filter(line -> line.startsWith("VmRSS:"))
          .mapToLong(line -> Long.parseLong(line.replaceAll("\\D", "")))
          .findFirst()
          .orElse(0);
    } catch (IOException ended) {
      return 0;
    }
  }

  private static String figures(List<Long> all) {
    if (all.isEmpty()) {
      return "none";
    }
    List<Long> sorted = new ArrayList<>(all);
    Collections.sort(sorted);
    return "%d: p50 %d, p99 %d, max %d"
        .formatted(
            sorted.size(),
            sorted.get(sorted.size() / 2),
            sorted.get((int) (sorted.size() * 0.99)),
            sorted.getLast());
  }
}
