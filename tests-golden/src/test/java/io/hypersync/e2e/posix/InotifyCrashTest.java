package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Shadow calls (docs/inotify.md) when the worker, or the process that makes them, is killed. */
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
