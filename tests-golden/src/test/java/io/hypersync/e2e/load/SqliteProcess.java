package io.hypersync.e2e.load;

import io.hypersync.e2e.harness.Await;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A process that has a database open and executes statements until it is killed. */
public final class SqliteProcess implements AutoCloseable {
  private final Process process;
  private final BufferedWriter statements;
  private final BufferedReader output;
  private int asked;

  /** The implementation of SQLite's client. */
  public enum Kind {
    /** The sqlite3 program. */
    PROGRAM,
    /** Python's sqlite3 module. */
    MODULE
  }

  private SqliteProcess(Process process) {
    this.process = process;
    statements =
        new BufferedWriter(
            new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    output =
        new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
  }

  /**
   * Opens a database, and creates it if it does not exist.
   *
   * @param patience busy timeout: how long statements wait for locks
   */
  public static SqliteProcess start(Kind kind, Path database, Duration patience)
      throws IOException, URISyntaxException {
    return start(kind, database, patience, "rwc");
  }

  /**
   * Opens an existing database. If its mount has just gone away, this creates no file in the
   * directory below, which would prevent a new mount there.
   *
   * @param patience busy timeout: how long statements wait for locks
   */
  static SqliteProcess startOnExisting(Kind kind, Path database, Duration patience)
      throws IOException, URISyntaxException {
    return start(kind, database, patience, "rw");
  }

  private static SqliteProcess start(Kind kind, Path database, Duration patience, String mode)
      throws IOException, URISyntaxException {
    String uri = "file:" + database + "?mode=" + mode;
    URL script = Objects.requireNonNull(SqliteProcess.class.getResource("/sqlite/statements.py"));
    List<String> command =
        switch (kind) {
          case PROGRAM -> List.of("stdbuf", "-oL", "sqlite3", "-batch", uri);
          case MODULE -> List.of("python3", Path.of(script.toURI()).toString(), uri);
        };
    SqliteProcess started =
        new SqliteProcess(new ProcessBuilder(command).redirectErrorStream(true).start());
    try {
      Optional<List<String>> _ = started.ask("pragma busy_timeout=" + patience.toMillis());
    } catch (IOException alreadyGone) {
      // The next statement reports it.
    }
    return started;
  }

  /**
   * Executes a statement; returns its output by lines. A statement that fails gives a line with
   * {@code Error}.
   *
   * @return empty if the process ends before the statement
   */
  Optional<List<String>> ask(String statement) throws IOException {
    asked++;
    String end = "end of " + asked;
    List<String> lines = new ArrayList<>();
    try {
      statements.write(statement + ";\nselect '" + end + "';\n");
      statements.flush();
    } catch (IOException gone) {
      return Optional.empty();
    }
    while (true) {
      String line = readLine();
      if (line == null) {
        return Optional.empty();
      }
      if (line.equals(end)) {
        return Optional.of(lines);
      }
      lines.add(line);
    }
  }

  private @Nullable String readLine() {
    try {
      return output.readLine();
    } catch (IOException killed) { // which has closed the stream
      return null;
    }
  }

  /** The output of a statement as one text; fails if the process ends. */
  public String must(String statement) throws IOException {
    return String.join(
        "\n", ask(statement).orElseThrow(() -> new AssertionError("ended at " + statement)));
  }

  /** Closes the database, and waits until the process has ended. */
  public void end() throws IOException {
    statements.close();
    await("it does not end");
  }

  /** Sends SIGKILL. */
  public void kill() {
    var _ = process.destroyForcibly();
  }

  /** Sends SIGKILL, and waits until the process is gone. */
  @Override
  public void close() throws IOException {
    kill();
    await("it does not die");
  }

  private void await(String otherwise) {
    try {
      if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError(otherwise);
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
