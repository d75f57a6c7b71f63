package io.hypersync.e2e.load;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.load.SqliteProcess.Kind;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Processes on both mounts that write into one database, each mount with sqlite3 and Python's
 * module. A process that was killed is replaced. The acknowledged commits are remembered, so that
 * their presence can be checked at the end.
 */
public final class SqliteWriters implements AutoCloseable {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final int MAX_PAUSE_MS = 20;

  private final List<Writer> writers = new ArrayList<>();
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final List<Future<Void>> running = new ArrayList<>();
  private final List<Path> databases;
  private volatile boolean over;

  /**
   * A writer: inserts one row after another, through one process after another.
   *
   * @param acknowledged rows whose commit was reported
   * @param unknown rows whose outcome is unknown
   * @param refusals error messages
   */
  private record Writer(
      String who,
      Kind kind,
      Path database,
      AtomicReference<@Nullable SqliteProcess> process,
      Set<String> acknowledged,
      Set<String> unknown,
      Set<String> refusals) {}

  /**
   * Creates the table and starts the writers.
   *
   * @param databases path of the database on each mount
   */
  public SqliteWriters(List<Path> databases) throws Exception {
    this.databases = databases;
    try (SqliteProcess first = SqliteProcess.start(Kind.PROGRAM, databases.getFirst(), PATIENCE)) {
      assertEquals(
          "", first.must("create table t(who text, n int, data blob, primary key(who, n))"));
    }
    for (Path database : databases) {
      Await.until(database + " is there", () -> Files.exists(database));
      for (Kind kind : Kind.values()) {
        String who = kind + " " + databases.indexOf(database);
        writers.add(
            new Writer(
                who,
                kind,
                database,
                new AtomicReference<>(),
                new ConcurrentSkipListSet<>(),
                new ConcurrentSkipListSet<>(),
                new ConcurrentSkipListSet<>()));
      }
    }
    for (Writer writer : writers) {
      running.add(threads.submit(() -> write(writer)));
    }
  }

  private Void write(Writer writer) throws Exception {
    int n = 0;
    Random random = new Random(writer.who.hashCode());
    while (!over) {
      if (!Files.exists(writer.database)) {
        Thread.sleep(50); // the mount is gone
        continue;
      }
      try (SqliteProcess process =
          SqliteProcess.startOnExisting(writer.kind, writer.database, PATIENCE)) {
        writer.process.set(process);
        boolean goesOn = true;
        while (goesOn && !over) {
          n++;
          goesOn = insert(writer, process, n);
          Thread.sleep(random.nextInt(MAX_PAUSE_MS)); // SQLite's locks are not fair
        }
      }
    }
    return null;
  }

  /** Inserts a row; returns whether the process can continue. */
  private static boolean insert(Writer writer, SqliteProcess process, int n) throws IOException {
    String row = writer.who + " " + n;
    Optional<List<String>> answer =
        process.ask("insert into t values('%s', %d, randomblob(9000))".formatted(writer.who, n));
    if (answer.isPresent() && answer.get().isEmpty()) {
      writer.acknowledged.add(row);
      return true;
    }
    writer.unknown.add(row);
    answer.ifPresent(writer.refusals::addAll);
    return false;
  }

  /**
   * Kills a random writer's process at a random moment, {@code times} times, with at least one
   * commit in between.
   */
  public void kill(int times, Random random) throws InterruptedException {
    for (int i = 0; i < times; i++) {
      int before = acknowledged();
      Await.until("somebody commits", () -> acknowledged() > before);
      Thread.sleep(random.nextInt(MAX_PAUSE_MS));
      SqliteProcess victim = writers.get(random.nextInt(writers.size())).process.get();
      if (victim != null) {
        victim.kill();
      }
    }
  }

  private int acknowledged() {
    return writers.stream().mapToInt(writer -> writer.acknowledged.size()).sum();
  }

  /** Number of acknowledged commits of the writers that use this path. */
  public int acknowledged(Path database) {
    return writers.stream()
        .filter(writer -> writer.database.equals(database))
        .mapToInt(writer -> writer.acknowledged.size())
        .sum();
  }

  /** Error messages that the writers of this path got. */
  public Set<String> refusals(Path database) {
    Set<String> all = new TreeSet<>();
    writers.stream()
        .filter(writer -> writer.database.equals(database))
        .forEach(writer -> all.addAll(writer.refusals));
    return all;
  }

  /**
   * Stops the writers. The database must be intact on every mount, and contain all acknowledged
   * rows.
   */
  public void stopAndJudge() throws Exception {
    over = true;
    for (Future<Void> each : running) {
      each.get();
    }
    for (Path database : databases) {
      try (SqliteProcess reader = SqliteProcess.startOnExisting(Kind.PROGRAM, database, PATIENCE)) {
        assertEquals("ok", reader.must("pragma integrity_check"), database::toString);
        Set<String> rows =
            new TreeSet<>(reader.must("select who || ' ' || n from t").lines().toList());
        for (Writer writer : writers) {
          Set<String> lost = new TreeSet<>(writer.acknowledged);
          lost.removeAll(rows);
          assertEquals(Set.of(), lost, "acknowledged, and lost on " + database);
          rows.removeAll(writer.acknowledged);
          rows.removeAll(writer.unknown);
        }
        assertEquals(Set.of(), rows, "rows that nobody has written");
      }
      assertTrue(
          Files.notExists(database.resolveSibling(database.getFileName() + "-journal")),
          "a journal is left on " + database);
    }
    for (Writer writer : writers) {
      System.err.printf(
          "%s: %d commits acknowledged, %d interrupted, %s%n",
          writer.who, writer.acknowledged.size(), writer.unknown.size(), writer.refusals);
    }
  }

  @Override
  public void close() throws IOException {
    over = true;
    for (Writer writer : writers) {
      SqliteProcess process = writer.process.get();
      if (process != null) {
        process.close();
      }
    }
    threads.close();
  }
}
