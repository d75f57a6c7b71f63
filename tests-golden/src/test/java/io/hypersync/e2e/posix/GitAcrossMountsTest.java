package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** git on several mounts, the main use of a workspace (hypersync.md 22.4). */
@RealMounts
class GitAcrossMountsTest {
  private static final int FILES = 300;
  private static final long SEED = 20260126;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path outside;

  @Test
  void aRepositoryClonedOnOneMountIsCleanAndUsableOnTheOther() throws Exception {
    cloneAndUse(CLUSTER.get(), "a", "b", outside, "project");
  }

  /**
   * Clones a repository on one mount, and works with it on both.
   *
   * @param a the worker on whose mount it is cloned
   * @param b another one
   * @param outside a folder on another filesystem
   * @param project what the clone is called
   */
  static void cloneAndUse(TestCluster cluster, String a, String b, Path outside, String project)
      throws Exception {
    Path origin = makeRepository(outside);
    Git.must(cluster.mount(a), "clone", "--quiet", "file://" + origin, project);
    cluster.settle(b);
    Path onA = cluster.mount(a).resolve(project);
    Path onB = cluster.mount(b).resolve(project);

    assertEquals("", Git.must(onB, "status", "--porcelain"), "B sees another tree than A cloned");
    assertEquals(
        Git.must(origin, "log", "--format=%H %s"),
        Git.must(onB, "log", "--format=%H %s"),
        "history on B");
    Git.must(onB, "fsck", "--full", "--strict", "--no-progress");
    assertEquals(FILES, Git.must(onB, "ls-files").lines().count());
    assertEquals(
        "", Shell.must(outside, "diff", "-r", "-x", ".git", origin.toString(), onB.toString()));

    Files.writeString(onB.resolve("src/f8.txt"), "edited on B\n");
    Await.same(
        "B's edit, read on A", "edited on B\n", () -> Files.readString(onA.resolve("src/f8.txt")));
    assertEquals(" M src/f8.txt\n", Git.must(onA, "status", "--porcelain"));

    Git.must(onB, "commit", "--quiet", "--all", "--message", "from B");
    cluster.settle(a);
    assertEquals("from B\n", Git.must(onA, "log", "-1", "--format=%s"));
    assertEquals("", Git.must(onA, "status", "--porcelain"), "A after B's commit");

    Files.writeString(onA.resolve("new.txt"), "from A\n");
    Git.must(onA, "add", "new.txt");
    Git.must(onA, "commit", "--quiet", "--message", "from A");
    Git.must(onA, "checkout", "--quiet", "-b", "side", "HEAD~2");
    Git.must(onA, "checkout", "--quiet", "main");
    Git.must(onA, "gc", "--quiet");
    cluster.settle(b);
    assertEquals("from A\nfrom B\n", Git.must(onB, "log", "-2", "--format=%s"));
    assertEquals("", Git.must(onB, "status", "--porcelain"), "B after A's gc");
    Git.must(onB, "fsck", "--full", "--strict", "--no-progress");
    cluster.assertSameRoots(a, b);
  }

  private static Path makeRepository(Path outside) throws IOException, InterruptedException {
    Path origin = Files.createDirectories(outside.resolve("origin"));
    Git.must(origin, "init", "--quiet", "--initial-branch=main");
    Random random = new Random(SEED);
    for (int commit = 0; commit < 3; commit++) {
      for (int i = commit; i < FILES; i += commit + 1) {
        Path file = origin.resolve((i % 2 == 0 ? "src/f" : "doc/deep/er/f") + i + ".txt");
        Files.createDirectories(file.getParent());
        byte[] bytes = new byte[random.nextInt(i == 0 ? 300_000 : 4_000)];
        random.nextBytes(bytes);
        Files.write(file, bytes);
      }
      Git.must(origin, "add", "--all");
      Git.must(origin, "commit", "--quiet", "--message", "step " + commit);
    }
    return origin;
  }
}
