package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.InotifyWatcher;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * Shadow calls (docs/inotify.md) when the worker, or the process that makes them, is killed or held
 * up.
 */
@RealMounts
class InotifyCrashTest {
  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.mended(InotifyTest.SETTINGS);

  @Test
  void aKilledWorkerTakesItsShadowAlong() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path b = cluster.mount("b");
    Process busy = start(cluster, "fast");
    try {
      cluster
          .worker("b")
          .await("make calls", status -> status.at("/inotify/shadow_calls").asLong() > 100);
      long shadow = shadowOf(cluster.worker("b"));
      cluster.worker("b").kill();
      Await.until("the shadow process ends", () -> !isAlive(shadow));
    } finally {
      busy.destroyForcibly().waitFor();
    }
    Shell umount = cluster.hypersync("umount", b.toString());
    assertEquals(0, umount.exit(), umount.output());
    cluster.startWorker("b");
    InotifyTest.run(cluster, "names");
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aShadowThatIsKilledIsReplaced() throws Exception {
    TestCluster cluster = CLUSTER.get();
    InotifyTest.run(cluster, "names");
    long shadow = shadowOf(cluster.worker("b"));
    Shell.must(cluster.root(), "kill", "-9", Long.toString(shadow));
    InotifyTest.run(cluster, "contents");
    assertFalse(shadow == shadowOf(cluster.worker("b")), "another process");
    cluster.worker("b").terminate();
    assertEquals(0, cluster.worker("b").awaitExit(Await.LIMIT));
    assertEquals(List.of(), InotifyTest.shadows(cluster), "an orderly stop leaves no process");
    assertFalse(
        Files.readString(Path.of("/proc/self/mountinfo")).contains(cluster.mount("b").toString()));
  }

  /**
   * To report that a name was made the kernel must look it up anew. What has been mounted on it, or
   * below it, since it was made is worth more than the event.
   */
  @Test
  void whatIsMountedMeanwhileStaysThoughItsNameIsReportedLate() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path onA = Files.createDirectory(cluster.mount("a").resolve("watched"));
    Path onB = cluster.mount("b").resolve("watched");
    Path outside = Files.createDirectory(cluster.root().resolve("outside"));
    Path mask = Files.createFile(outside.resolve("mask"));
    cluster.settle("b");
    Await.until("it is visible", () -> Files.isDirectory(onB));
    try (InotifyWatcher watcher = InotifyWatcher.of(onB);
        PythonProcess sandbox =
            PythonProcess.start(List.of("unshare", "--mount", "--propagation", "private"))) {
      Files.createFile(onA.resolve("first"));
      watcher.awaitEvents("CREATE first");
      String shadow = Long.toString(shadowOf(cluster.worker("b")));
      Shell.must(cluster.root(), "kill", "-STOP", shadow);
      try {
        List<String> bound = List.of("bound", "deep/inner", "moved/inner");
        for (String directory : bound) {
          Files.createDirectories(onA.resolve(directory));
        }
        Files.createDirectory(onA.resolve("private"));
        Files.writeString(onA.resolve("masked"), "1");
        Files.createFile(onA.resolve("last"));
        Await.until("all is visible", () -> Files.exists(onB.resolve("last")));
        for (String directory : bound) {
          mountBound(outside, onB.resolve(directory));
        }
        mountBound(mask, onB.resolve("masked"));
        sandbox.must("import subprocess");
        sandbox.must(
            "subprocess.run(['mount', '-t', 'tmpfs', 'x', '%s'], check=True)"
                .formatted(onB.resolve("private")));
        Files.writeString(onA.resolve("masked"), "2");
        Files.move(onA.resolve("moved"), onA.resolve("moved again"));
        Shell.must(cluster.root(), "kill", "-CONT", shadow);
        Files.createFile(onA.resolve("very last"));
        watcher.awaitEvents("CREATE last", "CREATE very last");

        String table = Files.readString(Path.of("/proc/self/mountinfo"));
        for (String name : List.of("bound", "deep/inner", "moved\\040again/inner", "masked")) {
          assertTrue(table.contains(" " + onB + "/" + name + " "), name + " in " + table);
        }
        assertTrue(Files.exists(onB.resolve("bound/mask")));
        assertTrue(Files.exists(onB.resolve("deep/inner/mask")));
        assertTrue(Files.exists(onB.resolve("moved again/inner/mask")));
        sandbox.must(
            "assert os.path.ismount('%s'), open('/proc/self/mountinfo').read()"
                .formatted(onB.resolve("private")));
        assertTrue(
            Files.getLastModifiedTime(mask).toMillis() > 0,
            "a file outside has the times that only its event was for");
      } finally {
        Shell.must(cluster.root(), "kill", "-CONT", shadow);
        for (Path mounted : mountedIn(onB)) {
          Shell.must(cluster.root(), "umount", mounted.toString());
        }
      }
    }
    assertTrue(cluster.worker("b").status().at("/inotify/given_up").asLong() > 0);
  }

  private static void mountBound(Path what, Path where) throws Exception {
    Shell.must(Path.of("/"), "mount", "--bind", what.toString(), where.toString());
  }

  private static List<Path> mountedIn(Path directory) throws IOException {
    return MountTable.read().inside(directory).reversed();
  }

  private static Process start(TestCluster cluster, String name) throws Exception {
    return new ProcessBuilder(
            "python3",
            "-B",
            InotifyTest.script(),
            name,
            cluster.mount("a").toString(),
            cluster.mount("b").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** The pid of a worker's shadow process; fails if there is none. */
  private static long shadowOf(DaemonJvm worker) {
    return worker.helper("ShadowMain").pid();
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }
}
