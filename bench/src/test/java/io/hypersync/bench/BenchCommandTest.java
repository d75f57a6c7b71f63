package io.hypersync.bench;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.bench.micro.MicroSuite;
import io.hypersync.runtime.admin.UserError;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

@DisplayName("The command line of bench")
final class BenchCommandTest {
  private static BenchCommand command(String line) {
    return CommandLine.populateCommand(new BenchCommand(), line.split(" ", -1));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--save --ops write",
        "--save --threads 1,4",
        "--save --suite jobs --beside none",
        "--save --suite jobs --beside unsynced,bindfs",
        "--save --suite micro --ops blake3",
      })
  @DisplayName("does not let a part replace the whole baseline, and says where it can go")
  void savesNoPart(String line) {
    UserError refused = assertThrows(UserError.class, command(line)::validate);
    assertEquals(UserError.USAGE, refused.exitCode());
    assertTrue(refused.message().contains("by a part"), refused::message);
    assertTrue(refused.hint().contains("--baseline"), refused::hint);
    assertDoesNotThrow(command(line + " --baseline /tmp/part.json")::validate);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--save",
        "--save --threads 16,4,1,4",
        "--save --beside none",
        "--save --suite jobs",
        "--save --suite jobs --beside dirsync,bindfs",
        "--save --suite micro",
      })
  @DisplayName("lets a whole suite be saved: what its ratios are not over may be missing")
  void savesAll(String line) {
    assertDoesNotThrow(command(line)::validate);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--memory 10 --save", "--memory 10 --compare --baseline x"})
  @DisplayName("has no baseline for memory, whatever the file")
  void memory(String line) {
    UserError refused = assertThrows(UserError.class, command(line)::validate);
    assertTrue(refused.message().contains("--memory gives no ratios"), refused::message);
  }

  @ParameterizedTest
  @ValueSource(strings = {"--save", "--save --baseline x", "--compare", "--ops write", "--memory"})
  @DisplayName("has no baseline and no choice of operations for pauses and unauthenticated peers")
  void oneMeasurement(String line) {
    for (String suite : List.of("--suite pauses ", "--suite flood ")) {
      assertThrows(UserError.class, command(suite + line)::validate);
      assertDoesNotThrow(command(suite + "--seconds 20 --workers 1")::validate);
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"--save", "--compare", "--ops write", "--memory", "--workers 1", "--workers 27"})
  @DisplayName("looks from one mount at another, and has no baseline for that")
  void readBarrier(String line) {
    assertThrows(UserError.class, command("--suite freshness " + line)::validate);
    assertDoesNotThrow(command("--suite freshness --workers 3")::validate);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--save",
        "--compare",
        "--ops write",
        "--memory",
        "--workers 1",
        "--entries 1000",
        "--entries 1000,1000",
        "--entries 0,1000",
      })
  @DisplayName("looks at growth at two increasing numbers of entries at least")
  void growth(String line) {
    assertThrows(UserError.class, command("--suite growth " + line)::validate);
    assertThrows(UserError.class, command("--entries 1000,2000")::validate);
    assertDoesNotThrow(command("--suite growth")::validate);
    assertDoesNotThrow(command("--suite growth --entries 1000,2000")::validate);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "--save",
        "--compare",
        "--ops write",
        "--memory",
        "--workers 1",
        "--entries 1000,2000",
        "--files 3999",
        "--before /no/such/launcher",
      })
  @DisplayName("looks at many files, and perhaps at another build that is there")
  void scale(String line) {
    assertThrows(UserError.class, command("--suite scale " + line)::validate);
    assertThrows(UserError.class, command("--files 20000")::validate);
    assertThrows(UserError.class, command("--before /bin/true")::validate);
    assertDoesNotThrow(command("--suite scale")::validate);
    assertDoesNotThrow(command("--suite scale --files 4000 --before /bin/true")::validate);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "--memory-bytes 4096,             --memory-bytes is of --memory",
    "--memory 10 --memory-bytes 4097, --memory-bytes must be",
    "--memory 10 --memory-bytes 7,    --memory-bytes must be",
    "--memory 10 --memory-bytes -1,   --memory-bytes must be",
  })
  @DisplayName("takes files that can all be different and are of one small chunk")
  void memoryBytes(String line, String expected) {
    UserError refused = assertThrows(UserError.class, command(line)::validate);
    assertTrue(refused.message().startsWith(expected), refused::message);
    assertDoesNotThrow(command("--memory 10 --memory-bytes 4096")::validate);
    assertDoesNotThrow(command("--memory 10 --memory-bytes 0")::validate);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @CsvSource({
    "'--ops write,create,write', 'WRITE CREATE'",
    "'--ops write --ops write', WRITE",
    "'--suite jobs --ops grep,grep,clone', 'GREP CLONE'",
    "'--suite micro --ops blake3,blake3', BLAKE3",
  })
  @DisplayName("measures once what is named twice")
  void once(String line, String expected) {
    assertEquals(
        List.of(expected.split(" ", -1)), command(line).chosen().stream().map(Enum::name).toList());
  }

  @Test
  @DisplayName("names in its help all that --ops takes")
  void help() {
    String usage = new CommandLine(new BenchCommand()).getUsageMessage().replaceAll("\\s+", " ");
    String listed =
        usage.substring(usage.indexOf("Which operations"), usage.lastIndexOf("--peer="));
    Stream.of(
            Arrays.stream(Operation.values()).map(Operation::key),
            Arrays.stream(Job.values()).map(Job::key),
            Arrays.stream(MicroSuite.values()).map(MicroSuite::key))
        .flatMap(keys -> keys)
        .forEach(
            key ->
                assertTrue(
                    Arrays.asList(listed.split("[ ,:;.]+", -1)).contains(key),
                    () -> key + " in " + listed));
  }

  @Test
  @DisplayName("says in a sentence what the disk does not let it do")
  void folderThatTakesNothing() {
    UserError refused = assertThrows(UserError.class, command("--dir /proc --ops write")::call);
    assertEquals(UserError.FAILED, refused.exitCode());
    assertTrue(
        refused.message().matches("the benchmark cannot go on: /proc/.*: no such file.*"),
        refused::message);
    assertTrue(refused.hint().contains("--dir"), refused::hint);
  }

  @Test
  @DisplayName("tells a full disk from an error of its own")
  void trouble() throws IOException {
    Path folder = Path.of("/data");
    assertEquals(
        "the benchmark cannot go on: No space left on device",
        DiskTrouble.of(new IOException("No space left on device"), folder).message());
    assertEquals(
        "the benchmark cannot go on: /data/x: permission denied",
        DiskTrouble.of(new AccessDeniedException("/data/x"), folder).message());
    IOException own = new IOException("a thread failed", new IllegalStateException());
    assertEquals(own, assertThrows(IOException.class, () -> DiskTrouble.of(own, folder)));
  }
}
