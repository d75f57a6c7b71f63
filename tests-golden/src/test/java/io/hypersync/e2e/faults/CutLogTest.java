package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * After {@code cut-log}, workers continue: by themselves, or after the restart that they ask for.
 */
@RealMounts
class CutLogTest {
  @Test
  void workersUpToTheCutComeBackByThemselvesOthersSayWhatToDo() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader();
      cluster.startWorker("a");
      cluster.startWorker("b");
      Path a = cluster.mount("a");
      Path b = cluster.mount("b");
      Files.writeString(a.resolve("before"), "stays");
      cluster.settle("a", "b");
      long after = cluster.leader().status().path("commit_index").asLong();
      cluster.worker("b").terminate(); // it receives none of the later entries
      assertEquals(0, cluster.worker("b").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      Files.writeString(a.resolve("later"), "is undone");
      cluster.leader().terminate();
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");

      Shell dry = cut(cluster, after);
      assertEquals(0, dry.exit(), dry.output());
      assertTrue(dry.output().contains("Nothing was cut"), dry.output());
      Shell done = cut(cluster, after, "--yes");
      assertEquals(0, done.exit(), done.output());
      assertEquals(List.of(), open(cluster.workspace().stateDir()), "open to others");

      cluster.startLeader();
      assertEquals(after, cluster.leader().status().path("commit_index").asLong());
      cluster.startWorker("b");
      cluster.awaitWritable("b");
      assertEquals("stays", Files.readString(b.resolve("before")));
      assertFalse(Files.exists(b.resolve("later")));

      cluster
          .worker("a")
          .await(
              "say what to do",
              status -> status.path("link_reason").asText().contains("restart the worker"));
      assertEquals("is undone", Files.readString(a.resolve("later")), "reads go on meanwhile");
      cluster.worker("a").terminate();
      assertEquals(0, cluster.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.startWorker("a");
      assertFalse(Files.exists(a.resolve("later")));
      Files.writeString(a.resolve("after"), "goes on");
      cluster.settle("a", "b");
      assertEquals("goes on", Files.readString(b.resolve("after")));
      cluster.assertSameRoots("a", "b");
    }
  }

  /** Files that other users can access; there must be none, whatever the umask of the command. */
  private static List<Path> open(Path state) throws IOException {
    List<Path> open = new ArrayList<>();
    try (Stream<Path> all = Files.walk(state)) {
      for (Path path : all.toList()) {
        if (((Integer) Files.getAttribute(path, "unix:mode") & 077) != 0) {
          open.add(path);
        }
      }
    }
    return open;
  }

  private static Shell cut(TestCluster cluster, long after, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cut-log",
                "--dir",
                cluster.workspace().root().toString(),
                "--after",
                Long.toString(after)));
    arguments.addAll(List.of(more));
    return cluster.hypersync(arguments);
  }
}
