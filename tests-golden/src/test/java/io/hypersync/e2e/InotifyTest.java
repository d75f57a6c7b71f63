package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.worker.daemon.inotify.ShadowMain;
import java.io.IOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * inotify on one mount reports what processes do through another (docs/inotify.md): the cases are
 * in {@code inotify/cases.py}.
 */
@RealMounts
class InotifyTest {
  private static final List<String> SETTINGS =
      List.of("hypersync.worker.leader_timeout=15s", "hypersync.worker.inotify=true");

  @RegisterExtension final FabricExtension extension = new FabricExtension(SETTINGS);

  @ParameterizedTest
  @ValueSource(
      strings = {"names", "moves", "contents", "itself", "follow", "masks", "fast", "late"})
  void holds(String name) throws Exception {
    Fabric fabric = extension.get();
    run(fabric, name);
    fabric.assertSameRoots("a", "b");
    JsonNode counters = fabric.worker("b").status().path("inotify");
    assertEquals(0, counters.path("dropped").asLong(), counters::toString);
    assertEquals(0, counters.path("given_up").asLong(), counters::toString);
    assertTrue(counters.path("shadow_calls").asLong() > 0, counters::toString);
  }

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
    run(fabric, "names");
    fabric.assertSameRoots("a", "b");
  }

  @Test
  void aShadowThatIsKilledIsReplaced() throws Exception {
    Fabric fabric = extension.get();
    run(fabric, "names");
    long shadow = shadowOf(fabric.worker("b"));
    Shell.must(fabric.root(), "kill", "-9", Long.toString(shadow));
    run(fabric, "contents");
    assertFalse(shadow == shadowOf(fabric.worker("b")), "another process");
    fabric.worker("b").terminate();
    assertEquals(0, fabric.worker("b").awaitExit(Await.LIMIT));
    assertEquals(List.of(), shadows(fabric), "an orderly stop leaves no process");
    assertFalse(
        Files.readString(Path.of("/proc/self/mountinfo")).contains(fabric.mount("b").toString()));
  }

  private static void run(Fabric fabric, String name) throws Exception {
    Shell.must(
        fabric.root(),
        "python3",
        "-B",
        script(),
        name,
        fabric.mount("a").toString(),
        fabric.mount("b").toString());
  }

  private static Process start(Fabric fabric, String name) throws Exception {
    return new ProcessBuilder(
            "python3",
            "-B",
            script(),
            name,
            fabric.mount("a").toString(),
            fabric.mount("b").toString())
        .redirectErrorStream(true)
        .redirectOutput(ProcessBuilder.Redirect.DISCARD)
        .start();
  }

  /** The shadow process of a worker that has one. */
  private static long shadowOf(DaemonJvm worker) {
    return ProcessHandle.of(worker.pid())
        .orElseThrow()
        .children()
        .mapToLong(ProcessHandle::pid)
        .findFirst()
        .orElseThrow(() -> new AssertionError("no shadow process"));
  }

  private static boolean isAlive(long pid) {
    return ProcessHandle.of(pid).map(ProcessHandle::isAlive).orElse(false);
  }

  /** Processes on the mounts of this workspace, by their command lines. */
  static List<String> shadows(Fabric fabric) throws IOException, InterruptedException {
    return Shell.must(fabric.root(), "ps", "-eo", "args")
        .lines()
        .filter(line -> line.contains(ShadowMain.class.getName()))
        .filter(line -> line.contains(fabric.root().toString()))
        .toList();
  }

  private static String script() throws URISyntaxException {
    URL found = Objects.requireNonNull(InotifyTest.class.getResource("/inotify/cases.py"));
    return Path.of(found.toURI()).toString();
  }
}
