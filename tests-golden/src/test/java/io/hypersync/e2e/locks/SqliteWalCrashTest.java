package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.SqliteProcess;
import io.hypersync.e2e.load.SqliteProcess.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * SQLite databases in WAL mode when the host that has one loses its lease: whatever was
 * acknowledged is there, and the database is whole (decision 044).
 */
@RealMounts
class SqliteWalCrashTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String[] LEADER = {
    "--set", "hypersync.leader.lock_ttl=2s", "--set", "hypersync.leader.lock_grace=1s"
  };

  @RegisterExtension
  static final TestClusterExtension CLUSTER =
      TestClusterExtension.mended(List.of("hypersync.worker.leader_timeout=5s"), LEADER);

  private TestCluster cluster;
  private Path a = Path.of("");
  private Path b = Path.of("");
  private int rows;

  @BeforeEach
  void aDatabaseInWalMode() throws Exception {
    cluster = CLUSTER.get();
    a = cluster.mount("a").resolve("test.db");
    b = cluster.mount("b").resolve("test.db");
    try (SqliteProcess first = open(Kind.PROGRAM, a)) {
      assertEquals("wal", first.must("pragma journal_mode=wal"));
      assertEquals("", first.must("create table t(n int, data blob)"));
      first.end();
    }
    Await.until("it is on b", () -> Files.exists(b));
  }

  private static SqliteProcess open(Kind kind, Path database) throws Exception {
    return SqliteProcess.start(kind, database, PATIENCE);
  }

  private void insert(SqliteProcess process) throws Exception {
    assertEquals("", process.must("insert into t values(%d, randomblob(6000))".formatted(rows)));
    rows++;
  }

  private void insert(SqliteProcess process, int count) throws Exception {
    for (int i = 0; i < count; i++) {
      insert(process);
    }
  }

  private void assertWhole(Path database) throws Exception {
    try (SqliteProcess process = open(Kind.PROGRAM, database)) {
      assertEquals("ok", process.must("pragma integrity_check"));
      List<String> expected = new ArrayList<>();
      for (int n = 0; n < rows; n++) {
        expected.add(Integer.toString(n));
      }
      assertEquals(
          expected,
          process.must("select n from t where n >= 0 order by n").lines().toList(),
          "what was acknowledged");
      process.end();
    }
  }

  @Test
  void theOtherHostTakesOverWhenTheWorkerOfTheFirstIsKilled() throws Exception {
    try (SqliteProcess holder = open(Kind.PROGRAM, a);
        SqliteProcess other = open(Kind.PROGRAM, b)) {
      insert(holder, 30); // without a checkpoint: they are in the log only
      long killedNs = System.nanoTime();
      cluster.worker("a").kill();
      assertEquals("30", other.must("select count(*) from t"));
      long tookMs = (System.nanoTime() - killedNs) / 1_000_000;
      assertTrue(tookMs > 1_000, "before the lease was over: " + tookMs + " ms");
      insert(other, 30);
      other.end();
    }
    assertWhole(b);
    Shell.must(cluster.root(), "umount", "-l", cluster.mount("a").toString());
    cluster.startWorker("a");
    assertWhole(a);
    cluster.assertSameRoots("a", "b");
  }

  /** The new run proves that the old one is gone, and its memory with it. */
  @Test
  void aWorkerThatStartsAgainBeginsWithoutTheMemoryOfBefore() throws Exception {
    try (SqliteProcess holder = open(Kind.PROGRAM, a)) {
      insert(holder, 10);
      cluster.worker("a").kill();
    }
    Shell.must(cluster.root(), "umount", "-l", cluster.mount("a").toString());
    cluster.startWorker("a");
    try (SqliteProcess again = open(Kind.PROGRAM, a)) {
      insert(again, 10);
      again.end();
    }
    assertWhole(a);
    assertWhole(b);
  }

  /** A leader that starts knows of no lease; so nobody goes on with the memory of before. */
  @ParameterizedTest
  @EnumSource
  void whoHadItOpenWhenTheLeaderWasKilledIsToldAndCanOpenItAgain(Kind kind) throws Exception {
    try (SqliteProcess holder = open(kind, a);
        SqliteProcess sibling = open(kind, a)) {
      insert(holder, 20);
      assertEquals("", sibling.must("begin"));
      assertEquals("20", sibling.must("select count(*) from t"));
      int lostBefore = locksLost();
      cluster.leader().kill();
      cluster.startLeader(LEADER);
      cluster.worker("a").await("say that it lost its locks", _ -> locksLost() > lostBefore);
      cluster.awaitWritable("a");
      cluster.awaitWritable("b");
      try (SqliteProcess other = open(kind, b)) {
        insert(other, 20);
        assertEquals("0", other.must("pragma wal_checkpoint(restart)").split("\\|", 2)[0]);
        insert(other, 20);
        assertFails(holder, "insert into t values(-1, randomblob(6000))");
        assertFails(sibling, "select count(*) from t where hex(data) = 'of pages not read yet'");
        insert(other, 1);
      }
    }
    assertWhole(b);
    assertWhole(a);
  }

  private int locksLost() {
    return cluster.worker("a").status().path("locks_lost").asInt();
  }

  /** SQLite takes what the locks of the memory say for "database is locked", and tries again. */
  private static void assertFails(SqliteProcess process, String statement) throws Exception {
    var _ = process.must("pragma busy_timeout=100");
    String answer = process.must(statement);
    assertTrue(answer.contains("rror"), statement + " -> " + answer);
  }

  /** What it has begun must not come to pass when it is back: the other host has gone on. */
  @ParameterizedTest
  @EnumSource
  void aHostThatWasFrozenBeyondItsLeaseWritesNothingMore(Kind kind) throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor();
        SqliteProcess holder = open(kind, a);
        SqliteProcess other = open(kind, b)) {
      insert(holder, 20);
      assertEquals("", holder.must("begin immediate"));
      assertEquals("", holder.must("update t set data = randomblob(6000)"));
      cluster.worker("a").freeze();
      Future<String> late = threads.submit(() -> holder.must("commit"));
      insert(other, 20);
      assertEquals("0", other.must("pragma wal_checkpoint(restart)").split("\\|", 2)[0]);
      insert(other, 20);
      cluster.worker("a").thaw();
      String answer = late.get();
      assertTrue(answer.contains("rror"), "commit -> " + answer);
      insert(other, 5);
      assertFails(holder, "insert into t values(-1, randomblob(6000))");
      holder.end(); // which must not take the log for its own, and remove it
      insert(other, 5);
      other.end();
    }
    assertWhole(b);
    assertWhole(a);
    cluster.assertSameRoots("a", "b");
  }
}
