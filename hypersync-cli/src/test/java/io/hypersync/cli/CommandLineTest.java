package io.hypersync.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.wire.message.Protocol;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.ToIntBiFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Output, errors and exit codes that all commands have in common. */
final class CommandLineTest {
  @TempDir Path directory;

  static Set<String> commands() {
    return line("").getSubcommands().keySet();
  }

  private static CommandLine line(String command) {
    return Main.commandLine(
        command,
        options -> {
          throw new AssertionError("no leader is wanted");
        },
        options -> {
          throw new AssertionError("no worker is wanted");
        });
  }

  @Test
  void aCommandThatIsNamedIsTheOnlyOneThatIsReadAndTheSameOne() {
    CommandLine all = line("no such command");
    assertEquals(commands(), all.getSubcommands().keySet());
    for (String name : commands()) {
      Map<String, CommandLine> found = line(name).getSubcommands();
      assertEquals(Set.of(name), found.keySet());
      assertEquals(name, found.get(name).getCommandName(), "as its annotation says");
      assertEquals(
          all.getSubcommands().get(name).getCommand().getClass(),
          found.get(name).getCommand().getClass());
    }
  }

  @Test
  void thereAreTheCommandsOfTheSpecificationAndMore() {
    assertEquals(
        Set.of(
            "cut-log",
            "convert",
            "demo",
            "up",
            "down",
            "init",
            "token",
            "certs",
            "leader",
            "worker",
            "mount",
            "umount",
            "status",
            "top",
            "log",
            "who",
            "hazards",
            "reservations",
            "peers",
            "events",
            "leadership",
            "putex",
            "standby",
            "promote",
            "failover",
            "message",
            "place",
            "robot",
            "ntm",
            "doctor",
            "config",
            "support",
            "env",
            "exec",
            "snapshot",
            "gc",
            "scrub",
            "backup",
            "diff",
            "restore",
            "undo",
            "visibility",
            "at",
            "bisect",
            "trace",
            "replay",
            "why-slow",
            "profile"),
        commands());
  }

  @ParameterizedTest(name = "{0} --help")
  @MethodSource("commands")
  void everyCommandHasHelpWithExamples(String command) {
    Invocation help = Invocation.of(command, "--help");
    assertEquals(0, help.exitCode(), help.err());
    assertTrue(help.out().startsWith("Usage: hypersync " + command), help.out());
    String examples = help.out().substring(help.out().indexOf("Examples:") + 1);
    assertTrue(
        help.out().contains("Examples:") && examples.contains("./hypersync " + command),
        "no example of ./hypersync " + command + " in:\n" + help.out());
  }

