package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.WriteLoad;
import io.hypersync.runtime.admin.AdminClient;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.Timeout;

/**
 * Workers are killed while programs use their mounts: programs wait a moment, and see nothing of it
 * (hypersync.md 6.3, 6.4, 8.2).
 */
@RealMounts
class WorkerTakeoverTest {
  /** Of a worker under each load; -Dhypersync.tests.takeovers=50 for more. */
  private static final int KILLS = Integer.getInteger("hypersync.tests.takeovers", 4);

  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  private TestCluster cluster;

  @BeforeEach
  void aMountThatOutlivesItsWorker() throws Exception {
    cluster =
        TestCluster.create(
            List.of(
                "hypersync.worker.leader_timeout=15s", "hypersync.worker.takeover_timeout=30s"));
    cluster.startLeader("--set", "hypersync.leader.lock_ttl=30s");
    cluster.startWorkers("a", "b");
  }

  @AfterEach
  void takeItAway() throws Exception {
    for (String worker : List.of("a", "b")) {
      var _ = cluster.hypersync("umount", "--force", cluster.mount(worker).toString());
    }
    cluster.close();
  }

  @Test
  @Timeout(value = 1_200, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
  void writersGitAndOpenFilesGoOnWhenTheWorkerIsKilled() throws Exception {
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    WriteLoad.prepare(b);
    Files.createDirectory(b.resolve("stands"));
    Files.writeString(b.resolve("locked"), "x".repeat(100));
    LookedUpFiles files = LookedUpFiles.make(b.resolve("looked-up"));
    Commits commits = new Commits(Files.createDirectory(b.resolve("repository")));
    commits.start();
    WriteLoad load = WriteLoad.start(List.of(b), Duration.ofMillis(2));
    try (load;
        PythonProcess user = PythonProcess.start();
        PythonProcess rival = PythonProcess.start()) {
      user.must("os.chdir('" + b + "/stands')");
      user.must("gone = os.open('" + b + "/gone', os.O_RDWR | os.O_CREAT)");
      user.must("os.write(gone, b'begin')");
      user.must("os.unlink('" + b + "/gone')");
      user.must("import fcntl");
      user.must("locked = open('" + b + "/locked', 'r+b')");
      user.must("fcntl.flock(locked, fcntl.LOCK_EX)");
      user.must("fcntl.lockf(locked, fcntl.LOCK_EX, 10, 20)");
      rival.must("import fcntl");
      rival.must("wanted = open('" + a + "/locked', 'r+b')");
      for (int kill = 1; kill <= KILLS; kill++) {
        load.awaitProgress(50);
        files.lookUp();
        killWorker("b", kill + 1);
        files.read();
        user.must("assert os.getcwd() == '" + b + "/stands'");
        user.must("open('here', 'a').write('x')");
        user.must("os.write(gone, b'!')");
        user.must("assert os.pread(gone, 100, 0) == b'begin' + b'!' * " + kill);
        assertEquals(
            "EAGAIN",
            rival.run("fcntl.flock(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB)"),
            "the flock lock is held, after kill " + kill);
        assertEquals(
            "EAGAIN",
            rival.run("fcntl.lockf(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB, 5, 25)"),
            "the fcntl lock is held, after kill " + kill);
      }
      user.must("fcntl.flock(locked, fcntl.LOCK_UN)");
      user.must("fcntl.lockf(locked, fcntl.LOCK_UN)");
      rival.must("fcntl.flock(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB)");
      rival.must("fcntl.lockf(wanted, fcntl.LOCK_EX | fcntl.LOCK_NB, 5, 25)");
      load.awaitProgress(50);
    }
    commits.end();
    assertEquals(0, load.unknown(), "calls with an unknown outcome");
    assertEquals(0, load.refused(), "calls that were refused");
    cluster.settle("a");
    load.check(b);
    load.check(a);
    assertEquals("", Git.must(b.resolve("repository"), "status", "--porcelain"));
    assertEquals(
        Integer.toString(commits.made()),
        Git.must(b.resolve("repository"), "rev-list", "--count", "HEAD").strip());
    Git.must(b.resolve("repository"), "fsck", "--strict");
    assertEquals("x".repeat(KILLS), Files.readString(b.resolve("stands/here")));
  }

  /** A write that the dead worker had sent must be found, and not be made again. */
  @Test
  void anAppendThatTheDeadWorkerHadSentIsThereOnce(TestReporter reporter) throws Exception {
    Path b = cluster.mount("b");
    Path file = Files.createFile(b.resolve("numbers"));
    AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    AtomicInteger written = new AtomicInteger();
    AtomicInteger stop = new AtomicInteger();
    AtomicLong longestMs = new AtomicLong();
    List<Thread> writers = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      String name = "w" + i;
      writers.add(
          Thread.ofPlatform()
              .start(
                  () -> {
                    try {
                      for (int n = 0; stop.get() == 0; n++) {
                        long begunNs = System.nanoTime();
                        Files.writeString(file, name + " " + n + "\n", StandardOpenOption.APPEND);
                        longestMs.accumulateAndGet(
                            (System.nanoTime() - begunNs) / 1_000_000, Math::max);
                        written.incrementAndGet();
                      }
                    } catch (Exception | Error e) {
                      failed.compareAndSet(null, e);
                    }
                  }));
    }
    for (int kill = 1; kill <= KILLS; kill++) {
      int before = written.get();
      Await.until("they write", () -> written.get() > before + 100 || failed.get() != null);
      killWorker("b", kill + 1);
    }
    stop.set(1);
    for (Thread writer : writers) {
      writer.join();
    }
    if (failed.get() != null) {
      throw new AssertionError("a writer saw the death of its worker", failed.get());
    }
    reporter.publishEntry("longest append, ms", longestMs.toString());
    cluster.settle("a");
    List<String> lines = Files.readAllLines(cluster.mount("a").resolve("numbers"));
    assertEquals(written.get(), lines.size(), "each append once");
    assertEquals(written.get(), lines.stream().distinct().count(), "and none twice");
  }

