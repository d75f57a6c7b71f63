package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.SqliteProcess;
import io.hypersync.e2e.load.SqliteProcess.Kind;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SQLite databases in WAL mode: for all processes of one host at a time (decision 044). */
@RealMounts
class SqliteWalTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration IMPATIENCE = Duration.ofMillis(200);

  /** SQLite itself gives up after ten seconds of a lock that it does not understand. */
  private static final Duration SOON = Duration.ofSeconds(8);

  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  private Path a = Path.of("");
  private Path b = Path.of("");

  @BeforeEach
  void aDatabaseInWalMode() throws Exception {
    Path folder = Files.createTempDirectory(CLUSTER.mount("a"), "wal-");
    a = folder.resolve("test.db");
    b = CLUSTER.mount("b").resolve(folder.getFileName()).resolve("test.db");
    try (SqliteProcess first = open(Kind.PROGRAM, a, PATIENCE)) {
      assertEquals("wal", first.must("pragma journal_mode=wal"));
      assertEquals("", first.must("create table t(who text, n int)"));
      first.end();
    }
    CLUSTER.get().settle("b");
  }

  private static SqliteProcess open(Kind kind, Path database, Duration patience) throws Exception {
    return SqliteProcess.start(kind, database, patience);
  }

  private static void insert(SqliteProcess process, String who, int n) throws Exception {
    assertEquals("", process.must("insert into t values('%s', %d)".formatted(who, n)));
  }

  private static void assertWhole(Path database, int rows) throws Exception {
    try (SqliteProcess process = open(Kind.PROGRAM, database, PATIENCE)) {
      assertEquals("ok", process.must("pragma integrity_check"));
      assertEquals(Integer.toString(rows), process.must("select count(*) from t"));
      process.end();
    }
  }

  @Test
  void theProcessesOfOneHostShareIt() throws Exception {
    try (SqliteProcess program = open(Kind.PROGRAM, a, PATIENCE);
        SqliteProcess module = open(Kind.MODULE, a, PATIENCE);
        SqliteProcess reader = open(Kind.PROGRAM, a, PATIENCE)) {
      assertEquals("", reader.must("begin"));
      assertEquals("0", reader.must("select count(*) from t"));
      for (int n = 0; n < 50; n++) {
        insert(program, "program", n);
        insert(module, "module", n);
        assertEquals(Integer.toString(2 * n + 2), program.must("select count(*) from t"));
      }
      assertEquals("0", reader.must("select count(*) from t"), "its snapshot is of before");
      assertEquals("", reader.must("commit"));
      assertEquals("100", reader.must("select count(*) from t"));
      assertTrue(Files.exists(a.resolveSibling("test.db-shm")));
      assertFalse(Files.exists(b.resolveSibling("test.db-shm")), "it is this host's");
      program.end();
      module.end();
      reader.end();
    }
    assertEquals(List.of("test.db"), Directories.names(a.getParent()));
    assertWhole(b, 100);
  }

  @ParameterizedTest
  @EnumSource
  void theOtherHostIsToldThatItIsLockedUntilTheLastProcessHasClosedIt(Kind kind) throws Exception {
    try (SqliteProcess first = open(kind, a, PATIENCE);
        SqliteProcess second = open(kind, a, PATIENCE);
        SqliteProcess other = open(kind, b, IMPATIENCE)) {
      insert(first, "a", 1);
      insert(second, "a", 2);
      for (String statement : List.of("select n from t", "insert into t values('b', 1)")) {
        long beganNs = System.nanoTime();
        String answer = other.must(statement);
        Duration took = Duration.ofNanos(System.nanoTime() - beganNs);
        assertTrue(answer.contains("database is locked"), statement + " -> " + answer);
        assertTrue(took.compareTo(SOON) < 0, statement + " took " + took);
      }
      first.end();
      assertTrue(other.must("select n from t").contains("locked"), "one has it open still");
      insert(second, "a", 3);
      second.end();
      assertEquals("1\n2\n3", other.must("select n from t order by n"));
      insert(other, "b", 4);
      try (SqliteProcess again = open(kind, a, IMPATIENCE)) {
        assertTrue(again.must("select n from t").contains("locked"), "now it is the other's");
      }
      other.end();
    }
    assertWhole(a, 4);
  }

  @Test
  void aBusyTimeoutWaitsForTheOtherHost() throws Exception {
    try (ExecutorService threads = Executors.newSingleThreadExecutor();
        SqliteProcess holder = open(Kind.PROGRAM, a, PATIENCE);
        SqliteProcess waiter = open(Kind.PROGRAM, b, PATIENCE)) {
      insert(holder, "a", 1);
      Future<String> answer = threads.submit(() -> waiter.must("insert into t values('b', 2)"));
      Thread.sleep(2_000);
      assertFalse(answer.isDone());
      holder.end();
      assertEquals("", answer.get());
      waiter.end();
    }
    assertWhole(a, 2);
  }

  @Test
  void hostsInTurnSeeWhatTheOtherHasCommitted() throws Exception {
    int rows = 0;
    for (int turn = 0; turn < 10; turn++) {
      Path database = turn % 2 == 0 ? a : b;
      try (SqliteProcess process =
          open(turn % 4 < 2 ? Kind.PROGRAM : Kind.MODULE, database, PATIENCE)) {
        assertEquals(Integer.toString(rows), process.must("select count(*) from t"));
        for (int n = 0; n < 20; n++, rows++) {
          insert(process, "turn " + turn, n);
        }
        if (turn % 3 != 0) {
          process.end();
        } // else it is killed, and its commits are in the log only
      }
    }
    assertWhole(a, rows);
    assertWhole(b, rows);
  }

  @Test
  void hostsAtOnceLoseNothing() throws Exception {
    int turns = 15;
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      Callable<Void> onA = writer(a, "a", turns);
      Callable<Void> onB = writer(b, "b", turns);
      for (Future<Void> each : threads.invokeAll(List.of(onA, onB, writer(a, "c", turns)))) {
        each.get();
      }
    }
    assertWhole(a, 3 * turns);
    assertWhole(b, 3 * turns);
  }

  /** Opens the database for each row, so that others get their turns. */
  private static Callable<Void> writer(Path database, String who, int turns) {
    return () -> {
      for (int n = 0; n < turns; n++) {
        try (SqliteProcess process = open(Kind.PROGRAM, database, PATIENCE)) {
          insert(process, who, n);
          process.end();
        }
        Thread.sleep(20);
      }
      return null;
    };
  }

  @Test
  void checkpointsAndVacuumWorkAndTheModeCanBeLeft() throws Exception {
    try (SqliteProcess process = open(Kind.PROGRAM, a, PATIENCE)) {
      assertEquals("", process.must("create table big(data blob)"));
      assertEquals(
          "",
          process.must(
              "with recursive c(i) as (select 1 union all select i + 1 from c where i < 400)"
                  + " insert into big select randomblob(5000) from c"));
      assertEquals("0", process.must("pragma wal_checkpoint(truncate)").split("\\|", 2)[0]);
      assertEquals("", process.must("delete from big where rowid % 2 = 0"));
      assertEquals("", process.must("vacuum"));
      assertEquals("200", process.must("select count(*) from big"));
      assertEquals("ok", process.must("pragma integrity_check"));
      assertEquals("delete", process.must("pragma journal_mode=delete"));
      insert(process, "rollback", 1);
      process.end();
    }
    assertWhole(b, 1);
  }

  @Test
  void aFileOfSuchANameBesideAnyOtherFileIsReplicated() throws Exception {
    Path plain = a.resolveSibling("notes");
    Files.writeString(plain, "text");
    Files.writeString(a.resolveSibling("notes-shm"), "mine");
    CLUSTER.get().settle("b");
    assertEquals("mine", Files.readString(b.resolveSibling("notes-shm")));
    Shell.must(a.getParent(), "mv", "notes-shm", "kept");
    CLUSTER.get().settle("b");
    assertEquals("mine", Files.readString(b.resolveSibling("kept")));
  }
}
