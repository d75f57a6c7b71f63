package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Without the setting there is no scan, no thread and no process for inotify. */
@RealMounts
class InotifyOffTest {
  @RegisterExtension static final TestClusterExtension EXTENSION = new TestClusterExtension();

  @Test
  void nothingRunsForIt() throws Exception {
    TestCluster cluster = EXTENSION.get();
    DaemonJvm worker = cluster.worker("b");
    Path folder = Files.createDirectory(cluster.mount("a").resolve("inotify-off"));
    Await.until("the folder", () -> Files.isDirectory(cluster.mount("b").resolve("inotify-off")));
    try (var watcher = folder.getFileSystem().newWatchService()) {
      var _ =
          cluster
              .mount("b")
              .resolve("inotify-off")
              .register(watcher, StandardWatchEventKinds.ENTRY_CREATE);
      Files.createFile(folder.resolve("f"));
      Await.until("the file", () -> Files.exists(cluster.mount("b").resolve("inotify-off/f")));
    }
    assertTrue(worker.status().path("inotify").isNull(), () -> worker.status().toPrettyString());
    assertEquals(List.of(), InotifyTest.shadows(cluster));
    String threads =
        Shell.must(cluster.root(), "sh", "-c", "cat /proc/" + worker.pid() + "/task/*/comm");
    assertTrue(threads.lines().noneMatch(name -> name.startsWith("inotify")), threads);
  }
}
