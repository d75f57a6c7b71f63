package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.SqliteWriters;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** SQLite on two mounts, while the worker of one is killed and started again. */
@RealMounts
class SqliteWorkerCrashTest {
  private static final int COMMITS = 6;

  @RegisterExtension final TestClusterExtension extension = new TestClusterExtension();

  @Test
  void theDatabaseIsWholeAndTheOtherMountNoticesNothing() throws Exception {
    TestCluster cluster = extension.get();
    Path onA = cluster.mount("a").resolve("test.db");
    Path onB = cluster.mount("b").resolve("test.db");
    try (SqliteWriters writers = new SqliteWriters(List.of(onA, onB))) {
      Await.until("B has committed", () -> writers.acknowledged(onB) >= COMMITS);
      cluster.worker("b").kill();
      int before = writers.acknowledged(onA);
      Await.until("A goes on", () -> writers.acknowledged(onA) >= before + COMMITS);
      Shell.must(cluster.root(), "umount", "-l", cluster.mount("b").toString());
      cluster.startWorker("b");
      int again = writers.acknowledged(onB);
      Await.until("B goes on", () -> writers.acknowledged(onB) >= again + COMMITS);
      writers.stopAndJudge();
      assertEquals(Set.of(), writers.refusals(onA));
    }
    assertEquals(List.of(), leftovers(cluster.mount("a")));
    cluster.assertSameRoots("a", "b");
  }

  private static List<String> leftovers(Path folder) throws Exception {
    return Directories.names(folder).stream().filter(name -> !name.equals("test.db")).toList();
  }
}
