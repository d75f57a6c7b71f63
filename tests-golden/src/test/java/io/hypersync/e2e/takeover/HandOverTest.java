package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * {@code worker restart} and {@code worker upgrade}: another process goes on with the mount, which
 * was up before the one of before has ended (decision 053).
 */
@RealMounts
class HandOverTest {
  /** With each build; -Dhypersync.tests.handovers=20 for more. */
  private static final int HAND_OVERS = Integer.getInteger("hypersync.tests.handovers", 4);

  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  /** A worker each; the leader is the same for all, so that it is not waited for each time. */
  private static final AtomicInteger WORKERS = new AtomicInteger();

  private static TestCluster cluster;
  private final String worker = "a" + WORKERS.incrementAndGet();
  private final List<String> others = new ArrayList<>();
  private Path mount;

  @BeforeAll
  static void aLeader() throws Exception {
    cluster =
        TestCluster.create(
            List.of(
                "hypersync.worker.leader_timeout=15s", "hypersync.worker.takeover_timeout=30s"));
    cluster.startLeader("--set", "hypersync.leader.lock_ttl=30s");
  }

  @BeforeEach
  void aMount() throws Exception {
    mount = cluster.mount(worker);
  }

  @AfterEach
  void takeItAway() throws Exception {
    for (String other : others) {
      var _ = cluster.hypersync("umount", "--force", cluster.mount(other).toString());
    }
    var _ = cluster.hypersync("umount", "--force", mount.toString());
  }

  @AfterAll
  static void takeAllAway() throws Exception {
    cluster.close();
  }

