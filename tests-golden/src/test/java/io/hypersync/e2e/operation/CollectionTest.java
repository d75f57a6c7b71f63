package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

/** Dead chunks are collected on the leader of a workspace with mounts (hypersync.md 14.2, 16.1). */
@RealMounts
class CollectionTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int FILE_BYTES = 256 << 10;
  private static final int REWRITES = 5;

  /** More of them with {@code -Dhypersync.collection.kills=20}. */
  private static final int KILLS = Integer.getInteger("hypersync.collection.kills", 1);

  /** Nothing is kept for workers that are away. */
  private static final String[] SETTINGS = {"--set", "hypersync.gc.replay_entries=0"};

  private final Random random = new Random(1);
  private byte[] content = {};

  @Test
  void aRewrittenFileTakesItsRoomOnceAndAKillDuringACollectionLosesNothing() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.putJavaOptions("leader", "-Dhypersync.chunks.segment_bytes=" + (FILE_BYTES / 2));
      cluster.launchLeader(SETTINGS);
      cluster.startWorker("a");
      rewrite(cluster);
      byte[] first = content;
      snapshot(cluster, "create", "first");
      rewriteOften(cluster);
      long before = cluster.leader().status().path("chunk_bytes").asLong();
      JsonNode dry = collected(cluster, "dry-run");
      assertTrue(dry.path("dry_run").asBoolean(), dry::toString);
      assertTrue(pinOf(dry, "first") >= FILE_BYTES, dry::toString);
      assertEquals(before, cluster.leader().status().path("chunk_bytes").asLong());

      String said = cluster.hypersync("gc", "--run", "--json").orFail("gc");
      JsonNode done = JSON.readTree(said.substring(said.indexOf('{'))).path("last");
      long after = cluster.leader().status().path("chunk_bytes").asLong();
      assertTrue(after < before / 2, before + " bytes before, " + after + " after: " + done);
      assertTrue(done.path("bytes_live").asLong() >= 2L * FILE_BYTES, done::toString);
      requireAll(cluster);

      for (int i = 0; i < KILLS; i++) {
        rewriteOften(cluster);
        var _ = asked(cluster, "run");
        LockSupport.parkNanos(random.nextInt(100_000_000)); // any moment will do
        cluster.leader().kill();
        cluster.launchLeader(SETTINGS);
        if (i == 0) {
          cluster.launchWorker("b"); // needs entries whose chunks are gone
        }
        cluster.awaitWritable("a");
        cluster.awaitWritable("b");
        requireAll(cluster);
      }
      assertArrayEquals(content, Files.readAllBytes(cluster.mount("b").resolve("f")));
      cluster.assertSameRoots("a", "b");

      long kept = collected(cluster, "run").path("bytes_live").asLong();
      snapshot(cluster, "rm", "first");
      long without = collected(cluster, "run").path("bytes_live").asLong();
      assertTrue(kept - without >= first.length, kept + " with the snapshot, " + without);
      requireContent(cluster);
    }
  }

  private void rewriteOften(TestCluster cluster) throws Exception {
    for (int i = 0; i < REWRITES; i++) {
      rewrite(cluster);
    }
    cluster.settle("a");
    snapshot(cluster, "create", "");
  }

  private void rewrite(TestCluster cluster) throws Exception {
    content = new byte[FILE_BYTES];
    random.nextBytes(content);
    Files.write(cluster.mount("a").resolve("f"), content);
  }

  private void requireAll(TestCluster cluster) throws Exception {
    snapshot(cluster, "verify", "first");
    requireContent(cluster);
  }

  private void requireContent(TestCluster cluster) throws Exception {
    cluster.settle("a");
    Path file = cluster.mount("a").resolve("f");
    assertArrayEquals(content, Files.readAllBytes(file));
  }

  private static void snapshot(TestCluster cluster, String what, String name) {
    ObjectNode arguments = JsonNodeFactory.instance.objectNode().put("do", what);
    arguments.put(what.equals("create") ? "name" : "snapshot", name);
    var _ = cluster.leader().ask("snapshot", arguments);
  }

  /** What a whole run has found. */
  private static JsonNode collected(TestCluster cluster, String what) throws Exception {
    long number = asked(cluster, what);
    Await.until("the run", () -> gc(cluster, "status").path("ended").asLong() >= number);
    JsonNode status = gc(cluster, "status");
    for (JsonNode run : status.path("runs")) {
      boolean isThis = run.path("number").asLong() == number;
      assertTrue(!isThis || run.path("failure").isNull(), status::toString);
    }
    return status.path("last");
  }

  /** Asks for a run; returns its number. */
  private static long asked(TestCluster cluster, String what) {
    return gc(cluster, what).path("number").asLong();
  }

  private static JsonNode gc(TestCluster cluster, String what) {
    return cluster.leader().ask("gc", JsonNodeFactory.instance.objectNode().put("do", what));
  }

  private static long pinOf(JsonNode report, String name) {
    for (JsonNode pin : report.path("pins")) {
      if (pin.path("name").asText().equals(name)) {
        return pin.path("bytes").asLong();
      }
    }
    return 0;
  }
}
