package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * The state of a leader and a worker is accessible to its owner only, whatever umask they start
 * with.
 */
@RealMounts
class OwnerOnlyStateTest {
  private static final int OTHERS = 077;

  @Test
  void nothingThatDaemonsKeepIsOpenToOthers() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a")) {
      work(cluster.mount("a"));
      assertEquals(List.of(), open(cluster), "as they are made");
      assertEquals(0755, mode(cluster.mount("a").getParent()), "the way to the mount");
      assertEquals(01777, mode(cluster.mount("a").resolveSibling("a.local")), "the local folder");

      cluster.worker("a").terminate();
      cluster.worker("a").awaitExit(Await.LIMIT);
      cluster.leader().terminate();
      cluster.leader().awaitExit(Await.LIMIT);
      Path outside = Files.writeString(cluster.root().resolve("outside"), "not theirs");
      Files.setAttribute(outside, "unix:mode", 0644);
      for (Path kept : kept(cluster)) {
        Shell.must(cluster.root(), "chmod", "-R", "a+rwX", kept.toString());
      }
      Files.createSymbolicLink(cluster.stateDir("a").resolve("chunks/link"), outside);
      assertTrue(open(cluster).size() > 5, "now they are open");

      cluster.startLeader();
      cluster.startWorker("a");
      assertEquals(List.of(), open(cluster), "as an earlier version has left them");
      assertEquals(0644, mode(outside), "what a link leads to");
    }
  }

  /** Files that callers create have the modes that the callers chose. */
  private static void work(Path mount) throws Exception {
    Shell.must(mount, "sh", "-c", "umask 022; echo x >file; mkdir dir; umask 0; echo y >open");
    assertEquals(0644, mode(mount.resolve("file")));
    assertEquals(0755, mode(mount.resolve("dir")));
    assertEquals(0666, mode(mount.resolve("open")));
    Files.write(mount.resolve("large"), new byte[1 << 20]);
    Shell.must(mount, "sh", "-c", "head -c 3000000 /dev/urandom >random; sync random");
  }

  private static List<Path> kept(TestCluster cluster) {
    Path workspace = cluster.workspace().root();
    return List.of(
        cluster.workspace().stateDir(),
        cluster.stateDir("a"),
        workspace.resolve("ca"),
        workspace.resolve("leader"),
        workspace.resolve("tokens"));
  }

  /** Files that other users can access, with their modes. */
  private static List<String> open(TestCluster cluster) throws IOException {
    List<String> open = new ArrayList<>();
    List<Path> roots = new ArrayList<>(kept(cluster));
    roots.add(cluster.runDirectory());
    for (Path root : roots) {
      Files.walkFileTree(
          root,
          new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path dir, BasicFileAttributes attributes)
                throws IOException {
              look(dir);
              return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
              if (!attributes.isSymbolicLink()) {
                look(file);
              }
              return FileVisitResult.CONTINUE;
            }

            // The daemons are running: a file may have been removed.
            @Override
            public FileVisitResult visitFileFailed(Path file, IOException gone) {
              return FileVisitResult.CONTINUE;
            }

            private void look(Path path) throws IOException {
              if (Files.exists(path) && (mode(path) & OTHERS) != 0) {
                open.add("%s %04o".formatted(path, mode(path)));
              }
            }
          });
    }
    return open;
  }

  private static int mode(Path path) throws IOException {
    return (int) Files.getAttribute(path, "unix:mode", LinkOption.NOFOLLOW_LINKS) & 07777;
  }
}
