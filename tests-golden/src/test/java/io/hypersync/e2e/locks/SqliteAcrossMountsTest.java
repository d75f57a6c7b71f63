package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.SqliteProcess;
import io.hypersync.e2e.load.SqliteProcess.Kind;
import io.hypersync.e2e.load.SqliteWriters;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** SQLite databases that processes on two mounts have open at the same time. */
@RealMounts
class SqliteAcrossMountsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration IMPATIENCE = Duration.ofMillis(300);
  private static final int KILLS = Integer.getInteger("hypersync.sqlite.kills", 40);

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @Test
  @LongVersion
  void killedWritersLoseNothingThatWasAcknowledged() throws Exception {
    long seed = Long.getLong("hypersync.seed", System.nanoTime());
    List<Path> databases = List.of(database("a", "killed"), database("b", "killed"));
    try (SqliteWriters writers = new SqliteWriters(databases)) {
      writers.kill(KILLS, new Random(seed));
      writers.stopAndJudge();
      for (Path database : databases) {
        assertEquals(Set.of(), writers.refusals(database), "seed " + seed);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void aHotJournalIsRolledBackByTheOtherMount(Kind kind) throws Exception {
    Path onA = database("a", "hot-" + kind);
    Path onB = database("b", "hot-" + kind);
    try (SqliteProcess a = SqliteProcess.start(kind, onA, PATIENCE)) {
      assertEquals("", a.must("create table t(version int, data blob)"));
      assertEquals(
          "",
          a.must(
              "with recursive c(i) as (select 1 union all select i + 1 from c where i < 300)"
                  + " insert into t select 1, randomblob(2000) from c"));
      byte[] before = Files.readAllBytes(onA);
      assertEquals("", a.must("pragma cache_size=5"));
      assertEquals("", a.must("begin"));
      assertEquals("", a.must("update t set version = 2, data = randomblob(2000)"));
      assertFalse(Arrays.equals(before, Files.readAllBytes(onA)), "nothing is half done");
      assertTrue(Files.exists(journal(onA)));
    }
    try (SqliteProcess b = SqliteProcess.start(kind, onB, PATIENCE)) {
      assertEquals("300|1|1", b.must("select count(*), min(version), max(version) from t"));
      assertEquals("ok", b.must("pragma integrity_check"));
      assertFalse(Files.exists(journal(onB)), "the journal is still there");
    }
    CLUSTER.get().settle("a");
    assertFalse(Files.exists(journal(onA)), "the journal is still there");
    assertArrayEquals(Files.readAllBytes(onB), Files.readAllBytes(onA));
  }

  @ParameterizedTest
  @EnumSource
  void walWorksForOneWhoHasTheFileForHimself(Kind kind) throws Exception {
    Path onA = database("a", "exclusive-" + kind);
    Path onB = database("b", "exclusive-" + kind);
    try (SqliteProcess a = SqliteProcess.start(kind, onA, PATIENCE)) {
      assertEquals("exclusive", a.must("pragma locking_mode=exclusive"));
      assertEquals("wal", a.must("pragma journal_mode=wal"));
      assertEquals("", a.must("create table t(n int)"));
      assertEquals("", a.must("insert into t values(1)"));
      assertEquals("", a.must("insert into t values(2)"));
      CLUSTER.get().settle("b");
      try (SqliteProcess b = SqliteProcess.start(kind, onB, IMPATIENCE)) {
        assertEquals("exclusive", b.must("pragma locking_mode=exclusive"));
        assertRefused("database is locked", b, "select n from t");
      }
    }
    // The process was killed, so its commits are only in the WAL; the other process must find them
    // there.
    backToRollback(kind, onB);
    for (Path database : List.of(onB, onA)) {
      try (SqliteProcess process = SqliteProcess.start(kind, database, PATIENCE)) {
        assertEquals("1\n2", process.must("select n from t order by n"));
        assertEquals("ok", process.must("pragma integrity_check"));
      }
    }
  }

  /** Leaves WAL mode as the README describes. */
  private static void backToRollback(Kind kind, Path database) throws Exception {
    try (SqliteProcess process = SqliteProcess.start(kind, database, PATIENCE)) {
      assertEquals("exclusive", process.must("pragma locking_mode=exclusive"));
      assertEquals("delete", process.must("pragma journal_mode=delete"));
    }
  }

  private static void assertRefused(String why, SqliteProcess process, String statement)
      throws IOException {
    String answer = process.must(statement);
    assertTrue(answer.contains("rror") && answer.contains(why), statement + " -> " + answer);
  }

  private static Path database(String worker, String name) throws IOException {
    Path folder = CLUSTER.mount("a").resolve("sqlite-" + name);
    if (!Files.exists(folder)) {
      Files.createDirectory(folder);
    }
    return CLUSTER.mount(worker).resolve(folder.getFileName()).resolve("test.db");
  }

  private static Path journal(Path database) {
    return database.resolveSibling("test.db-journal");
  }
}
