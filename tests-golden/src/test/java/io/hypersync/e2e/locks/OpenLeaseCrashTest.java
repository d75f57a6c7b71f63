package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Open files without a name when a worker or the leader dies. */
@RealMounts
class OpenLeaseCrashTest {
  private static final String[] LEASE = {"--set", "hypersync.leader.open_lease_ttl=3s"};
  private static final long LONGER_THAN_THE_LEASE_MS = 5_000;

  @RegisterExtension
  static final TestClusterExtension CLUSTER =
      TestClusterExtension.mended(TestCluster.PATIENT, LEASE);

  private TestCluster cluster;
  private PythonProcess holder;

  @BeforeEach
  void start() throws Exception {
    cluster = CLUSTER.get();
    Await.until("none is left of the test before", () -> orphans() == 0);
    holder = PythonProcess.start();
  }

  @AfterEach
  void stop() throws Exception {
    holder.close();
  }

  @Test
  void theOrphansOfAKilledWorkerAreReapedWhenItsLeaseIsOver() throws Exception {
    holdUnlinked();
    Thread.sleep(LONGER_THAN_THE_LEASE_MS);
    assertEquals(1, orphans());
    cluster.worker("b").kill();
    Await.until("it is reaped", () -> orphans() == 0);
    cluster.assertSameRoots("a");
  }

  @Test
  void anotherRunOfTheLeaderIsToldWhatIsOpen() throws Exception {
    holdUnlinked();
    cluster.leader().kill();
    cluster.startLeader(LEASE);
    cluster.awaitWritable("b");
    Thread.sleep(LONGER_THAN_THE_LEASE_MS);
    assertEquals(1, orphans());
    holder.must("assert os.pread(fd, 99, 0) == b'kept'");
    holder.must("os.close(fd)");
    Await.until("it is reaped", () -> orphans() == 0);
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aFileThatWasMadeWithoutANameMayGetOneLate() throws Exception {
    String folder = cluster.mount("b").toString();
    holder.must("fd = os.open('" + folder + "', os.O_TMPFILE | os.O_RDWR); os.write(fd, b'late')");
    Thread.sleep(LONGER_THAN_THE_LEASE_MS);
    assertEquals(1, orphans());
    holder.must(
        "assert ctypes.CDLL(None).linkat(-100, b'/proc/self/fd/%d' % fd, -100, b'"
            + folder
            + "/late', 0x400) == 0; os.close(fd)");
    assertEquals(0, orphans());
    Thread.sleep(LONGER_THAN_THE_LEASE_MS);
    cluster.settle("a");
    assertEquals("late", Files.readString(cluster.mount("a").resolve("late")));
  }

  private void holdUnlinked() throws Exception {
    Path made = cluster.mount("a").resolve("f");
    Files.writeString(made, "kept");
    cluster.settle("a", "b");
    holder.must("fd = os.open('" + cluster.mount("b").resolve("f") + "', os.O_RDONLY)");
    Files.delete(made);
    assertTrue(orphans() == 1, "it has no name");
  }

  private int orphans() {
    return cluster.leader().status().path("orphans").asInt();
  }
}
