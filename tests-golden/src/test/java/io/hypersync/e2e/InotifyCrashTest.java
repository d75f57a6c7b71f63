package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Shadow calls (docs/inotify.md) when the worker, or the process that makes them, is killed. */
@RealMounts
class InotifyCrashTest {
  @RegisterExtension final FabricExtension extension = new FabricExtension(InotifyTest.SETTINGS);

  @Test
  void aKilledWorkerTakesItsShadowAlong() throws Exception {
    Fabric fabric = extension.get();
    Path b = fabric.mount("b");
    Process busy = start(fabric, "fast");
    try {
      fabric
          .worker("b")
          .await("make calls", status -> status.at("/inotify/shadow_calls").asLong() > 100);
      long shadow = shadowOf(fabric.worker("b"));
      fabric.worker("b").kill();
      Await.until("the shadow process ends", () -> !isAlive(shadow));
    } finally {
      busy.destroyForcibly().waitFor();
    }
    Shell umount = fabric.hypersync("umount", b.toString());
    assertEquals(0, umount.exit(), umount.output());
    fabric.startWorker("b");
    InotifyTest.run(fabric, "names");
    fabric.assertSameRoots("a", "b");
  }

  @Test
  void aShadowThatIsKilledIsReplaced() throws Exception {
    Fabric fabric = extension.get();
    InotifyTest.run(fabric, "names");
    long shadow = shadowOf(fabric.worker("b"));
    Shell.must(fabric.root(), "kill", "-9", Long.toString(shadow));
    InotifyTest.run(fabric, "contents");
    assertFalse(shadow == shadowOf(fabric.worker("b")), "another process");
    fabric.worker("b").terminate();
    assertEquals(0, fabric.worker("b").awaitExit(Await.LIMIT));
    assertEquals(List.of(), InotifyTest.shadows(fabric), "an orderly stop leaves no process");
    assertFalse(
        Files.readString(Path.of("/proc/self/mountinfo")).contains(fabric.mount("b").toString()));
  }

  private static Process start(Fabric fabric, String name) throws Exception {
    return new ProcessBuilder(
            "python3",
            "-B",
            InotifyTest.script(),
            name,
            fabric.mount("a").toString(),
            fabric.mount("b").toString())
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
