package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.VictimLoad;
import io.hypersync.e2e.load.WriteLoad;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers are killed, come back, and join late (hypersync.md 13, 19, 22.3 item 1). */
@RealMounts
class WorkerCrashTest {
  private static final int MUTATIONS = 150;

  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.mended(TestCluster.PATIENT);

  @Test
  void aKilledWorkerIsClearedAwayAndComesBackWithEverything() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    WriteLoad.prepare(a);
    cluster.settle("a", "b");

    WriteLoad survivor = WriteLoad.start(List.of(a));
    try (survivor) {
      survivor.awaitProgress(MUTATIONS);
      String known = Files.getLastModifiedTime(b).toString();
      cluster.worker("b").kill();
      assertEquals("ENOTCONN", Errnos.of(() -> Files.readString(b.resolve("journal"))));
      // The kernel still answers from its cache, which does not mean that the worker is alive.
      assertEquals(known, Files.getLastModifiedTime(b).toString());

      Process user = new ProcessBuilder("sleep", "300").directory(a.toFile()).start();
      try {
        Shell umount = cluster.hypersync("umount", a.toString(), b.toString());
        assertEquals(1, umount.exit(), umount.output());
        assertContains(umount.output(), a + " is in use by");
        assertContains(umount.output(), b + ", which a dead worker had left behind");
      } finally {
        user.destroyForcibly().waitFor();
      }
      assertFalse(Files.exists(b.resolve("journal")), "the mount point is an empty folder again");

      survivor.awaitProgress(MUTATIONS);
      cluster.startWorker("b");
    }
    cluster.settle("a", "b");
    survivor.check(a);
    survivor.check(b);
    cluster.assertSameRoots("a", "b");
  }

  /** A restart as by a service manager, without unmounting first. */
  @Test
  void aKilledWorkerIsSimplyStartedAgain() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path b = cluster.mount("b");
    Files.writeString(b.resolve("file"), "before");
    Process user = new ProcessBuilder("sleep", "300").directory(b.toFile()).start();
    try {
      cluster.worker("b").kill();
      Await.same(
          "its mount is dead",
          "ENOTCONN",
          () -> Errnos.of(() -> Files.readString(b.resolve("file"))));
      cluster.startWorker("b");
    } finally {
      user.destroyForcibly().waitFor();
    }
    cluster
        .worker("b")
        .awaitSaying("took the mount at " + b + " away, whose worker had been killed");
    assertEquals("before", Files.readString(b.resolve("file")));
    assertEquals(
        "1",
        Shell.must(cluster.root(), "sh", "-c", "grep -cF ' " + b + " ' /proc/self/mountinfo")
            .strip(),
        "one mount");
    cluster.settle("a", "b");
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void whatAKilledWorkerWasToldIsThereForTheOthers() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path a = cluster.mount("a");
    Path b = cluster.mount("b");
    WriteLoad.prepare(a);
    cluster.settle("a", "b");
    try (VictimLoad victim = VictimLoad.start(b.resolve("journal"))) {
      victim.awaitRecords(MUTATIONS);
      cluster.worker("b").kill();
      List<String> acknowledged = victim.end();
      cluster.settle("a");
      List<String> found = Files.readAllLines(a.resolve("journal"));
      assertEquals(
          acknowledged, found.subList(0, acknowledged.size()), "in order, and nothing lost");
      assertTrue(
          found.size() <= acknowledged.size() + 1, "one record at most was under way: " + found);
    }
  }

  @Test
  void aWorkerThatIsStoppedInOrderLeavesNoMount() throws Exception {
    TestCluster cluster = CLUSTER.get();
    ProcessHandle guard = cluster.worker("b").helper("hypersync-mount-guard");
    cluster.worker("b").terminate();
    assertEquals(0, cluster.worker("b").awaitExit(Await.LIMIT), "exit code after SIGTERM");
    assertFalse(guard.isAlive(), "its guard is gone with it");
    assertEquals(
        "nothing",
        Shell.must(
                cluster.root(),
                "sh",
                "-c",
                "grep -F ' " + cluster.mount("b") + " ' /proc/self/mountinfo || echo nothing")
            .strip());
    Files.writeString(cluster.mount("a").resolve("f"), "meanwhile");
    cluster.startWorker("b");
    assertEquals("meanwhile", Files.readString(cluster.mount("b").resolve("f")));
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aWorkerThatComesLateGetsEverythingFromTheLog() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path a = cluster.mount("a");
    WriteLoad.prepare(a);
    cluster.settle("a", "b");
    WriteLoad load = WriteLoad.start(List.of(a, cluster.mount("b")));
    try (load) {
      load.awaitProgress(MUTATIONS);
      cluster.startWorker("c");
      load.awaitProgress(MUTATIONS);
    }
    cluster.settle("a", "b", "c");
    load.check(cluster.mount("c"));
    cluster.assertSameRoots("a", "b", "c");
    Files.writeString(cluster.mount("c").resolve("f"), "from c");
    Await.same("on A", "from c", () -> Files.readString(a.resolve("f")));
  }

  private static void assertContains(String text, String part) {
    assertTrue(text.contains(part), () -> "not said: " + part + "\nbut: " + text);
  }
}