  @Test
  @Timeout(value = 1_200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void programsSeeAPauseAndNothingElse(TestReporter reporter) throws Exception {
    cluster.startWorker(worker);
    Path repository = Files.createDirectory(mount.resolve("repository"));
    Git.must(repository, "init", "--quiet");
    Files.createDirectory(mount.resolve("stands"));
    Files.writeString(mount.resolve("locked"), "x");
    int commits = 0;
    List<Long> pauses = new ArrayList<>();
    try (Appends appends = Appends.start(mount.resolve("numbers-" + worker));
        PythonProcess user = PythonProcess.start();
        PythonProcess rival = PythonProcess.start()) {
      user.must("os.chdir('" + mount + "/stands')");
      user.must("gone = os.open('" + mount + "/gone', os.O_RDWR | os.O_CREAT)");
      user.must("os.write(gone, b'begin')");
      user.must("os.unlink('" + mount + "/gone')");
      user.must("import fcntl");
      user.must("locked = open('" + mount + "/locked', 'r+b')");
      user.must("fcntl.flock(locked, fcntl.LOCK_EX)");
      rival.must("import fcntl");
      rival.must("wanted = open('" + mount + "/locked', 'r+b')");
      for (int round = 1; round <= HAND_OVERS; round++) {
        appends.awaitProgress();
        long before = status().path("pid").asLong();
        JsonNode said = restart();
        assertEquals(round + 1, said.path("generation").asInt());
        assertNotEquals(before, said.path("pid").asLong());
        assertEquals("handed_over", said.path("succession").path("how").asText());
        pauses.add(said.path("succession").path("pause_ms").asLong());
        assertTrue(ProcessHandle.of(before).isEmpty(), "the process of before has ended");
        Files.writeString(repository.resolve("file" + round), "content " + round);
        Git.must(repository, "add", "-A");
        Git.must(repository, "commit", "--quiet", "-m", "commit " + round);
        commits++;
        user.must("assert os.getcwd() == '" + mount + "/stands'");
        user.must("os.write(gone, b'!')");
        user.must("assert os.pread(gone, 100, 0) == b'begin' + b'!' * " + round);
        assertEquals("EAGAIN", rival.run("fcntl.flock(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB)"));
      }
      user.must("fcntl.flock(locked, fcntl.LOCK_UN)");
      rival.must("fcntl.flock(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB)");
      appends.end();
      reporter.publishEntry("pauses of the keeper, ms", pauses.toString());
      reporter.publishEntry("longest append, ms", Long.toString(appends.longestMs()));
      appends.check();
    }
    assertEquals(
        Integer.toString(commits), Git.must(repository, "rev-list", "--count", "HEAD").strip());
    Git.must(repository, "fsck", "--strict");
    assertTrue(status().path("outlives_worker").asBoolean(), "and so it can go on");
  }

  @Test
  void aSuccessorThatFailsLeavesTheWorkerServing() throws Exception {
    cluster.startWorker(worker);
    long pid = status().path("pid").asLong();
    Shell ended = cluster.hypersync("worker", "upgrade", "/bin/false");
    assertEquals(1, ended.exit(), ended.output());
    assertTrue(
        ended.output().contains("ended with exit code 1 before it was ready"), ended.output());
    Shell missing = cluster.hypersync("worker", "upgrade", "/no/such/hypersync");
    assertTrue(missing.output().contains("/no/such/hypersync is no program"), missing.output());
    Path chunks = cluster.stateDir(worker).resolve("chunks");
    Path aside = chunks.resolveSibling("aside");
    Files.move(chunks, aside);
    Shell deleted = cluster.hypersync("worker", "restart");
    assertTrue(deleted.output().contains("has no chunks any more"), deleted.output());
    Files.move(aside, chunks);
    JsonNode status = status();
    assertEquals(pid, status.path("pid").asLong());
    assertTrue(status.path("restart_failed").asText().contains("chunks"), status::toString);
    Files.writeString(mount.resolve("f-" + worker), "served");
    assertEquals(2, restart().path("generation").asInt(), "and another one takes over");
    assertEquals("served", Files.readString(mount.resolve("f-" + worker)));
  }

  @Test
  void whatWouldBreakProgramsIsRefused() throws Exception {
    cluster.putSettings(worker, "hypersync.worker.takeover_timeout=0s");
    cluster.startWorker(worker);
    Shell off = cluster.hypersync("worker", "restart");
    assertEquals(1, off.exit());
    assertTrue(off.output().contains("takeover_timeout"), off.output());
    assertTrue(off.output().contains("This worker goes on as before."), off.output());
  }

  /**
   * A thread is held up in the kernel, so the worker does not leave its mount: all of it goes on,
   * also what follows other hosts' changes.
   */
  @Test
  void aHandOverThatFailsLateTakesNothingDown() throws Exception {
    cluster.putSettings(
        worker,
        "hypersync.worker.inotify=true",
        "hypersync.worker.leader_timeout=15s",
        "hypersync.worker.takeover_timeout=30s");
    cluster.startWorker(worker, Map.of("HYPERSYNC_FAULT_HOLD_AT", "NAMES_DROPPED:1"));
    String other = worker + "b";
    others.add(other);
    cluster.startWorker(other);
    long pid = status().path("pid").asLong();
    Path here = Files.createDirectory(mount.resolve("late"));
    Path there = cluster.mount(other).resolve("late");
    Files.createDirectories(here.resolve("from/inside"));
    Files.createFile(here.resolve("known"));
    cluster.settle(other);
    try (PythonProcess user = PythonProcess.start();
        WatchService watches = FileSystems.getDefault().newWatchService()) {
      user.must("os.chdir('" + here + "/from/inside')");
      var _ = here.register(watches, StandardWatchEventKinds.ENTRY_CREATE);
      Files.delete(there.resolve("known"));
      cluster.worker(worker).awaitSaying("held at NAMES_DROPPED");
      Shell said = cluster.hypersync("worker", "restart", "--mount", mount.toString());
      assertEquals(1, said.exit(), said::output);
      assertTrue(said.output().contains("holds up this one in the kernel"), said::output);
      assertEquals(pid, status().path("pid").asLong());

      Files.move(there.resolve("from"), there.resolve("to"));
      Await.same(
          "a process in the moved directory finds itself",
          "ok",
          () -> user.run("assert os.getcwd() == '" + here + "/to/inside'"));
      Await.until(
          "a watcher hears of another host's file",
          () -> {
            Files.writeString(there.resolve("new" + System.nanoTime()), "");
            WatchKey key = watches.poll(1, TimeUnit.SECONDS);
            return key != null;
          });
    }
  }

  /** The keeper knows by itself that the worker has to end, also without the successor. */
  @Test
  void aWorkerThatHasLeftAndHangsIsKilledThoughItsSuccessorHasDied() throws Exception {
    cluster.startWorker(worker, Map.of("HYPERSYNC_FAULT_HOLD_AT", "MOUNT_LEFT:1"));
    long pid = status().path("pid").asLong();
    Path launcher = launcher("TURN_CAME");
    try (Appends appends = Appends.start(mount.resolve("left"))) {
      appends.awaitProgress();
      Thread upgrade =
          Thread.ofVirtual()
              .start(
                  () ->
                      quietly(
                          "worker", "upgrade", "--mount", mount.toString(), launcher.toString()));
      cluster.worker(worker).awaitSaying("held at MOUNT_LEFT");
      kill(successor());
      awaitGeneration(2);
      upgrade.join();
      assertNotEquals(pid, status().path("pid").asLong());
      assertEquals("fell_back", status().path("succession").path("how").asText());
      appends.awaitProgress();
      appends.end();
      appends.check();
    }
  }

  /**
   * The successor may not write before the kernel has let go of what it had cached, memory maps
   * included (decision 063): calls wait, and nobody sees an error.
   */
  @Test
  void whereAllIsVisibleEverywhereCallsWaitUntilTheKernelHasNothingOld() throws Exception {
    cluster.hypersync("visibility", "everywhere").orFail("visibility");
    try (PythonProcess user = PythonProcess.start()) {
      cluster.startWorker(worker);
      String other = worker + "b";
      others.add(other);
      cluster.startWorker(other);
      Path file = mount.resolve("mapped");
      Files.writeString(file, "x".repeat(4_096));
      user.must("import mmap");
      user.must("opened = open('" + file + "', 'rb')");
      user.must("mapped = mmap.mmap(opened.fileno(), 4096, mmap.MAP_SHARED, mmap.PROT_READ)");
      user.must("assert mapped[0:1] == b'x'");
      try (Appends appends = Appends.start(mount.resolve("everywhere"))) {
        appends.awaitProgress();
        JsonNode said = restart();
        assertEquals("handed_over", said.path("succession").path("how").asText());
        appends.awaitProgress();
        appends.end();
        appends.check();
      }
      Files.createFile(mount.resolve("writable"));
      Files.writeString(cluster.mount(other).resolve("mapped"), "new", StandardOpenOption.WRITE);
      user.must("assert mapped[0:4] == b'newx'");
      JsonNode visibility = cluster.leader().status().path("visibility");
      assertTrue(visibility.path("in_force").asBoolean(), visibility::toString);
    } finally {
      cluster.hypersync("visibility", "own").orFail("visibility");
    }
  }

  @Test
  void oneHandOverAtATime() throws Exception {
    cluster.startWorker(worker, Map.of("HYPERSYNC_FAULT_HOLD_AT", "SUCCESSOR_READY:1"));
    AdminClient admin = admin();
    AdminClient.Reply first = admin.ask("restart");
    assertTrue(first instanceof AdminClient.Reply.Result, () -> first + cluster.logs());
    Shell second = cluster.hypersync("worker", "restart");
    assertEquals(1, second.exit());
    assertTrue(second.output().contains("is starting already"), second.output());
    Files.writeString(mount.resolve("f-" + worker), "served meanwhile");
  }

  /** A launcher whose process is held at a moment, and which says its number. */
  private Path launcher(String moment) throws IOException {
    Path launcher = cluster.root().resolve("launcher-" + worker);
    Files.writeString(
        launcher,
        "#!/bin/sh\nHYPERSYNC_FAULT_HOLD_AT="
            + moment
            + ":1\nexport HYPERSYNC_FAULT_HOLD_AT\necho $$ >"
            + cluster.root()
            + "/successor-"
            + worker
            + "\nexec "
            + String.join(" ", ChildJvm.command(List.of()))
            + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    return launcher;
  }

  private long successor() throws IOException {
    return Long.parseLong(Files.readString(cluster.root().resolve("successor-" + worker)).strip());
  }

  /**
   * Without a process for it: a new one closes the files that it inherits, and those on a mount
   * that nobody answers would hold it up.
   */
  private static void kill(long pid) {
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  private Shell quietly(String... words) {
    try {
      return cluster.hypersync(words);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private JsonNode restart() throws Exception {
    Shell said = cluster.hypersync("worker", "restart", "--mount", mount.toString(), "--json");
    assertEquals(0, said.exit(), () -> said.output() + cluster.logs());
    return new ObjectMapper().readTree(said.output().substring(said.output().indexOf("{")));
  }

  private AdminClient admin() {
    return new AdminClient(
        new RunDirectory(cluster.runDirectory())
            .workerSocket(cluster.workspace().id(), new WorkerId(worker)),
        ASK_LIMIT);
  }

  private JsonNode status() {
    return admin().call("status", JsonNodeFactory.instance.objectNode());
  }

  private void awaitGeneration(int generation) throws Exception {
    Await.until(
        "process number " + generation + " serves",
        () ->
            admin().ask("status") instanceof AdminClient.Reply.Result(JsonNode status)
                && status.path("generation").asInt() == generation
                && status.path("mounted").asBoolean());
  }
}
