package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A change where an agent holds a reservation is told at once (hypersync.md 10.3, 11). */
@RealMounts
class ReservationsTest {
  @Test
  void whoChangesWhatAnotherAgentHoldsIsTold() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Path archive = cluster.root().resolve("mail");
      write(archive, 1, "Blue", "src/**", "null");
      cluster.startLeader(
          "--set",
          "hypersync.agent_mail.archive=" + archive,
          "--set",
          "hypersync.agent_mail.mount_paths=/ws/team");
      cluster.startWorkers("a", "b");
      Path a = cluster.mount("a");
      Path b = cluster.mount("b");
      Files.createDirectories(a.resolve("src"));
      Files.writeString(a.resolve("known"), "so that looks at this thread are over");
      cluster.settle("b");
      Files.writeString(b.resolve("free.go"), "nobody's"); // now this thread is known to be nobody
      Files.writeString(b.resolve("src/main.go"), "intruder");
      assertTold(cluster, "write_into_reservation by b of Blue src/**: src/main.go");
      assertEquals(List.of(), told(cluster, "free.go"));
      Shell.must(b, "env", "HYPERSYNC_AGENT=Blue", "sh", "-c", "printf holder >src/own.go");
      assertEquals(List.of(), told(cluster, "src/own.go"));

      write(archive, 2, "Green", "*.md", "null");
      awaitActive(cluster, 2);
      Files.writeString(a.resolve("notes.md"), "intruder");
      assertTold(cluster, "write_into_reservation by a of Green *.md: notes.md");

      write(archive, 1, "Blue", "src/**", "\"2026-01-01T00:00:00Z\"");
      awaitActive(cluster, 1);
      Files.writeString(b.resolve("src/later.go"), "released");
      cluster.settle("a");
      assertEquals(List.of(), told(cluster, "src/later.go"));

      JsonNode json = ask(cluster, "reservations");
      assertEquals("archive", json.path("source").asText());
      assertTrue(json.path("fresh").asBoolean(), json::toString);
      assertEquals("*.md", json.path("held").path(0).path("pattern").asText());
      String table = cluster.hypersync("reservations").orFail("reservations");
      assertTrue(table.contains("Green") && !table.contains("STALE"), table);
      String hazards = cluster.hypersync("hazards").orFail("hazards");
      assertTrue(hazards.contains("src/**"), hazards);
    }
  }

  private static void write(Path archive, int id, String agent, String pattern, String releasedJson)
      throws IOException {
    Path folder = Files.createDirectories(archive.resolve("projects/team/file_reservations"));
    Files.writeString(
        folder.resolve("id-" + id + ".json"),
        """
        {"id": %d, "project": "/ws/team", "agent": "%s", "path_pattern": "%s", "exclusive": true,
         "expires_ts": "2199-01-01T00:00:00+00:00", "released_ts": %s}
        """
            .formatted(id, agent, pattern, releasedJson));
  }

  private static void awaitActive(TestCluster cluster, int count) throws Exception {
    Await.until(
        count + " reservations",
        () -> ask(cluster, "reservations").path("active").asInt() == count);
  }

  /** The entry that the call has waited for says so: nobody has to wait for more. */
  private static void assertTold(TestCluster cluster, String hazard) throws Exception {
    List<String> told = told(cluster, "");
    assertTrue(told.contains(hazard), told::toString);
  }

  private static List<String> told(TestCluster cluster, String path) throws Exception {
    List<String> told = new ArrayList<>();
    for (JsonNode entry : ask(cluster, "hazards").path("entries")) {
      for (JsonNode hazard : entry.path("hazards")) {
        if (hazard.path("path").asText().startsWith(path)) {
          told.add(
              hazard.path("kind").asText()
                  + (" by " + entry.path("worker_id").asText())
                  + (" of " + hazard.path("agent").asText())
                  + (" " + hazard.path("pattern").asText())
                  + (": " + hazard.path("path").asText()));
        }
      }
    }
    return told;
  }

  private static JsonNode ask(TestCluster cluster, String command) throws Exception {
    return cluster.leader().ask(command, JsonNodeFactory.instance.objectNode());
  }
}
