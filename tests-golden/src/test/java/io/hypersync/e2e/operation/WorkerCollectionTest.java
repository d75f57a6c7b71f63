package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** A worker's chunks are collected, and keep to {@code cache_max} (hypersync.md 14.2). */
@RealMounts
class WorkerCollectionTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final int MIB = 1 << 20;
  private static final int LIMIT_MIB = 16;
  private static final int FILE_MIB = 2;
  private static final int FILES = 14;

  /** A worker asks for so long in vain before a read fails. */
  private static final List<String> SETTINGS =
      List.of(
          "hypersync.worker.leader_timeout=1s",
          "hypersync.worker.cache_max=" + LIMIT_MIB + "MiB",
          "hypersync.gc.interval=12s",
          "hypersync.snapshots.interval=5s");

  private final Random random = new Random(1);
  private final List<byte[]> contents = new ArrayList<>();

  @Test
  void aWorkspaceThatIsLargerThanTheLimitIsReadThroughIt() throws Exception {
    try (TestCluster cluster = TestCluster.create(SETTINGS)) {
      cluster.startLeader();
      cluster.startWorker("a");
      for (int i = 0; i < FILES; i++) {
        write(cluster, i);
      }
      cluster.startWorker("b");
      for (String worker : List.of("a", "b")) {
        requireAll(cluster, worker);
        requireLimit(cluster, worker);
      }
      cluster.worker("a").await("evict", status -> evictions(status) > 0);

      // What is overwritten goes, and what comes instead is right.
      write(cluster, FILES - 1);
      cluster.settle("a", "b");
      requireAll(cluster, "b");
      requireLimit(cluster, "b");
      cluster.assertSameRoots("a", "b");

      // Killed at any moment, the worker begins with its snapshot, whose pages are there.
      cluster.worker("b").kill();
      cluster.startWorker("b");
      requireAll(cluster, "b");
      requireLimit(cluster, "b");

      // Without the leader, what was stored last can be read, and the rest fails. It is written
      // anew
      // for that: what was read last may have been stored long before (decision 027). The kernel
      // knows nothing of a new mount.
      write(cluster, FILES - 1);
      cluster.settle("b");
      cluster.worker("b").kill();
      cluster.startWorker("b");
      Path last = file(cluster, "b", FILES - 1);
      collect(cluster, "b");
      cluster.leader().kill();
      cluster.worker("b").await("be read-only", status -> status.path("read_only").asBoolean());
      assertArrayEquals(contents.getLast(), Files.readAllBytes(last));
      IOException away =
          assertThrows(
              IOException.class,
              () -> {
                for (int i = 0; i < FILES; i++) {
                  Files.readAllBytes(file(cluster, "b", i));
                }
              });
      assertTrue(String.valueOf(away.getMessage()).contains("Input/output error"), away::toString);
    }
  }

  @Test
  void whatIsNotNeededGoesOnRequest() throws Exception {
    try (TestCluster cluster = TestCluster.create(List.of("hypersync.worker.cache_max=128MiB"))) {
      cluster.startLeader();
      cluster.startWorker("a");
      for (int i = 0; i < 5; i++) {
        write(cluster, 0);
      }
      cluster.settle("a");
      String mount = cluster.mount("a").toString();
      JsonNode last = collect(cluster, "a");
      assertTrue(last.path("bytes_freed").asLong() > 3L * FILE_MIB * MIB, last::toString);
      assertTrue(last.path("bytes_live").asLong() >= FILE_MIB * MIB, last::toString);
      requireAll(cluster, "a");
      assertTrue(
          cluster.hypersync("gc", "--mount", mount).orFail("gc").contains("cache_max 128.0 MiB"));
      assertEquals(2, cluster.hypersync("gc", "--mount", mount, "--dry-run").exit());
    }
  }

  /** Has a worker collect; returns what it has found. */
  private static JsonNode collect(TestCluster cluster, String worker) throws Exception {
    String mount = cluster.mount(worker).toString();
    String said = cluster.hypersync("gc", "--mount", mount, "--run", "--json").orFail("gc");
    return JSON.readTree(said.substring(said.indexOf('{'))).path("last");
  }

  private void write(TestCluster cluster, int number) throws IOException {
    byte[] content = new byte[FILE_MIB * MIB];
    random.nextBytes(content);
    Files.write(file(cluster, "a", number), content);
    if (number < contents.size()) {
      contents.set(number, content);
    } else {
      contents.add(content);
    }
  }

  private static Path file(TestCluster cluster, String worker, int number) {
    return cluster.mount(worker).resolve("f" + number);
  }

  private void requireAll(TestCluster cluster, String worker) throws IOException {
    for (int i = 0; i < contents.size(); i++) {
      assertArrayEquals(contents.get(i), Files.readAllBytes(file(cluster, worker, i)), "file " + i);
    }
  }

  private static void requireLimit(TestCluster cluster, String worker) throws Exception {
    cluster
        .worker(worker)
        .await(
            "keep to its limit",
            status -> {
              long bytes = status.path("chunk_cache").path("bytes").asLong();
              return bytes > 0 && bytes <= (long) LIMIT_MIB * MIB;
            });
  }

  private static long evictions(JsonNode status) {
    return status.path("chunk_cache").path("evictions").asLong();
  }
}
