package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a new user sees when setting up a workspace, including mistakes. */
@RealMounts
class NewUserTest {
  private static final Duration END_LIMIT = Duration.ofSeconds(60);
  private static final int LEADER_DISK_MIB = 700;
  private static final long MIB = 1024 * 1024;

  @Test
  void aWorkerThatWaitsForItsLeaderIsSeen() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      DaemonJvm worker = cluster.launchWorker("a");
      worker.await(
          "say why it waits",
          status ->
              !status.path("mounted").asBoolean()
                  && status.path("read_only").asBoolean()
                  && status.path("link_reason").asText().contains("no answer"));
      Shell status = cluster.hypersync("status");
      said(status, "a waits for the leader at " + cluster.address(), "no answer", "waiting");
      assertFalse(status.output().contains("unresolved"), status.output());
      worker.terminate();
      assertEquals(0, worker.awaitExit(END_LIMIT), worker.log());
      assertFalse(worker.log().contains("\tat "), worker.log());
      assertFalse(
          Files.readString(Path.of("/proc/self/mountinfo"))
              .contains(cluster.mount("a").toString()));
      cluster.startLeader();
      cluster.startWorker("a");
      Files.writeString(cluster.mount("a").resolve("file"), "written");
    }
  }

  @Test
  void theLeaderTellsOfItsRoomAndOfWhoIsNotThere() throws Exception {
    try (TestCluster cluster = TestCluster.create(TestCluster.PATIENT)) {
      Path disk = cluster.tmpfs("leader-disk", LEADER_DISK_MIB);
      cluster.putState("leader", Files.createDirectory(disk.resolve("state")));
      DaemonJvm leader = cluster.startLeader();
      said(cluster.hypersync("status"), "no worker has connected yet");
      DaemonJvm worker = cluster.startWorker("a");
      Await.until(
          "df shows the leader's disk",
          () -> Files.getFileStore(cluster.mount("a")).getUsableSpace() < LEADER_DISK_MIB * MIB);
      unlinkedFilesAreCountedApart(cluster);
      aTokenThatIsUsedTwice(cluster);
      worker.end(END_LIMIT);
      leader.await("tell of who has left", status -> absent(status, "left"));
      said(cluster.hypersync("status"), "NOT HERE", "left");
      cluster.startWorker("a");
      leader.await("forget that", status -> !absent(status, "left"));
    }
  }

  private static void unlinkedFilesAreCountedApart(TestCluster cluster) throws Exception {
    Path file = cluster.mount("a").resolve("unlinked");
    try (FileChannel _ =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      int before = cluster.leader().status().path("files").asInt();
      Files.delete(file);
      for (DaemonJvm daemon : List.of(cluster.leader(), cluster.worker("a"))) {
        daemon.await(
            "count it apart",
            status ->
                status.path("files").asInt() == before - 1 && status.path("orphans").asInt() == 1);
      }
    }
  }

  private static void aTokenThatIsUsedTwice(TestCluster cluster)
      throws IOException, InterruptedException {
    WorkerId id = new WorkerId("a");
    Path elsewhere = cluster.root().resolve("other-machine");
    RunDirectory runDirectory = new RunDirectory(elsewhere.resolve("run"));
    DaemonJvm second =
        DaemonJvm.start(
            "the other a",
            cluster.root().resolve("logs").resolve("other-a.log"),
            runDirectory.workerSocket(cluster.workspace().id(), id),
            List.of(),
            List.of(),
            List.of(
                "worker",
                "--token",
                cluster.workspace().tokenFile(id).toString(),
                "--mount",
                elsewhere.resolve("mount").toString(),
                "--state-dir",
                elsewhere.resolve("state").toString()),
            ChildJvm.environment(runDirectory.path()));
    try {
      second.await(
          "say what is wrong",
          status -> status.path("link_reason").asText().contains("two machines use one token"));
      cluster
          .leader()
          .await(
              "count the attempts",
              status ->
                  status
                      .path("absent")
                      .valueStream()
                      .anyMatch(
                          each ->
                              each.path("state").asText().equals("duplicate")
                                  && each.path("times").asInt() >= 4));
      assertEquals(1, count(cluster.leader().log(), "is refused"), cluster.leader().log());
      assertEquals(1, count(second.log(), "the leader refuses"), second.log());
      said(cluster.hypersync("status"), "used twice", "make another for one of them");
    } finally {
      second.end(END_LIMIT);
    }
  }

  private static boolean absent(JsonNode status, String state) {
    return status
        .path("absent")
        .valueStream()
        .anyMatch(each -> each.path("state").asText().equals(state));
  }

  private static long count(String log, String text) {
    return log.lines().filter(line -> line.contains(text)).count();
  }

  private static void said(Shell shell, String... parts) {
    for (String part : parts) {
      assertTrue(
          shell.output().contains(part), () -> "not said: " + part + "\nbut:\n" + shell.output());
    }
  }
}
