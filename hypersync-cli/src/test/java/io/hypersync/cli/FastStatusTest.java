package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.admin.AdminServer;
import io.hypersync.runtime.admin.RunDirectory;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code FastStatus} and the picocli command give the same result. */
final class FastStatusTest {
  @TempDir Path run;

  private Invocation shortWay(Path directory, List<String> args) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode =
        FastStatus.run(
            args,
            Map.of(RunDirectory.VARIABLE, directory.toString()),
            new PrintWriter(out),
            new PrintWriter(err));
    return new Invocation(exitCode, out.toString(), err.toString());
  }

  private static Invocation longWay(Path directory, List<String> args) {
    List<String> words = new ArrayList<>(args);
    words.addAll(List.of("--run-dir", directory.toString()));
    return Invocation.of(words.toArray(String[]::new));
  }

  private AdminServer daemon(String role) {
    ObjectNode status =
        JsonNodeFactory.instance
            .objectNode()
            .put("role", role)
            .put("workspace_name", "t\u00e9am")
            .put("worker_id", "fmd")
            .put("files", 1200);
    return AdminServer.start(
        run.resolve(role + "-00112233-fmd.sock"), Map.of("status", _ -> status));
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "status --json"})
  void bothShowTheSameDaemons(String line) {
    List<String> args = List.of(line.split(" ", -1));
    try (AdminServer _ = daemon("leader");
        AdminServer _ = daemon("worker")) {
      Invocation expected = longWay(run, args);
      assertEquals(0, expected.exitCode(), expected.err());
      assertTrue(expected.out().contains("fmd"), expected.out());
      assertEquals(expected, shortWay(run, args));
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "status --json"})
  void bothSayAlikeThatThereIsNone(String line) {
    List<String> args = List.of(line.split(" ", -1));
    Invocation expected = longWay(run, args);
    assertEquals(1, expected.exitCode());
    assertEquals(expected, shortWay(run, args));
  }

  @ParameterizedTest
  @ValueSource(strings = {"status", "status --json"})
  void bothFailAlike(String line) throws IOException {
    Path file = Files.createFile(run.resolve("file"));
    List<String> args = List.of(line.split(" ", -1));
    Invocation expected = longWay(file, args);
    assertTrue(expected.err().startsWith("hypersync: cannot list"), expected.err());
    assertEquals(expected, shortWay(file, args));
  }

  @Test
  void onlyWhatHasNothingElseToReadTakesTheShortWay() {
    assertTrue(FastStatus.isMeant(List.of("status")));
    assertTrue(FastStatus.isMeant(List.of("status", "--json")));
    for (String other :
        List.of(
            "", "log", "log --json", "status --help", "status --json --json", "--json status")) {
      assertFalse(FastStatus.isMeant(List.of(other.split(" ", -1))), other);
    }
    assertFalse(FastStatus.isMeant(List.of()));
  }

  @Test
  void theTrainingLeavesNothingBehind() throws IOException {
    Path run = Files.createTempDirectory("hypersync-training-");
    AotTraining.train(run);
    assertFalse(Files.exists(run));
  }
}
