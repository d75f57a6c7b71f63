package io.hypersync.e2e.operation;

import static java.nio.file.StandardOpenOption.CREATE_NEW;
import static java.nio.file.StandardOpenOption.WRITE;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.leader.daemon.LeaderStageCost;
import io.hypersync.worker.daemon.WorkerStageCost;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/**
 * The time that a mutation spends in each stage, which is always measured (hypersync.md 17.1(3)).
 */
@RealMounts
class StagesTest {
  private static final int FILES = 60;

  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  @Test
  void everyMutationPassesEveryStageAndTheStagesAreTheWhole() throws Exception {
    JsonNode workerBefore = CLUSTER.get().worker("a").status().path("stages");
    JsonNode leaderBefore = CLUSTER.get().leader().status().path("stages");
    Path directory = Files.createDirectory(CLUSTER.mount("a").resolve("stages"));
    for (int i = 0; i < FILES; i++) {
      Files.write(directory.resolve("file" + i), new byte[] {(byte) i, 1, 2, 3});
    }
    JsonNode worker = CLUSTER.get().worker("a").status().path("stages");
    JsonNode leader = CLUSTER.get().leader().status().path("stages");
    int mutations = 1 + 2 * FILES;
    for (String stage : List.of("fuse", "gate", "leader", "apply", "notify", "reply", "total")) {
      assertEquals(mutations, counted(worker, workerBefore, stage), stage);
    }
    assertEquals(FILES, counted(worker, workerBefore, "hash"), "writes");
    assertEquals(0, counted(leader, leaderBefore, "upload"), "small bytes travel in the intent");
    for (String stage : List.of("queue", "sequence", "sync", "ack", "total")) {
      assertTrue(counted(leader, leaderBefore, stage) >= mutations, stage);
    }
    for (JsonNode stages : List.of(worker, leader)) {
      assertEquals(1, shares(stages), 0.01, () -> "shares of " + stages);
    }
  }

  /** hypersync.md 8.1.1: every op updates the root, and the time this takes is reported. */
  @Test
  void everyMutationUpdatesTheMerkleRoot() throws Exception {
    JsonNode before = CLUSTER.get().leader().status().path("merkle");
    Path directory = Files.createDirectory(CLUSTER.mount("a").resolve("merkle"));
    for (int i = 0; i < FILES; i++) {
      Files.createFile(directory.resolve("file" + i));
    }
    JsonNode merkle = CLUSTER.get().leader().status().path("merkle");
    long updates = merkle.path("updates").asLong() - before.path("updates").asLong();
    assertTrue(updates >= 1 + FILES, merkle::toString);
    double p50 = merkle.path("update_latency_us_p50").asDouble();
    double p99 = merkle.path("update_latency_us_p99").asDouble();
    double max = merkle.path("update_latency_us_max").asDouble();
    assertTrue(0 < p50 && p50 <= p99 && p99 <= max && max < 10_000_000, merkle::toString);
    int depth = merkle.path("tree_depth").asInt();
    // more than 2^5 leaves; keys have 128 bits
    assertTrue(6 <= depth && depth <= 129, merkle::toString);
    assertEquals(0, merkle.path("rebalance_count").asInt(-1), merkle::toString);
  }

  @Test
  void bytesThatTravelByThemselvesAreWaitedForInTheUpload() throws Exception {
    JsonNode before = CLUSTER.get().leader().status().path("stages");
    byte[] fresh = new byte[200_000];
    new Random(7).nextBytes(fresh);
    try (FileChannel file =
        FileChannel.open(CLUSTER.mount("a").resolve("stages-large"), CREATE_NEW, WRITE)) {
      assertEquals(fresh.length, file.write(ByteBuffer.wrap(fresh)), "one write");
    }
    JsonNode after = CLUSTER.get().leader().status().path("stages");
    assertTrue(counted(after, before, "upload") >= 1, after::toString);
  }

  @Test
  void whySlowTakesTheNewestMutationsApartAndNamesTheLimit() throws Exception {
    Path directory = Files.createDirectory(CLUSTER.mount("a").resolve("why-slow"));
    for (int i = 0; i < 20; i++) {
      Files.write(directory.resolve("file" + i), new byte[] {(byte) i, 4, 5, 6});
    }
    String shown =
        CLUSTER.get().hypersync("why-slow", "--json", directory.toString()).orFail("why-slow");
    JsonNode tree = new ObjectMapper().readTree(shown.substring(shown.indexOf('{')));
    assertEquals(1, tree.path("workers").size(), "the mount that the path is in");
    JsonNode worker = tree.path("workers").get(0);
    assertEquals("a", worker.path("worker_id").asText());
    assertTrue(worker.path("leader_is_here").asBoolean());
    for (String stage : List.of("fuse", "send", "queue", "sync", "replicate", "apply", "total")) {
      assertTrue(worker.path("recent").path(stage).path("count").asLong() > 0, stage);
    }
    assertEquals(1, shares(worker.path("recent")), 0.02, worker::toString);
    assertFalse(worker.path("limit").path("advice").asText().isEmpty(), worker::toString);
    String text = CLUSTER.get().hypersync("why-slow").orFail("why-slow");
    assertTrue(text.contains("The limit is "), text);
    assertTrue(text.contains("MOST OF IT IN"), text);
  }

