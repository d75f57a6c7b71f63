package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agents are placed by what real workers report (hypersync.md 15). */
@RealMounts
class PlacementTest {
  @Test
  void workersReportAndAgentsThatArePlacedCount() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader("--set", "hypersync.scheduler.max_agents_per_worker=7");
      cluster.startWorkers("a", "b");
      Path a = cluster.mount("a");
      for (int i = 0; i < 20; i++) {
        Files.writeString(a.resolve("f" + i), "content");
      }
      Shell.must(a, "env", "HYPERSYNC_AGENT=Blue", "sh", "-c", "echo x >by-an-agent");
      Await.until(
          "all figures of a",
          () -> {
            JsonNode pressure = worker(cluster, "a").path("local_pressure");
            return pressure.path("agents").asInt() == 1
                && pressure.path("sync_lag_ms").isNumber()
                && pressure.path("commit_rtt_ms").asDouble() > 0
                && pressure.path("cpu_percent").isNumber()
                && pressure.path("memory_percent").asInt() > 0;
          });
      Await.until(
          "the lag of b, where nobody writes",
          () ->
              worker(cluster, "b").path("local_pressure").path("sync_lag_ms").isNumber()
                  && worker(cluster, "b").path("local_pressure").path("agents").asInt() == 0);

      JsonNode decision = place(cluster, 20);
      Map<String, Integer> shares = new HashMap<>();
      decision
          .path("placements")
          .forEach(share -> shares.put(share.path("worker").asText(), share.path("count").asInt()));
      int placed = shares.values().stream().mapToInt(Integer::intValue).sum();
      assertEquals(20, placed + decision.path("unplaced").asInt(), decision::toString);
      assertTrue(placed <= 13, "6 beside the one of a, and 7: " + decision);
      for (JsonNode excluded : decision.path("excluded")) { // this machine may be busy
        assertFalse(excluded.path("reasons").isEmpty(), decision::toString);
        assertFalse(shares.containsKey(excluded.path("worker").asText()), decision::toString);
      }
      assertEquals(2, shares.size() + decision.path("excluded").size(), decision::toString);
      JsonNode after = place(cluster, 1);
      assertEquals(1, after.path("unplaced").asInt(), "what was promised counts: " + after);
      String table = cluster.hypersync("place", "--decisions").orFail("place --decisions");
      assertTrue(table.contains("test"), table);
    }
  }

  @Test
  void aWorkerThatIsGoneGetsNone() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.startLeader();
      cluster.startWorker("a");
      Await.until("a report", () -> worker(cluster, "a").path("placement").isObject());
      cluster.worker("a").kill();
      Await.until(
          "a is excluded",
          () -> {
            JsonNode decision = place(cluster, 1);
            String code =
                decision.path("excluded").path(0).path("reasons").path(0).path("code").asText();
            return decision.path("placements").isEmpty()
                && (code.equals("silent") || code.equals("disconnected"));
          });
    }
  }

  private static JsonNode place(TestCluster cluster, int count) {
    ObjectNode request =
        JsonNodeFactory.instance.objectNode().put("count", count).put("session", "test");
    return cluster.leader().ask("place", request);
  }

  private static JsonNode worker(TestCluster cluster, String name) {
    for (JsonNode worker : cluster.leader().status().path("workers")) {
      if (worker.path("worker_id").asText().equals(name)) {
        return worker;
      }
    }
    return JsonNodeFactory.instance.missingNode();
  }
}
