package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Workers are killed, come back, and join late (hypersync.md 13, 19, 22.3 item 1). */
@RealMounts
class WorkerCrashTest {
  private static final int MUTATIONS = 150;

  @RegisterExtension final FabricExtension extension = new FabricExtension();

  @Test
  void aKilledWorkerIsClearedAwayAndComesBackWithEverything() throws Exception {
    Fabric fabric = extension.get();
    Path a = fabric.mount("a");
    Path b = fabric.mount("b");
    WriteLoad.prepare(a);
    fabric.settle("a", "b");

    WriteLoad survivor = WriteLoad.start(List.of(a));
    try (survivor) {
      survivor.awaitProgress(MUTATIONS);
      String known = Files.getLastModifiedTime(b).toString();
      fabric.worker("b").kill();
      assertEquals("ENOTCONN", Errnos.of(() -> Files.readString(b.resolve("journal"))));
      // The kernel still answers from its cache, which does not mean that the worker is alive.
      assertEquals(known, Files.getLastModifiedTime(b).toString());

      Process user = new ProcessBuilder("sleep", "300").directory(a.toFile()).start();
      try {
        Shell umount = fabric.hypersync("umount", a.toString(), b.toString());
        assertEquals(1, umount.exit(), umount.output());
        assertContains(umount.output(), a + " is in use by");
        assertContains(umount.output(), b + ", which a dead worker had left behind");
      } finally {
        user.destroyForcibly().waitFor();
      }
      assertFalse(Files.exists(b.resolve("journal")), "the mount point is an empty folder again");

      survivor.awaitProgress(MUTATIONS);
      fabric.startWorker("b");
    }
    fabric.settle("a", "b");
    survivor.check(a);
    survivor.check(b);
    fabric.assertSameRoots("a", "b");
  }

  /** A restart as by a service manager, without unmounting first. */
  @Test
  void aKilledWorkerIsSimplyStartedAgain() throws Exception {
    Fabric fabric = extension.get();
    Path b = fabric.mount("b");
    Files.writeString(b.resolve("file"), "before");
    Process user = new ProcessBuilder("sleep", "300").directory(b.toFile()).start();
    try {
      fabric.worker("b").kill();
      Await.same(
          "its mount is dead",
          "ENOTCONN",
          () -> Errnos.of(() -> Files.readString(b.resolve("file"))));
      fabric.startWorker("b");
    } finally {
      user.destroyForcibly().waitFor();
    }
    fabric
        .worker("b")
        .awaitSaying("took the mount at " + b + " away, whose worker had been killed");
    assertEquals("before", Files.readString(b.resolve("file")));
    assertEquals(
        "1",
        Shell.must(fabric.root(), "sh", "-c", "grep -cF ' " + b + " ' /proc/self/mountinfo")
            .strip(),
        "one mount");
    fabric.settle("a", "b");
    fabric.assertSameRoots("a", "b");
  }

  @Test
  void whatAKilledWorkerWasToldIsThereForTheOthers() throws Exception {
    Fabric fabric = extension.get();
    Path a = fabric.mount("a");
    Path b = fabric.mount("b");
    WriteLoad.prepare(a);
    fabric.settle("a", "b");
    try (VictimLoad victim = VictimLoad.start(b.resolve("journal"))) {
      victim.awaitRecords(MUTATIONS);
      fabric.worker("b").kill();
      List<String> acknowledged = victim.end();
      fabric.settle("a");
      List<String> found = Files.readAllLines(a.resolve("journal"));
      assertEquals(
          acknowledged, found.subList(0, acknowledged.size()), "in order, and nothing lost");
      assertTrue(
          found.size() <= acknowledged.size() + 1, "one record at most was under way: " + found);
    }
  }

  @Test
  void aWorkerThatIsStoppedInOrderLeavesNoMount() throws Exception {
    Fabric fabric = extension.get();
    ProcessHandle guard = fabric.worker("b").helper("hypersync-mount-guard");
    fabric.worker("b").terminate();
    assertEquals(0, fabric.worker("b").awaitExit(Await.LIMIT), "exit code after SIGTERM");
    assertFalse(guard.isAlive(), "its guard is gone with it");
    assertEquals(
        "nothing",
        Shell.must(
                fabric.root(),
                "sh",
                "-c",
                "grep -F ' " + fabric.mount("b") + " ' /proc/self/mountinfo || echo nothing")
            .strip());
    Files.writeString(fabric.mount("a").resolve("f"), "meanwhile");
    fabric.startWorker("b");
    assertEquals("meanwhile", Files.readString(fabric.mount("b").resolve("f")));
    fabric.assertSameRoots("a", "b");
  }

  @Test
  void aWorkerThatComesLateGetsEverythingFromTheLog() throws Exception {
    Fabric fabric = extension.get();
    Path a = fabric.mount("a");
    WriteLoad.prepare(a);
    fabric.settle("a", "b");
    WriteLoad load = WriteLoad.start(List.of(a, fabric.mount("b")));
    try (load) {
      load.awaitProgress(MUTATIONS);
      fabric.startWorker("c");
      load.awaitProgress(MUTATIONS);
    }
    fabric.settle("a", "b", "c");
    load.check(fabric.mount("c"));
    fabric.assertSameRoots("a", "b", "c");
    Files.writeString(fabric.mount("c").resolve("f"), "from c");
    Await.same("on A", "from c", () -> Files.readString(a.resolve("f")));
  }

  private static void assertContains(String text, String part) {
    assertTrue(text.contains(part), () -> "not said: " + part + "\nbut: " + text);
  }
}