  @Test
  void aMountWhoseWorkerDoesNotComeBackEnds() throws Exception {
    cluster.putSettings("c", "hypersync.worker.takeover_timeout=3s");
    cluster.startWorker("c");
    Path c = cluster.mount("c");
    Files.writeString(c.resolve("f"), "c");
    Path identity = cluster.stateDir("c");
    Path aside = identity.resolveSibling("aside");
    Files.move(identity, aside);
    Files.createFile(identity); // so no worker can start
    cluster.worker("c").kill();
    Await.same(
        "its mount is dead", "ENOTCONN", () -> Errnos.of(() -> Files.readString(c.resolve("f"))));
    Files.delete(identity);
    Files.move(aside, identity);
    Shell.must(cluster.root(), "umount", "-l", c.toString());
    cluster.startWorker("c");
    assertEquals("c", Files.readString(c.resolve("f")));
    var _ = cluster.hypersync("umount", "--force", c.toString());
  }

  /** Kills the worker that serves a mount now, and waits for the one after it. */
  private void killWorker(String name, int generation) throws Exception {
    AdminClient admin = admin(name);
    long pid = status(admin).path("pid").asLong();
    Shell.must(cluster.root(), "kill", "-KILL", Long.toString(pid));
    Await.until(
        "process number " + generation + " serves the mount",
        () ->
            admin.ask("status") instanceof AdminClient.Reply.Result(JsonNode status)
                && status.path("generation").asInt() == generation
                && !status.path("read_only").asBoolean());
    assertTrue(status(admin).path("outlives_worker").asBoolean());
  }

  private AdminClient admin(String name) throws Exception {
    try (var sockets = Files.list(cluster.runDirectory())) {
      Path socket =
          sockets
              .filter(
                  path ->
                      path.getFileName().toString().startsWith("worker-")
                          && path.getFileName().toString().endsWith("-" + name + ".sock"))
              .findFirst()
              .orElseThrow();
      return new AdminClient(socket, ASK_LIMIT);
    }
  }

  private static JsonNode status(AdminClient admin) {
    return admin.call("status", JsonNodeFactory.instance.objectNode());
  }

  /** Commits one file after the other to a repository, until it is stopped. */
  private static final class Commits {
    private final Path repository;
    private final AtomicInteger made = new AtomicInteger();
    private final AtomicReference<@Nullable Throwable> failed = new AtomicReference<>();
    private final Thread thread;
    private volatile boolean stopped;

    Commits(Path repository) throws Exception {
      this.repository = repository;
      this.thread = Thread.ofPlatform().name("commits").unstarted(this::commit);
      Git.must(repository, "init", "--quiet");
    }

    void start() {
      thread.start();
    }

    private void commit() {
      try {
        while (!stopped) {
          int number = made.get();
          Files.writeString(repository.resolve("file" + number), "content " + number);
          Git.must(repository, "add", "-A");
          Git.must(repository, "commit", "--quiet", "-m", "commit " + number);
          made.incrementAndGet();
        }
      } catch (Exception | Error e) {
        failed.set(e);
      }
    }

    void end() throws InterruptedException {
      stopped = true;
      thread.join();
      if (failed.get() != null) {
        throw new AssertionError("git saw the death of its worker", failed.get());
      }
    }

    int made() {
      return made.get();
    }
  }
}
