package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The leader and a mount in one process, and another worker (hypersync.md 4.2). */
@RealMounts
class MainHostTest {
  private TestCluster cluster;

  @BeforeEach
  void start() throws Exception {
    cluster = TestCluster.create();
    cluster.putMainHost("here");
    cluster.startLeader();
    cluster.startWorker("there");
    cluster.awaitWritable("here");
  }

  @AfterEach
  void stop() throws Exception {
    cluster.close();
  }

  private Path here(String name) {
    return cluster.mount("here").resolve(name);
  }

  private Path there(String name) {
    return cluster.mount("there").resolve(name);
  }

  @Test
  void whatOneWritesTheOtherReads() throws Exception {
    byte[] large = new byte[3 << 20];
    new Random(1).nextBytes(large);
    Files.write(here("from-here"), large);
    Files.writeString(there("from-there"), "there");
    cluster.settle("here", "there");
    assertEquals("there", Files.readString(here("from-there")));
    assertEquals(-1, Arrays.mismatch(large, Files.readAllBytes(there("from-here"))));
    cluster.assertSameRoots("here", "there");
    JsonNode status = cluster.leader().status();
    JsonNode session =
        status
            .path("workers")
            .valueStream()
            .filter(worker -> worker.path("worker_id").asText().equals("here"))
            .findFirst()
            .orElseThrow();
    assertTrue(session.path("connected").asBoolean(), session::toString);
    assertEquals("the leader's process", session.path("address").asText());
    assertEquals(status.path("pid").asLong(), cluster.worker("here").status().path("pid").asLong());
  }

  @Test
  void theMountCanEndBeforeTheLeader() throws Exception {
    Files.writeString(here("file"), "before");
    var _ = cluster.hypersync("umount", cluster.mount("here").toString()).orFail("umount");
    assertFalse(Files.exists(here("file")), "unmounted");
    Files.writeString(there("file"), "after");
    assertEquals("after", Files.readString(there("file")));
    assertTrue(cluster.leader().isAlive());
  }

  @Test
  void whatWasAcknowledgedIsThereAfterTheProcessWasKilled() throws Exception {
    for (int round = 0; round < 3; round++) {
      for (int i = 0; i < 50; i++) {
        Files.writeString(here("r" + round + "-" + i), "acknowledged " + i);
      }
      cluster.leader().kill();
      cluster.startLeader();
      cluster.awaitWritable("here");
      cluster.awaitWritable("there");
      for (int i = 0; i < 50; i++) {
        String name = "r" + round + "-" + i;
        assertEquals("acknowledged " + i, Files.readString(here(name)));
        Path other = there(name);
        Await.until(name + " on the other mount", () -> Files.exists(other));
        assertEquals("acknowledged " + i, Files.readString(other));
      }
      cluster.assertSameRoots("here", "there");
    }
  }

  @Test
  void locksOfBothExcludeEachOther() throws Exception {
    Files.createFile(here("lock"));
    Await.until("the lock file on the other mount", () -> Files.exists(there("lock")));
    String held = "exec 9<\"$1\"; flock -x 9; flock -x -n \"$2\" true";
    for (Path[] pair :
        new Path[][] {{here("lock"), there("lock")}, {there("lock"), here("lock")}}) {
      Shell tried =
          Shell.run(
              Path.of("/"),
              Map.of(),
              List.of("bash", "-c", held, "held", pair[0].toString(), pair[1].toString()));
      assertEquals(1, tried.exit(), tried::output);
    }
  }

  @Test
  void downEndsBoth() throws Exception {
    Files.writeString(here("kept"), "kept");
    String folder = cluster.workspace().root().toString();
    String said = cluster.hypersync("down", folder).orFail("down");
    String expected = "Stopped the leader of e2e.\nUnmounted " + cluster.mount("here") + "\n";
    assertTrue(said.endsWith(expected), said);
    Await.until("the process ends", () -> !cluster.leader().isAlive());
    assertFalse(Files.exists(here("kept")), "unmounted");
    cluster.startLeader();
    cluster.awaitWritable("here");
    assertEquals("kept", Files.readString(here("kept")));
  }
}
