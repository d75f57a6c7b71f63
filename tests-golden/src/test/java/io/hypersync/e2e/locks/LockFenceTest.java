package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.SqliteProcess;
import io.hypersync.e2e.load.SqliteProcess.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A host that is frozen for longer than its locks live writes nothing under them (docs/locks.md).
 */
@RealMounts
class LockFenceTest {
  private static final String TTL = "hypersync.leader.lock_ttl=1s";
  private static final String GRACE = "hypersync.leader.lock_grace=500ms";
  private static final String[] LEADER = {"--set", TTL, "--set", GRACE};
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  /** For how long a host is frozen after its session with the leader is over. */
  private static final Duration FROZEN =
      Duration.ofSeconds(Integer.getInteger("hypersync.locks.frozen_s", 0));

  /** Rows of a database, two of them in a page: many more than a small cache has. */
  private static final int ROWS = 100;

  /** What the other host commits meanwhile, at least. */
  private static final int COMMITS = 5;

  @RegisterExtension
  static final TestClusterExtension CLUSTER =
      TestClusterExtension.mended(TestCluster.PATIENT, LEADER);

  private TestCluster cluster;

  @BeforeEach
  void twoHosts() {
    cluster = CLUSTER.get();
  }

  /**
   * Calls that lock, by which a descriptor gets its lock: flock, fcntl, and fcntl of open files.
   */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "fcntl.flock(fd, fcntl.LOCK_EX)",
        "fcntl.lockf(fd, fcntl.LOCK_EX)",
        "fcntl.fcntl(fd, 38, struct.pack('hhqqi', fcntl.F_WRLCK, os.SEEK_SET, 0, 0, 0))",
      })
  void whoHasLostItsLockWritesNothingUntilItLocksAgain(String lock) throws Exception {
    boolean isOfProcess = lock.contains("lockf");
    int fenced = leaderLocks("fenced");
    try (PythonProcess loser = onFile("b");
        PythonProcess winner = onFile("a")) {
      loser.must(lock);
      loser.must("os.pwrite(fd, b'mine', 0)");
      freezeUntilLost();
      winner.must(lock);
      winner.must("os.pwrite(fd, b'yours', 0)");
      cluster.worker("b").thaw();
      // Its mount may still take the leader for gone, for a moment.
      String first = loser.run("os.pwrite(fd, b'late', 0)");
      assertTrue(
          List.of("EIO", "EROFS").contains(first), "the first call after the freeze: " + first);
      cluster.awaitWritable("b");
      assertEquals("EIO", loser.run("os.pwrite(fd, b'late', 0)"));
      assertEquals("EIO", loser.run("os.ftruncate(fd, 0)"));
      assertEquals("EIO", loser.run("os.posix_fallocate(fd, 0, 100)"));
      assertEquals("EIO", loser.run("os.write(os.dup(fd), b'late')"), "the same open file");
      assertEquals(
          isOfProcess ? "EIO" : "ok",
          loser.run("os.pwrite(second, b'!', 50)"),
          "fcntl locks are the process's, whichever descriptor it writes through");
      cluster.worker("b").await("fence it", status -> status.path("locks_fenced").asInt() == 1);
      assertTrue(leaderLocks("fenced") >= fenced + 4);
      assertTrue(cluster.worker("b").log().contains("has lost its locks of node"), cluster.logs());
      winner.must("assert os.pread(fd, 5, 0) == b'yours'");
      winner.must("os.close(fd)");
      loser.must(lock);
      loser.must("os.pwrite(fd, b'again', 0)");
      loser.must("os.pwrite(second, b'!', 50)");
      assertEquals(0, cluster.worker("b").status().path("locks_fenced").asInt());
    }
  }

  @Test
  void namesAndOtherFilesAreNotFenced() throws Exception {
    try (PythonProcess loser = onFile("b")) {
      loser.must("fcntl.flock(fd, fcntl.LOCK_EX)");
      freezeUntilLost();
      cluster.worker("b").thaw();
      cluster.awaitWritable("b");
      assertEquals("EIO", loser.run("os.pwrite(fd, b'late', 0)"));
      loser.must("os.truncate(file, 1)");
      loser.must("open(file + '.other', 'w').write('x')");
      loser.must("os.close(fd)");
      loser.must("fd = os.open(file, os.O_RDWR)");
      loser.must("os.pwrite(fd, b'new', 0)");
    }
  }

  /** It knows of no locks, so whoever comes gets them; and of nobody who believes to have some. */
  @Test
  void aNewLeaderRefusesWhatRestsOnTheLocksOfTheOneBefore() throws Exception {
    try (PythonProcess loser = onFile("b");
        PythonProcess other = onFile("a")) {
      loser.must("fcntl.flock(fd, fcntl.LOCK_EX)");
      cluster.leader().kill();
      cluster.startLeader(LEADER);
      cluster.awaitWritable("a");
      cluster.awaitWritable("b");
      other.must("fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)");
      assertEquals("EIO", loser.run("os.pwrite(fd, b'late', 0)"));
      loser.must("os.pwrite(second, b'not under the lock', 0)");
    }
  }

  /**
   * B is frozen in a transaction, for longer than its locks and its session live, while A commits:
   * with B's pages in its cache, or half of them written and a hot journal beside them.
   */
  @ParameterizedTest
  @EnumSource
  @LongVersion
  void aDatabaseIsNeverCorruptThoughItsWriterIsFrozen(Kind kind) throws Exception {
    for (int cachePages : new int[] {2_000, 5}) {
      String name = "db-" + cachePages;
      Path onA = cluster.mount("a").resolve(name);
      Path onB = cluster.mount("b").resolve(name);
      try (SqliteProcess a = SqliteProcess.start(kind, onA, PATIENCE)) {
        assertEquals("", a.must("create table t(version int, data blob)"));
        assertEquals(
            "",
            a.must(
                "with recursive c(i) as (select 1 union all select i + 1 from c where i < "
                    + ROWS
                    + ")"
                    + " insert into t select 1, randomblob(2000) from c"));
        assertEquals("", a.must("create index i on t(version)"));
        Await.until(onB + " is there", () -> Files.exists(onB));
        try (SqliteProcess b = SqliteProcess.start(kind, onB, PATIENCE)) {
          assertEquals("", b.must("pragma cache_size=" + cachePages));
          assertEquals("", b.must("begin immediate"));
          assertEquals("", b.must("update t set version = 2, data = randomblob(2000)"));
          freezeUntilLost();
          Await.until("the leader misses B", () -> connected() == 1);
          long thawNs = System.nanoTime() + FROZEN.toNanos();
          int version = 3;
          while (version < 3 + COMMITS || System.nanoTime() < thawNs) {
            assertEquals("", a.must("update t set version = " + version));
            assertEquals("", a.must("delete from t where rowid = " + version));
            version++;
          }
          cluster.worker("b").thaw();
          assertTrue(b.must("commit").contains("rror"), "the commit of who has lost its lock");
          String judged = a.must("select count(*), min(version), max(version) from t");
          assertEquals((ROWS + 3 - version) + "|" + (version - 1) + "|" + (version - 1), judged);
          assertEquals("ok", a.must("pragma integrity_check"));
          cluster.awaitWritable("b");
        }
        try (SqliteProcess b = SqliteProcess.start(kind, onB, PATIENCE)) {
          assertEquals("ok", b.must("pragma integrity_check"));
          assertEquals("", b.must("update t set version = 1000"));
        }
        assertEquals("1000|1000", a.must("select min(version), max(version) from t"));
        assertEquals("ok", a.must("pragma integrity_check"));
      }
    }
  }

  /** B's worker stands still until A could have its locks. */
  private void freezeUntilLost() throws Exception {
    int before = leaderLocks("expired");
    cluster.worker("b").freeze();
    Await.until("the locks of B are free", () -> leaderLocks("expired") > before);
  }

  private PythonProcess onFile(String worker) throws Exception {
    Path made = cluster.mount("a").resolve("file");
    if (!Files.exists(made)) {
      Files.write(made, new byte[100]);
    }
    Path file = cluster.mount(worker).resolve("file");
    Await.until(file + " is there", () -> Files.exists(file));
    PythonProcess python = PythonProcess.start();
    for (String line :
        List.of(
            "import fcntl, struct",
            "file = '" + file + "'",
            "fd = os.open(file, os.O_RDWR)",
            "second = os.open(file, os.O_RDWR)")) {
      python.must(line);
    }
    return python;
  }

  private long connected() {
    return cluster
        .leader()
        .status()
        .path("workers")
        .valueStream()
        .filter(worker -> worker.path("connected").asBoolean())
        .count();
  }

  private int leaderLocks(String key) {
    return cluster.leader().status().path("locks").path(key).asInt();
  }
}
