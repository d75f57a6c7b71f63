package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Calls that must not wait for a lock do not wait for an unreachable leader either. They are
 * answered within the time in which the mount turns read-only (hypersync.md 6.4), and at once after
 * that.
 */
@RealMounts
class LocksWithoutLeaderTest {
  /** Ten times the leader_timeout of this test; half of the mutation deadline. */
  private static final String SOON_S = "15";

  /** Calls on an open file, and their results without a leader. */
  private static final List<List<String>> CALLS =
      List.of(
          List.of("fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)", "ENOLCK"),
          List.of("fcntl.flock(fd, fcntl.LOCK_SH | fcntl.LOCK_NB)", "ENOLCK"),
          List.of("fcntl.lockf(fd, fcntl.LOCK_EX | fcntl.LOCK_NB, 10, 0)", "ENOLCK"),
          List.of("fcntl.lockf(fd, fcntl.LOCK_SH | fcntl.LOCK_NB, 10, 0)", "ENOLCK"),
          List.of("fcntl.fcntl(fd, fcntl.F_GETLK, struct.pack('hhqqi', 1, 0, 0, 9, 0))", "ENOLCK"),
          List.of("fcntl.lockf(held, fcntl.LOCK_UN)", "ok"),
          List.of("os.close(held)", "ok"),
          List.of("os.open(file, os.O_RDONLY)", "ok"),
          List.of("os.open(file, os.O_RDWR)", "EROFS"),
          List.of("os.open(file + '.lock', os.O_CREAT | os.O_EXCL | os.O_WRONLY)", "EROFS"),
          List.of("os.chmod(file, 0o600)", "EROFS"));

  /** How the leader became unreachable. */
  enum Gone {
    KILLED,
    STOPPED
  }

  private TestCluster cluster;

  @BeforeEach
  void nothingRuns() throws Exception {
    cluster = TestCluster.create(List.of("hypersync.worker.leader_timeout=1500ms"));
  }

  @AfterEach
  void takeItAway() throws Exception {
    cluster.close();
  }

  @ParameterizedTest
  @EnumSource
  void whatMustNotWaitDoesNotWaitForTheLeader(Gone gone) throws Exception {
    cluster.startLeader("--set", "hypersync.leader.lock_ttl=30m");
    cluster.startWorker("a");
    Path file = Files.createFile(cluster.mount("a").resolve("file"));
    try (PythonProcess python = PythonProcess.start();
        LockHolder holder = LockHolder.start(file).awaitLocked();
        LockHolder waiter = LockHolder.start(file)) {
      python.must("import fcntl, struct");
      python.must("file = '" + file + "'");
      python.must("fd = os.open(file, os.O_RDWR)");
      python.must("held = os.open(file, os.O_RDWR)");
      python.must("fcntl.lockf(held, fcntl.LOCK_EX)");
      Await.until(
          "one waits", () -> cluster.leader().status().path("locks").path("waiting").asInt() == 1);
      switch (gone) {
        case KILLED -> cluster.leader().kill();
        case STOPPED -> cluster.leader().freeze();
      }
      // The first call is made before the worker can have noticed.
      for (List<String> call : CALLS) {
        python.must("begun = time.monotonic()");
        assertEquals(call.get(1), python.run(call.getFirst()), call::toString);
        python.must("assert time.monotonic() - begun < " + SOON_S);
      }
      assertFalse(waiter.isLocked());
      switch (gone) {
        case KILLED -> cluster.startLeader("--set", "hypersync.leader.lock_ttl=30m");
        case STOPPED -> cluster.leader().thaw();
      }
      holder.letGo();
      waiter.awaitLocked();
    }
  }
}
