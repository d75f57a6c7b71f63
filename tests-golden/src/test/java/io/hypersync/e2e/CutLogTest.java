package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

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
    try (Fabric fabric = Fabric.create()) {
      fabric.startLeader();
      fabric.startWorker("a");
      fabric.startWorker("b");
      Path a = fabric.mount("a");
      Path b = fabric.mount("b");
      Files.writeString(a.resolve("before"), "stays");
      fabric.settle("a", "b");
      long after = fabric.leader().status().path("commit_index").asLong();
      fabric.worker("b").terminate(); // it receives none of the later entries
      assertEquals(0, fabric.worker("b").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      Files.writeString(a.resolve("later"), "is undone");
      fabric.leader().terminate();
      assertEquals(0, fabric.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");

      Shell dry = cut(fabric, after);
      assertEquals(0, dry.exit(), dry.output());
      assertTrue(dry.output().contains("Nothing was cut"), dry.output());
      Shell done = cut(fabric, after, "--yes");
      assertEquals(0, done.exit(), done.output());
      assertEquals(List.of(), open(fabric.workspace().stateDir()), "open to others");

      fabric.startLeader();
      assertEquals(after, fabric.leader().status().path("commit_index").asLong());
      fabric.startWorker("b");
      fabric.awaitWritable("b");
      assertEquals("stays", Files.readString(b.resolve("before")));
      assertFalse(Files.exists(b.resolve("later")));

      fabric
          .worker("a")
          .await(
              "say what to do",
              status -> status.path("link_reason").asText().contains("restart the worker"));
      assertEquals("is undone", Files.readString(a.resolve("later")), "reads go on meanwhile");
      fabric.worker("a").terminate();
      assertEquals(0, fabric.worker("a").awaitExit(Await.LIMIT), "exit code after SIGTERM");
      fabric.startWorker("a");
      assertFalse(Files.exists(a.resolve("later")));
      Files.writeString(a.resolve("after"), "goes on");
      fabric.settle("a", "b");
      assertEquals("goes on", Files.readString(b.resolve("after")));
      fabric.assertSameRoots("a", "b");
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

  private static Shell cut(Fabric fabric, long after, String... more) throws Exception {
    List<String> arguments =
        new ArrayList<>(
            List.of(
                "cut-log",
                "--dir",
                fabric.workspace().root().toString(),
                "--after",
                Long.toString(after)));
    arguments.addAll(List.of(more));
    return fabric.hypersync(arguments);
  }
}
