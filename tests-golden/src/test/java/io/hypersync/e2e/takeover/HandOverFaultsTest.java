package io.hypersync.e2e.takeover;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.AdminClient;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.fault.FaultPoints.Moment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The worker or its successor is killed at one of the steps of a hand-over (decision 053). */
@RealMounts
class HandOverFaultsTest {
  private static final Duration ASK_LIMIT = Duration.ofSeconds(20);

  private TestCluster cluster;
  private Path mount;

  @BeforeEach
  void aWorkspace() throws Exception {
    cluster =
        TestCluster.create(
            List.of(
                "hypersync.worker.leader_timeout=15s", "hypersync.worker.takeover_timeout=30s"));
    cluster.startLeader("--set", "hypersync.leader.lock_ttl=30s");
    mount = cluster.mount("a");
  }

  @AfterEach
  void takeItAway() throws Exception {
    var _ = cluster.hypersync("umount", "--force", mount.toString());
    cluster.close();
  }

  /** The worker dies in the middle of the hand-over. */
  @ParameterizedTest
  @EnumSource(
      value = Moment.class,
      names = {"SUCCESSOR_READY", "MOUNT_LEFT", "STATE_RELEASED"})
  void theWorkerDiesDuringTheHandOver(Moment moment) throws Exception {
    cluster.startWorker("a", Map.of("HYPERSYNC_FAULT_HOLD_AT", moment + ":1"));
    long pid = status().path("pid").asLong();
    try (Appends appends = Appends.start(mount.resolve("numbers"))) {
      appends.awaitProgress();
      Thread restart = Thread.ofVirtual().start(() -> quietly("worker", "restart"));
      cluster.worker("a").awaitSaying("held at " + moment);
      kill(pid);
      awaitGeneration(2);
      restart.join();
      appends.awaitProgress();
      appends.end();
      appends.check();
    }
  }

  /** The successor dies; what it has not begun to serve another process of the worker's does. */
  @ParameterizedTest
  @EnumSource(
      value = Moment.class,
      names = {"TURN_AWAITED", "TURN_CAME", "MOUNT_TAKEN"})
  void theSuccessorDiesDuringTheHandOver(Moment moment) throws Exception {
    cluster.startWorker("a");
    long pid = status().path("pid").asLong();
    Path launcher = cluster.root().resolve("launcher");
    Files.writeString(
        launcher,
        "#!/bin/sh\nHYPERSYNC_FAULT_HOLD_AT="
            + moment
            + ":1\nexport HYPERSYNC_FAULT_HOLD_AT\necho $$ >"
            + cluster.root()
            + "/successor\nexec "
            + String.join(" ", ChildJvm.command(List.of()))
            + " \"$@\"\n");
    Files.setPosixFilePermissions(launcher, PosixFilePermissions.fromString("rwx------"));
    try (Appends appends = Appends.start(mount.resolve("numbers"))) {
      appends.awaitProgress();
      AtomicReference<@Nullable Shell> said = new AtomicReference<>();
      Thread upgrade =
          Thread.ofVirtual()
              .start(() -> said.set(quietly("worker", "upgrade", launcher.toString())));
      cluster.worker("a").awaitSaying("held at " + moment);
      kill(Long.parseLong(Files.readString(cluster.root().resolve("successor")).strip()));
      upgrade.join();
      Shell ended = said.get();
      assertTrue(ended != null && ended.exit() == 1, "the command says that it has failed");
      JsonNode status = status();
      if (moment == Moment.TURN_AWAITED) {
        assertEquals(pid, status.path("pid").asLong(), "the worker serves on");
      } else {
        assertNotEquals(pid, status.path("pid").asLong(), "another process serves");
        assertEquals("fell_back", status.path("succession").path("how").asText());
      }
      appends.awaitProgress();
      appends.end();
      appends.check();
    }
  }

  /**
   * Without a process for it: a new one closes the files that it inherits, and those on a mount
   * that nobody answers would hold it up.
   */
  private static void kill(long pid) {
    assertTrue(ProcessHandle.of(pid).orElseThrow().destroyForcibly());
  }

  private Shell quietly(String... words) {
    try {
      return cluster.hypersync(words);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  private AdminClient admin() {
    return new AdminClient(
        new RunDirectory(cluster.runDirectory())
            .workerSocket(cluster.workspace().id(), new WorkerId("a")),
        ASK_LIMIT);
  }

  private JsonNode status() {
    return admin().call("status", JsonNodeFactory.instance.objectNode());
  }

  private void awaitGeneration(int generation) throws Exception {
    Await.until(
        "process number " + generation + " serves",
        () ->
            admin().ask("status") instanceof AdminClient.Reply.Result(JsonNode status)
                && status.path("generation").asInt() == generation
                && status.path("mounted").asBoolean());
  }
}
