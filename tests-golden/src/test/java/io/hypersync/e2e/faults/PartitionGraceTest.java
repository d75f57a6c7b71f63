package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** {@code partition_grace}: new mutations wait for a leader that is restarting (6.4). */
@RealMounts
class PartitionGraceTest {
  private TestCluster cluster;

  @AfterEach
  void takeItAway() throws Exception {
    cluster.close();
  }

  private void start(String grace) throws Exception {
    cluster =
        TestCluster.create(
            List.of(
                "hypersync.worker.leader_timeout=1s", "hypersync.worker.partition_grace=" + grace));
    cluster.startLeader();
    cluster.startWorker("a");
  }

  @Test
  void aGitCloneGoesOnThroughKilledLeaders() throws Exception {
    start("60s");
    Path source = cluster.root().resolve("source");
    Files.createDirectory(source);
    String make =
        "git init -q . && for i in $(seq 400); do mkdir -p d$((i % 20)); head -c 3000 /dev/urandom >"
            + " d$((i % 20))/f$i; done && git add . && git -c user.name=n -c user.email=e commit -qm"
            + " all";
    Shell.must(source, "sh", "-c", make);
    Path clone = cluster.mount("a").resolve("clone");
    try (ExecutorService other = Executors.newSingleThreadExecutor()) {
      Future<Shell> git =
          other.submit(
              () ->
                  Shell.run(
                      Path.of("/"),
                      Map.of(),
                      List.of(
                          "git",
                          "clone",
                          "-q",
                          "--no-local",
                          source.toString(),
                          clone.toString())));
      int kills = 0;
      while (!git.isDone() && kills < 3) {
        Thread.sleep(400);
        cluster.leader().kill();
        Thread.sleep(2_500); // longer than leader_timeout
        cluster.startLeader();
        kills++;
        cluster.awaitWritable("a");
      }
      Shell done = git.get(120, TimeUnit.SECONDS);
      assertEquals(0, done.exit(), done::toString);
      assertTrue(kills > 0);
    }
    assertEquals(0, Shell.run(clone, Map.of(), List.of("git", "fsck", "--full")).exit());
    assertEquals(0, Shell.run(clone, Map.of(), List.of("git", "diff", "--quiet", "HEAD")).exit());
  }

  @Test
  void theGraceEndsAndASignalEndsTheWaitBefore() throws Exception {
    start("8s");
    Path file = Files.createFile(cluster.mount("a").resolve("file"));
    Process waiting;
    try (PythonProcess python = PythonProcess.start()) {
      python.must("fd = os.open('" + file + "', os.O_RDWR)");
      cluster.leader().kill();
      cluster.worker("a").await("miss its leader", status -> status.path("read_only").asBoolean());
      waiting = new ProcessBuilder("env", "--default-signal=INT", "mkdir", file + ".dir").start();
      Thread.sleep(500);
      assertTrue(waiting.isAlive(), "it waits");
      Shell.must(Path.of("/"), "kill", "-INT", Long.toString(waiting.pid()));
      assertTrue(waiting.waitFor(3, TimeUnit.SECONDS), "SIGINT");
      python.must("assert os.read(fd, 1) == b''"); // reads go on
      python.must("begun = time.monotonic()");
      assertEquals("EROFS", python.run("os.write(fd, b'x')"));
      python.must("assert 1 < time.monotonic() - begun < 9, time.monotonic() - begun");
      python.must("begun = time.monotonic()");
      assertEquals("EROFS", python.run("os.write(fd, b'x')"));
      assertEquals("EROFS", python.run("os.open('" + file + "', os.O_RDWR)"));
      python.must("assert time.monotonic() - begun < 1");
    }
    cluster.startLeader();
    cluster.awaitWritable("a");
    assertFalse(Files.exists(Path.of(file + ".dir")), "what was ended has not happened");
    Await.until(
        "nothing is kept",
        () -> cluster.worker("a").status().path("pending_mutations").asInt() == 0);
  }

  @Test
  void callsThatWaitAreMadeWhenTheLeaderIsBack() throws Exception {
    start("60s");
    Path file = Files.createFile(cluster.mount("a").resolve("file"));
    cluster.leader().kill();
    cluster.worker("a").await("miss its leader", status -> status.path("read_only").asBoolean());
    try (ExecutorService many = Executors.newFixedThreadPool(20)) {
      List<Future<?>> calls = new ArrayList<>();
      for (int i = 0; i < 20; i++) {
        int n = i;
        calls.add(
            many.submit(
                () ->
                    n % 2 == 0
                        ? Files.writeString(Path.of(file + "." + n), "text")
                        : Files.createDirectory(Path.of(file + ".dir." + n))));
      }
      Thread.sleep(1_000);
      assertTrue(calls.stream().noneMatch(Future::isDone), "they wait");
      assertTrue(Files.exists(file), "reads do not");
      cluster.startLeader();
      for (Future<?> call : calls) {
        call.get(30, TimeUnit.SECONDS);
      }
    }
    try (Stream<Path> names = Files.list(file.getParent())) {
      assertEquals(21, names.count());
    }
  }
}
