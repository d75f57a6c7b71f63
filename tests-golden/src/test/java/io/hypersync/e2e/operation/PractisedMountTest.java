package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A worker that practises before it mounts: only its own log shows that it has. */
@RealMounts
class PractisedMountTest {
  private TestCluster cluster;

  @AfterEach
  void takeItAway() throws Exception {
    cluster.close();
  }

  @Test
  void whatIsPractisedReachesNeitherTheWorkspaceNorTheLog() throws Exception {
    cluster = TestCluster.create(List.of("hypersync.practice=1s"));
    cluster.startLeader();
    DaemonJvm worker = cluster.startWorker("a", Map.of("HYPERSYNC_LOG_LEVEL", "DEBUG"));

    assertEquals(List.of(), names(cluster.mount("a")));
    String log = worker.log();
    int practised = log.indexOf("practised ");
    assertTrue(practised >= 0, log);
    assertTrue(practised < log.indexOf("mounted "), "mounted before it had practised: " + log);
    assertFalse(log.contains("worker practice"), log);
    assertFalse(log.contains("practice has ended early"), log);

    Files.writeString(cluster.mount("a").resolve("file"), "text");
    assertEquals(List.of("file"), names(cluster.mount("a")));
  }

  private static List<String> names(Path folder) throws Exception {
    try (Stream<Path> all = Files.list(folder)) {
      return all.map(path -> path.getFileName().toString()).toList();
    }
  }
}
