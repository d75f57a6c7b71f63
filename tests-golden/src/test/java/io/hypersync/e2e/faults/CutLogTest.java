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
  private static final String[] KEEP_NOTHING = {
    "--set", "hypersync.log.retain=0s", "--set", "hypersync.log.retain_entries=0"
  };
  private static final int FILES = 100;

  @Test
  void workersUpToTheCutComeBackByThemselvesOthersSayWhatToDo() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader();
      cluster.startWorkers("a", "b");
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

  /** The oldest snapshot stands for what was trimmed; with it all can be done as before. */
  @Test
  void aTrimmedLogIsTracedAndCutAndLedFromAgain() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader(KEEP_NOTHING);
      cluster.startWorker("a");
      Path a = cluster.mount("a");
      for (int i = 0; i < FILES; i++) {
        Files.writeString(a.resolve("f" + i), "text " + i);
      }
      var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
      cluster.leader().kill(); // its next run begins another segment
      cluster.startLeader(KEEP_NOTHING);
      cluster.awaitWritable("a");
      Files.writeString(a.resolve("f0"), "changed");
      var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
      Await.until(
          "the log is trimmed",
          () -> cluster.leader().status().path("log_first_index").asLong() > 1);
      Files.writeString(a.resolve("kept"), "stays");
      long after = cluster.leader().status().path("commit_index").asLong();
      Files.writeString(a.resolve("f1"), "is undone");
      long last = cluster.leader().status().path("commit_index").asLong();
      cluster.worker("a").terminate();
      assertEquals(0, cluster.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      cluster.leader().terminate(); // takes a snapshot of what is to be undone
      assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");

      String root = cluster.workspace().root().toString();
      Shell checked = cluster.hypersync("trace", "--dir", root, "--check");
      assertEquals(0, checked.exit(), checked.output());
      assertTrue(checked.output().contains(" behind the snapshot of entry "), checked.output());
      String trace = cluster.workspace().root().resolve("trimmed.trace").toString();
      var _ = cluster.hypersync("trace", "--dir", root, "--out", trace).orFail("trace");
      Shell replayed = cluster.hypersync("replay", trace);
      assertEquals(0, replayed.exit(), replayed.output());
      assertTrue(replayed.output().contains("begins with the state after entry"), replayed::output);

      Shell dry = cut(cluster, after);
      assertEquals(0, dry.exit(), dry.output());
      assertTrue(dry.output().contains("cut      " + (last - after) + " entries"), dry.output());
      Shell done = cut(cluster, after, "--yes");
      assertEquals(0, done.exit(), done.output());

      cluster.startLeader(KEEP_NOTHING);
      assertEquals(after, cluster.leader().status().path("commit_index").asLong());
      cluster.startWorker("b");
      Path b = cluster.mount("b");
      assertEquals("stays", Files.readString(b.resolve("kept")));
      assertEquals("changed", Files.readString(b.resolve("f0")));
      for (int i = 1; i < FILES; i++) {
        assertEquals("text " + i, Files.readString(b.resolve("f" + i)));
      }
      Files.writeString(b.resolve("f1"), "goes on");
      cluster.leader().kill();
      cluster.startLeader(KEEP_NOTHING);
      cluster.awaitWritable("b");
      Files.writeString(b.resolve("after"), "another start");
      cluster.startWorker("c");
      assertEquals("goes on", Files.readString(cluster.mount("c").resolve("f1")));
      cluster.settle("b", "c");
      cluster.assertSameRoots("b", "c");
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