  @Test
  void theVersionHasThreeNumbers() throws IOException {
    for (String option : List.of("--version", "-V")) {
      Invocation said = Invocation.of(option);
      assertEquals(0, said.exitCode(), said.err());
      assertTrue(
          said.out().matches("hypersync \\d+\\.\\d+\\.\\d+\\S* \\(protocol \\d+\\)\n"), said.out());
    }
    JsonNode json = new ObjectMapper().readTree(Invocation.of("--version", "--json").out());
    assertEquals("hypersync", json.path("name").asText());
    assertTrue(json.path("version").asText().matches("\\d+\\.\\d+\\.\\d+\\S*"), json::toString);
    assertEquals(Protocol.REVISION, json.path("revision").asInt());
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "--stauts",
        "status extra",
        "log --tail",
        "log --tail many",
        "init",
        "restore x"
      })
  void aMisuseIsOneSentenceAndWhereToLook(String line) {
    Invocation misuse = Invocation.of(line.isEmpty() ? new String[0] : line.split(" ", -1));
    assertEquals(2, misuse.exitCode());
    assertTrue(
        misuse.err().matches("(?s)hypersync: [^\n]+\n  See: \\./hypersync .*--help\n"),
        misuse.err());
    assertEquals("", misuse.out());
  }

  @Test
  void jsonBeforeTheCommandIsRefusedAndNotIgnored() {
    Invocation misuse = Invocation.of("--json", "status");
    assertEquals(2, misuse.exitCode());
    assertTrue(misuse.err().contains("--version"), misuse.err());
  }

  @ParameterizedTest
  @CsvSource({"attach,worker", "stauts,status", "unmount,umount", "logg,log", "whyslow,why-slow"})
  void aWordThatIsNoCommandIsAnsweredWithOneThatIs(String word, String command) {
    Invocation misuse = Invocation.of(word, "--json");
    assertEquals(2, misuse.exitCode());
    assertEquals(
        "hypersync: there is no command \"%s\"\n  Did you mean: ./hypersync %s\n"
                .formatted(word, command)
            + "  See: ./hypersync --help\n",
        misuse.err());
  }

  @Test
  void aWordThatIsLikeNoCommandIsNotGuessedAt() {
    assertEquals(
        "hypersync: there is no command \"frobnicate\"\n  See: ./hypersync --help\n",
        Invocation.of("frobnicate").err());
  }

  @Test
  void aFailureIsOneSentenceAndWhatToDoWithoutAnyStackTrace() {
    Invocation failure = Invocation.of("leader", "--dir", directory.toString());
    assertEquals(2, failure.exitCode());
    assertEquals(
        "hypersync: "
            + directory
            + " is not the folder of a workspace: it has no workspace.toml\n"
            + "  Name the folder: --dir <dir>\n"
            + "  or make a workspace: ./hypersync init <dir>\n",
        failure.err());
  }

  @Test
  void withJsonAFailureIsJsonToo() throws IOException {
    Invocation failure = Invocation.of("log", "--json", "--run-dir", directory.toString());
    assertEquals(1, failure.exitCode());
    JsonNode error = new ObjectMapper().readTree(failure.out()).path("error");
    assertEquals(
        "no leader runs on this machine (looked in " + directory + ")",
        error.path("message").asText());
    assertFalse(error.path("hint").asText().isEmpty());
    assertEquals(1, error.path("exit_code").asInt());
  }

  @Test
  void aBugIsAStackTraceAndWithJsonJsonToo() throws IOException {
    IllegalStateException bug = new IllegalStateException("boom");
    Invocation failure =
        reported((out, err) -> ErrorReport.onFailure(bug, out, err, List.of("log", "--json")));
    assertEquals(70, failure.exitCode());
    assertTrue(failure.err().contains("at " + getClass().getName()), failure.err());
    JsonNode error = new ObjectMapper().readTree(failure.out()).path("error");
    assertEquals(
        "this is a bug in hypersync: java.lang.IllegalStateException: boom",
        error.path("message").asText());
    assertFalse(error.path("hint").asText().isEmpty());
    assertEquals(70, error.path("exit_code").asInt());
    assertEquals(
        "", reported((out, err) -> ErrorReport.onFailure(bug, out, err, List.of("log"))).out());
  }

  @Test
  void tooLittleMemoryIsOneSentenceAndWhatToDo() throws IOException {
    assertEquals(0, Invocation.of("init", directory.toString()).exitCode());
    Invocation failure =
        Invocation.with(
            _ -> {
              throw new OutOfMemoryError("Java heap space");
            },
            _ -> {
              throw new AssertionError("no worker is wanted");
            },
            "leader",
            "--dir",
            directory.toString());
    assertEquals(1, failure.exitCode());
    assertEquals(
        """
        hypersync: the memory that this command may take does not suffice: Java heap space
          Ask for less, or allow it more: HYPERSYNC_JAVA_OPTS=-Xmx4g ./hypersync ...
        """,
        failure.err());
    Invocation withJson =
        reported(
            (out, err) ->
                ErrorReport.onMemoryUsedUp(
                    new OutOfMemoryError("Java heap space"), out, err, List.of("log", "--json")));
    assertEquals(
        1, new ObjectMapper().readTree(withJson.out()).path("error").path("exit_code").asInt());
  }

  @Test
  void theJsonThatAnotherCommandIsToWriteIsNotAskedOfThisOne() {
    String[] words = {"profile", "--run-dir", directory.toString(), "/x", "--", "tool", "--json"};
    Invocation failure = Invocation.of(words);
    assertEquals(1, failure.exitCode());
    assertEquals("", failure.out());
  }

  private static Invocation reported(ToIntBiFunction<PrintWriter, PrintWriter> report) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    int exitCode = report.applyAsInt(new PrintWriter(out), new PrintWriter(err));
    return new Invocation(exitCode, out.toString(), err.toString());
  }
}
