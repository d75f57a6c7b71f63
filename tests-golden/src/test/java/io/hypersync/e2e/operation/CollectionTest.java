package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
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

  private static final String[] FEW_SNAPSHOTS = {
    "--set", "hypersync.gc.replay_entries=0", "--set", "hypersync.snapshots.retain=2"
  };

  private final Random random = new Random(1);
  private byte[] content = {};

  @Test
  @LongVersion
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

  /**
   * A snapshot with a name, and a state of the past whose worker was killed: each is named with its
   * age and its bytes, and all else goes.
   */
  @Test
  void aForgottenPinIsNamedWithItsAgeAndKeepsItsOwnBytesOnly() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.putJavaOptions("leader", "-Dhypersync.chunks.segment_bytes=" + (FILE_BYTES / 2));
      cluster.launchLeader(FEW_SNAPSHOTS);
      cluster.startWorkers("a", "b");
      rewrite(cluster);
      cluster.settle("a", "b");
      Instant before = Instant.now();
      snapshot(cluster, "create", "forgotten");
      Instant after = Instant.now();
      rewrite(cluster);
      cluster.settle("a", "b");
      long index = cluster.leader().status().path("commit_index").asLong();
      Instant mounting = Instant.now();
      mountOnB(cluster, index);
      Instant mounted = Instant.now();
      cluster.worker("b").kill();
      Await.until("the leader misses it", () -> !isConnected(cluster, "b"));

      rewriteOften(cluster);
      rewriteOften(cluster); // the log goes up to the older of two
      rewriteOften(cluster);
      cluster.settle("a");
      Await.until("the leader knows that a needs no more of the log", () -> isUpToDate(cluster));
      JsonNode report = collected(cluster, "run");

      JsonNode forgotten = pin(report, "snapshot", "forgotten");
      assertIsOwn(forgotten);
      assertIsBetween(before, forgotten, after);
      JsonNode past = pin(report, "mounted", "b");
      assertEquals(index, past.path("index").asLong(), report::toString);
      assertIsOwn(past);
      assertIsBetween(mounting, past, mounted);
      assertTrue(report.path("bytes_live").asLong() < 5L * FILE_BYTES, report::toString);
      String table = cluster.hypersync("gc").orFail("gc");
      for (JsonNode pin : new JsonNode[] {forgotten, past}) {
        assertTrue(
            table
                .lines()
                .anyMatch(
                    line ->
                        line.startsWith(pin.path("kind").asText())
                            && line.contains(" " + pin.path("name").asText() + " ")
                            && line.contains(pin.path("since").asText())
                            && line.endsWith("KiB")),
            table);
      }

      snapshot(cluster, "rm", "forgotten");
      JsonNode without = collected(cluster, "run");
      assertTrue(without.path("bytes_freed").asLong() >= FILE_BYTES / 2, without::toString);
      assertIsOwn(pin(without, "mounted", "b"));
    }
  }

  /** Whether each worker that is connected has told that it has applied all entries. */
  private static boolean isUpToDate(TestCluster cluster) {
    JsonNode status = cluster.leader().status();
    for (JsonNode worker : status.path("workers")) {
      if (worker.path("connected").asBoolean()
          && worker.path("applied_index").asLong() < status.path("commit_index").asLong()) {
        return false;
      }
    }
    return true;
  }

  private static boolean isConnected(TestCluster cluster, String name) {
    for (JsonNode worker : cluster.leader().status().path("workers")) {
      if (worker.path("worker_id").asText().equals(name)) {
        return worker.path("connected").asBoolean();
      }
    }
    return false;
  }

  private static void mountOnB(TestCluster cluster, long index) {
    ObjectNode arguments =
        JsonNodeFactory.instance.objectNode().put("do", "add").put("at", Long.toString(index));
    arguments.put("path", cluster.root().resolve("past").toString());
    var _ = cluster.worker("b").ask("mount", arguments);
  }

  /** One content of the file, and pages. */
  private static void assertIsOwn(JsonNode pin) {
    long bytes = pin.path("bytes").asLong();
    assertTrue(bytes >= FILE_BYTES && bytes < FILE_BYTES + (64 << 10), pin::toString);
  }

  private static void assertIsBetween(Instant first, JsonNode pin, Instant last) {
    Instant since = Instant.parse(pin.path("since").asText());
    assertTrue(!since.isBefore(first.truncatedTo(ChronoUnit.MILLIS)), pin::toString);
    assertTrue(!since.isAfter(last), pin::toString);
  }

  private static JsonNode pin(JsonNode report, String kind, String name) {
    for (JsonNode pin : report.path("pins")) {
      if (pin.path("kind").asText().equals(kind) && pin.path("name").asText().equals(name)) {
        return pin;
      }
    }
    throw new AssertionError("nothing is kept by " + kind + " " + name + ": " + report);
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
