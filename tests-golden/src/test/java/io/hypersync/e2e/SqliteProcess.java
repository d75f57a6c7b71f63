package io.hypersync.e2e;

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

/** A process that has a database open and carries out statements, until it is killed. */
final class SqliteProcess implements AutoCloseable {
  private final Process process;
  private final BufferedWriter statements;
  private final BufferedReader output;
  private int asked;

  /** What such a process is. */
  enum Kind {
    /** The sqlite3 program. */
    PROGRAM,
    /** Python and its module. */
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
   * Opens a database, which is made if it is not there.
   *
   * @param patience how long it waits for locks
   */
  static SqliteProcess start(Kind kind, Path database, Duration patience)
      throws IOException, URISyntaxException {
    return start(kind, database, patience, "rwc");
  }

  /**
   * Opens a database that is there. Where its mount has just gone, it makes none in the folder
   * below: a mount is not put over a folder with something in it.
   *
   * @param patience how long it waits for locks
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
      // The next question says so.
    }
    return started;
  }

  /**
   * What a statement gives, line by line; one that fails gives a line with {@code Error}.
   *
   * @return nothing if the process ends before
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
      String line = output.readLine();
      if (line == null) {
        return Optional.empty();
      }
      if (line.equals(end)) {
        return Optional.of(lines);
      }
      lines.add(line);
    }
  }

  /** The same, as one text, of a process that must not end. */
  String must(String statement) throws IOException {
    return String.join(
        "\n", ask(statement).orElseThrow(() -> new AssertionError("ended at " + statement)));
  }

  /** kill -9. */
  void kill() {
    var _ = process.destroyForcibly();
  }

  /** kill -9, and waits until it is gone. */
  @Override
  public void close() throws IOException {
    kill();
    try {
      if (!process.waitFor(Await.LIMIT.toSeconds(), TimeUnit.SECONDS)) {
        throw new AssertionError("it does not die");
      }
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
