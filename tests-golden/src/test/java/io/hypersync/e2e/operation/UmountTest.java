package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code umount}: mounts inside the workspace, and which processes count as users. */
@RealMounts
class UmountTest {
  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.mended(TestCluster.PATIENT);

  @Test
  void aMountInsideIsNotTakenAlongInSilence() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path a = cluster.mount("a");
    Path inside = Files.createDirectory(a.resolve("node_modules"));
    Shell.must(cluster.root(), "mount", "-t", "tmpfs", "mask", inside.toString());
    Files.writeString(inside.resolve("file"), "local");

    Shell refused = cluster.hypersync("umount", a.toString());
    assertEquals(1, refused.exit(), refused.output());
    assertContains(refused.output(), inside + " is mounted inside " + a);
    assertContains(refused.output(), "--force");
    assertEquals("local", Files.readString(inside.resolve("file")), "it is there still");
    assertTrue(cluster.worker("a").isAlive());

    Shell forced = cluster.hypersync("umount", "--force", a.toString());
    assertEquals(0, forced.exit(), forced.output());
    assertContains(forced.output(), "and with it " + inside + ", which was mounted inside");
    assertEquals(0, mountsIn(a));
    cluster.worker("a").awaitExit(Await.LIMIT);
    assertFalse(Files.exists(a), "the folder that was made for the mount");
  }

  /**
   * The same path may lead elsewhere in another mount namespace, such as a container or sandbox.
   */
  @Test
  void aProcessThatHasSomethingElseAtTheSamePathIsNotCounted() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path b = cluster.mount("b");
    Process elsewhere =
        new ProcessBuilder(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount -t tmpfs other \"$1\" && cd \"$1\" && echo there && exec sleep 300",
                "sh",
                b.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals("there", elsewhere.inputReader().readLine());
      Shell umount = cluster.hypersync("umount", b.toString());
      assertEquals(0, umount.exit(), umount.output());
    } finally {
      elsewhere.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  /** A process that uses the mounted filesystem other than by a path counts. */
  @Test
  void whoHasOnlyAMapOfAFileOfTheMountIsCounted() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path file = cluster.mount("b").resolve("mapped");
    Files.writeString(file, "text");
    Process user =
        new ProcessBuilder(
                "python3",
                "-c",
                """
                import mmap, os, sys, time
                fd = os.open(sys.argv[1], os.O_RDONLY)
                kept = mmap.mmap(fd, 4, mmap.MAP_PRIVATE, mmap.PROT_READ, 0)
                os.close(fd)
                print("mapped", flush=True)
                time.sleep(300)
                """,
                file.toString())
            .redirectErrorStream(true)
            .start();
    try {
      assertEquals("mapped", user.inputReader().readLine());
      Shell umount = cluster.hypersync("umount", cluster.mount("b").toString());
      assertEquals(1, umount.exit(), umount.output());
      assertContains(umount.output(), "process " + user.pid());
    } finally {
      user.destroyForcibly().waitFor(10, TimeUnit.SECONDS);
    }
  }

  private static long mountsIn(Path folder) throws Exception {
    return Files.readAllLines(Path.of("/proc/self/mountinfo")).stream()
        .map(line -> Path.of(line.split(" ", -1)[4]))
        .filter(point -> point.startsWith(folder))
        .count();
  }

  private static void assertContains(String text, String part) {
    assertTrue(text.contains(part), () -> "not said: " + part + "\nbut: " + text);
  }
}