  @Test
  void aProfileSaysWhatACommandDidAndExitsAsItDoes() throws Exception {
    Path directory = Files.createDirectory(CLUSTER.mount("a").resolve("profiled"));
    String work =
        "cd "
            + directory
            + " && mkdir target && for i in 1 2 3 4 5; do echo $i > target/f$i; mv target/f$i target/g$i;"
            + " done && sync target/g1; exit 7";
    Shell shown =
        CLUSTER.get().hypersync("profile", "--json", directory.toString(), "--", "sh", "-c", work);
    assertEquals(7, shown.exit(), shown::output);
    String output = shown.output();
    JsonNode report = new ObjectMapper().readTree(output.substring(output.indexOf('{')));
    assertEquals(5, report.path("ops").path("Rename").asInt(), report::toString);
    assertEquals(5, report.path("writes").path("count").asInt());
    assertEquals(10, report.path("writes").path("bytes").asInt());
    assertEquals(1, report.path("requests").path("fsync").asInt());
    assertEquals(16, report.path("stages").path("total").path("count").asInt());
    assertEquals("profiled/target", report.path("local").get(0).path("path").asText());
    Shell missing =
        CLUSTER.get().hypersync("profile", directory.toString(), "--", "no-such-command");
    assertEquals(127, missing.exit(), missing::output);
    assertTrue(missing.output().contains("cannot run no-such-command"), missing::output);
  }

  /**
   * Compared with a median mutation. The cost is the minimum of many rounds, so that it reflects
   * the code rather than the load of the machine.
   */
  @Test
  void theFiguresCostLessThanAHundredthOfAMutation() throws Exception {
    Path directory = Files.createDirectory(CLUSTER.mount("a").resolve("stage-cost"));
    for (int i = 0; i < FILES; i++) {
      Files.createDirectory(directory.resolve("d" + i));
    }
    double mutationUs =
        CLUSTER.get().worker("a").status().path("stages").path("total").path("us_p50").asDouble();
    WorkerStageCost worker = new WorkerStageCost();
    LeaderStageCost leader = new LeaderStageCost();
    double costUs =
        Costs.leastMicroseconds(
            () -> {
              worker.run();
              leader.run();
            });
    assertTrue(
        costUs < mutationUs / 100,
        () -> costUs + " us for the figures of a mutation that takes " + mutationUs + " us");
  }

  /** By command there, by signal back: the leader goes on, and does what its file says. */
  @Test
  void aLeaderThatRunsTakesUpWhatItsFileSaysNow() throws Exception {
    Path file = CLUSTER.get().workspace().configFile();
    String before = Files.readString(file);
    String after = before.replace("#visibility = \"own\"", "visibility = \"everywhere\"");
    assertTrue(!after.equals(before), before);
    try {
      Files.writeString(file, after);
      String shown = CLUSTER.get().hypersync("config", "reload", "--json").orFail("config reload");
      JsonNode daemons =
          new ObjectMapper().readTree(shown.substring(shown.indexOf('{'))).path("daemons");
      JsonNode leader = daemons.get(0);
      assertEquals("leader", leader.path("role").asText(), shown);
      assertEquals(
          "hypersync.leader.visibility",
          leader.path("changed").path(0).path("key").asText(),
          shown);
      assertEquals("everywhere", visibility());
      Files.writeString(file, before);
      if (hearsHangUps()) {
        Shell.must(file.getParent(), "kill", "-HUP", Long.toString(CLUSTER.get().leader().pid()));
      } else {
        System.err.println("SIGHUP is ignored here, as under nohup: config reload stood in for it");
        var _ = CLUSTER.get().hypersync("config", "reload").orFail("config reload");
      }
      Await.until("the leader has read it again", () -> visibility().equals("own"));
      Files.writeString(file, after + "\ncolour = 1\n");
      Shell refused = CLUSTER.get().hypersync("config", "reload");
      assertEquals(1, refused.exit(), refused::output);
      assertTrue(refused.output().contains("nothing was changed: " + file), refused::output);
      assertEquals("own", visibility());
    } finally {
      Files.writeString(file, before);
      var _ = CLUSTER.get().hypersync("config", "reload"); // the other tests have this leader, too
    }
    assertEquals("own", visibility());
  }

  /** Whether SIGHUP is not ignored by children, as it is for what was started under nohup. */
  private static boolean hearsHangUps() throws IOException {
    for (String line : Files.readAllLines(Path.of("/proc/self/status"))) {
      if (line.startsWith("SigIgn:")) {
        return (Long.parseUnsignedLong(line.substring("SigIgn:".length()).strip(), 16) & 1) == 0;
      }
    }
    throw new AssertionError("/proc/self/status has no SigIgn");
  }

  private static String visibility() {
    return CLUSTER
        .get()
        .leader()
        .ask("visibility", JsonNodeFactory.instance.objectNode())
        .path("mode")
        .asText();
  }

  private static long counted(JsonNode after, JsonNode before, String stage) {
    return after.path(stage).path("count").asLong() - before.path(stage).path("count").asLong();
  }

  private static double shares(JsonNode stages) {
    return stages.properties().stream()
        .filter(stage -> !stage.getKey().equals("total"))
        .mapToDouble(stage -> stage.getValue().path("share").asDouble())
        .sum();
  }

  /** Measures the time of code without outside disturbance. */
  private static final class Costs {
    private static final int ROUNDS = 20;
    private static final int RUNS = 20_000;

    static double leastMicroseconds(Runnable work) {
      double least = Double.MAX_VALUE;
      for (int round = 0; round < ROUNDS; round++) {
        long beganNs = System.nanoTime();
        for (int i = 0; i < RUNS; i++) {
          work.run();
        }
        least = Math.min(least, (System.nanoTime() - beganNs) / 1_000.0 / RUNS);
      }
      return least;
    }
  }
}
