package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Certificates of a workspace, with real daemons and mounts. */
@RealMounts
class CertificatesTest {

  @Test
  void aWorkerThatIsRevokedIsCutOffForGoodAndNobodyElseIs() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      cluster.startLeader();
      cluster.startWorkers("a", "b");
      DaemonJvm standby = cluster.startStandby("spare");
      standby.await("be complete", status -> status.path("complete").asBoolean());
      Path shared = cluster.mount("a").resolve("shared");
      Files.writeString(shared, "x");
      cluster.settle("a", "b");
      assertEquals(
          List.of("null leader", "a worker", "b worker", "spare standby"), rows(cluster, ""));

      AtomicBoolean isDone = new AtomicBoolean();
      AtomicReference<@Nullable IOException> failure = new AtomicReference<>();
      Thread others = Thread.ofPlatform().start(() -> write(cluster.mount("a"), isDone, failure));
      try (FileChannel held = FileChannel.open(shared(cluster, "b"), StandardOpenOption.WRITE);
          FileLock lock = held.lock();
          FileChannel wanted = FileChannel.open(shared, StandardOpenOption.WRITE)) {
        assertTrue(lock.isValid());
        assertNull(wanted.tryLock(), "b has it");
        JsonNode done =
            json(
                cluster,
                "certs",
                "revoke",
                "b",
                "--reason",
                "laptop \u001b[31m was stolen",
                "--json");
        assertEquals(1, done.path("connections_ended").asInt(), done::toString);
        assertEquals("spare", done.path("standbys").path(0).path("worker_id").asText());
        assertTrue(done.path("standbys").path(0).path("told").asBoolean(), done::toString);
        try (FileLock free = wanted.tryLock()) {
          assertNotNull(free, "its locks are free when the command returns");
        }
        assertEquals(List.of("a", "spare"), connected(cluster));
        JsonNode status =
            cluster.worker("b").await("be read-only", each -> each.path("read_only").asBoolean());
        String why = status.path("link_reason").asText();
        assertTrue(why.contains("laptop \\x1b[31m was stolen"), why);
        assertTrue(why.contains("./hypersync token b"), why);
        assertThrows(
            IOException.class, () -> Files.writeString(cluster.mount("b").resolve("no"), "x"));
        assertEquals("x", Files.readString(shared(cluster, "b")), "what it has can be read");
      }
      isDone.set(true);
      others.join();
      assertNull(failure.get(), () -> "a was not touched: " + failure.get());
      assertEquals(List.of("b worker"), rows(cluster, "revoked_at"));

      // Neither a start of the leader nor one of the worker changes that.
      cluster.leader().kill();
      cluster.startLeader();
      cluster.awaitWritable("a");
      startAgain(cluster, "b");
      assertRefused(cluster, "b");

      // The standby knows it, so a leader that it becomes does, too.
      long committed = cluster.leader().status().path("commit_index").asLong();
      standby.await("have all", status -> status.path("synced_index").asLong() >= committed);
      cluster.leader().kill();
      standby.kill();
      Shell promoted =
          cluster.hypersync(
              "promote",
              "--dir",
              cluster.workspace().root().toString(),
              "--state-dir",
              cluster.stateDir("spare").toString());
      assertEquals(0, promoted.exit(), promoted.output());
      cluster.startLeader("--state-dir", cluster.stateDir("spare").toString());
      cluster.awaitWritable("a");
      startAgain(cluster, "b");
      assertRefused(cluster, "b");
      assertEquals(List.of("b worker"), rows(cluster, "revoked_at"));
      String table = cluster.hypersync("certs").orFail("certs");
      assertTrue(table.contains("laptop \\x1b[31m was stolen"), table);
      refusesWhatMakesNoSense(cluster);
    }
  }

  private static void refusesWhatMakesNoSense(TestCluster cluster) throws Exception {
    JsonNode leaders = list(cluster).path("certificates").path(0);
    assertEquals("leader", leaders.path("kind").asText());
    Shell said =
        cluster.hypersync("certs", "revoke", leaders.path("serial").asText(), "--reason", "x");
    assertNotEquals(0, said.exit(), said::output);
    assertTrue(said.output().contains("that is a certificate of the leader"), said::output);
    assertFalse(said.output().contains("Exception"), said::output);
    for (String unknown : List.of("nobody", "../x", "", "ff")) {
      assertThrows(
          UserError.class,
          () ->
              cluster
                  .leader()
                  .ask(
                      "certs",
                      JsonNodeFactory.instance
                          .objectNode()
                          .put("do", "revoke")
                          .put("name", unknown)));
    }
    assertTrue(connected(cluster).contains("a"));
  }

  private static Path shared(TestCluster cluster, String worker) {
    return cluster.mount(worker).resolve("shared");
  }

  private static void write(
      Path mount, AtomicBoolean isDone, AtomicReference<@Nullable IOException> failure) {
    try {
      for (int i = 0; !isDone.get(); i++) {
        Files.writeString(mount.resolve("while-" + i % 10), "" + i);
      }
    } catch (IOException e) {
      failure.set(e);
    }
  }

  private static void startAgain(TestCluster cluster, String worker) throws Exception {
    cluster.worker(worker).kill();
    cluster.launchWorker(worker);
  }

  private static void assertRefused(TestCluster cluster, String worker)
      throws InterruptedException {
    cluster
        .leader()
        .await(
            "refuse " + worker,
            status -> {
              for (JsonNode absent : status.path("absent")) {
                if (absent.path("worker_id").asText().equals(worker)) {
                  return absent.path("state").asText().equals("revoked");
                }
              }
              return false;
            });
    assertFalse(connected(cluster).contains(worker));
  }

  private static List<String> connected(TestCluster cluster) {
    List<String> names = new ArrayList<>();
    for (JsonNode each : cluster.leader().status().path("workers")) {
      if (each.path("connected").asBoolean()) {
        names.add(each.path("worker_id").asText());
      }
    }
    return names.stream().sorted().toList();
  }

  /** Those that have a value there. */
  private static List<String> rows(TestCluster cluster, String key) {
    List<String> rows = new ArrayList<>();
    for (JsonNode row : list(cluster).path("certificates")) {
      if (key.isEmpty() || row.path(key).isTextual()) {
        rows.add(row.path("worker_id").asText() + " " + row.path("kind").asText());
      }
    }
    return rows;
  }

  private static JsonNode list(TestCluster cluster) {
    return cluster.leader().ask("certs", JsonNodeFactory.instance.objectNode().put("do", "list"));
  }

  private static JsonNode json(TestCluster cluster, String... words) throws Exception {
    String said = cluster.hypersync(words).orFail(String.join(" ", words));
    return new ObjectMapper()
        .readTree(said.substring(said.indexOf('{'))); // behind what the JVM says
  }
}
