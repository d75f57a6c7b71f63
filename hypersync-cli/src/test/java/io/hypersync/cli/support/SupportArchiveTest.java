package io.hypersync.cli.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.cli.Invocation;
import io.hypersync.cli.config.ConfigurationReader;
import io.hypersync.cli.daemons.Daemons;
import io.hypersync.runtime.admin.RunDirectory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.worker.fuse.dev.MountTable;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The archive of {@code support}, and what is left out of it. */
final class SupportArchiveTest {
  @TempDir Path directory;

  private String run(String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  private List<String> files() throws IOException {
    try (Stream<Path> found = Files.list(directory)) {
      return found.map(file -> file.getFileName().toString()).sorted().toList();
    }
  }

  @Test
  void tarReadsItAndWhatFailsIsALineInIt() throws Exception {
    Path out = directory.resolve("s.tar.gz");
    List<String> progress = new ArrayList<>();
    SupportArchive.Gathered gathered =
        SupportArchive.write(
            out,
            List.of(
                new Source("a.txt", "the first", () -> "one\n"),
                new Source(
                    "b.txt",
                    "the second",
                    () -> {
                      throw new IOException("token=hunter2 \u001b[2J is bad");
                    }),
                new Source("d/c.txt", "the third", () -> "x".repeat(5 << 20))),
            progress::add);
    assertEquals(List.of("a.txt", "b.txt", "d/c.txt"), progress);
    assertEquals(3, gathered.files());
    assertEquals(Files.size(out), gathered.bytes());
    assertEquals("rw-------", PosixFilePermissions.toString(Files.getPosixFilePermissions(out)));
    assertEquals(
        "hypersync-support/a.txt\nhypersync-support/d/c.txt\nhypersync-support/README.txt\n",
        run("tar", "tzf", "s.tar.gz"));
    assertEquals("one\n", run("tar", "xzOf", "s.tar.gz", "hypersync-support/a.txt"));
    assertEquals(
        4 << 20, run("tar", "xzOf", "s.tar.gz", "hypersync-support/d/c.txt").length(), "its limit");
    String about = run("tar", "xzOf", "s.tar.gz", "hypersync-support/README.txt");
    assertTrue(about.contains("a.txt: the first\n"), about);
    assertTrue(about.contains("not there: b.txt: token=[left out]"), about);
    assertTrue(about.contains("d/c.txt: the third (its beginning)"), about);
    assertFalse(about.contains("hunter2"), about);
    assertEquals(-1, about.indexOf('\u001b'), about);
    assertEquals(List.of("s.tar.gz"), files(), "nothing is left behind");
  }

  @Test
  void aFileThatIsThereIsNotReplaced() throws Exception {
    Files.writeString(directory.resolve("s.tar.gz"), "mine");
    UserError refused =
        assertThrows(
            UserError.class,
            () -> SupportArchive.write(directory.resolve("s.tar.gz"), List.of(), _ -> {}));
    assertTrue(refused.message().contains("there is a file"), refused::message);
    assertEquals("mine", Files.readString(directory.resolve("s.tar.gz")));
    assertEquals(List.of("s.tar.gz"), files());
  }

  @Test
  void aFileThatIsMadeMeanwhileIsNotReplaced() throws Exception {
    Path out = directory.resolve("s.tar.gz");
    Source meanwhile =
        new Source("a.txt", "the first", () -> Files.writeString(out, "mine").toString());
    UserError refused =
        assertThrows(UserError.class, () -> SupportArchive.write(out, List.of(meanwhile), _ -> {}));
    assertTrue(refused.message().contains("there is a file"), refused::message);
    assertEquals("mine", Files.readString(out));
    assertEquals(List.of("s.tar.gz"), files());
  }

  @Test
  void aSourceIsWaitedForAsLongAsWhatItAsks() throws Exception {
    Files.createFile(directory.resolve("worker-00112233-fmd.sock"));
    Map<String, Duration> limits = new HashMap<>();
    for (Source each : Sources.of(Daemons.in(new RunDirectory(directory)), Map.of(), true)) {
      limits.put(each.file(), each.limit());
    }
    assertEquals(Duration.ofSeconds(60), limits.get("doctor.json"), "each daemon 5 s");
    assertEquals(Duration.ofSeconds(20), limits.get("daemon-1/metrics-2.txt"), "5 + 3 + 5 s");
    assertEquals(Duration.ofSeconds(10), limits.get("daemon-1/status.json"));
    Source hangs =
        new Source(
            "a.txt",
            "never",
            Duration.ofMillis(1),
            () -> {
              new CountDownLatch(1).await();
              return "";
            });
    assertEquals(new Source.Outcome.Failed("no answer within 0 s"), hangs.ask());
  }

  /** By its name it is another one: here since it was replaced, elsewhere by a mount namespace. */
  @Test
  void theLogIsTheFileThatAProcessHasOpen() throws Exception {
    Path log = directory.resolve("log");
    Process daemon =
        new ProcessBuilder("sh", "-c", "echo mine; exec sleep 60")
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    try {
      while (Files.size(log) == 0) {
        Thread.sleep(1);
      }
      Files.delete(log);
      Files.writeString(directory.resolve("log (deleted)"), "another's");
      Path descriptors = Path.of("/proc", Long.toString(daemon.pid()), "fd");
      assertEquals("mine\n", Sources.logOf(descriptors), "once, though it is open twice");
    } finally {
      var _ = daemon.destroyForcibly();
    }
  }

  @Test
  void inAWorkspaceThereIsNoArchive() throws Exception {
    Path mount = directory.resolve("ws");
    Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("ws/sub"));
    OutsideOfMounts outside =
        new OutsideOfMounts(
            new MountTable(
                List.of(
                    new MountTable.Mount("8:1", "/", "ext4", "/dev/vda1"),
                    new MountTable.Mount("0:50", mount.toString(), "fuse.hypersync", "team"),
                    new MountTable.Mount("0:51", mount + "/tmpfs", "tmpfs", "tmpfs"))));
    for (Path here :
        List.of(mount, mount.resolve("a/b"), mount.resolve("tmpfs"), link, link.resolve("../c"))) {
      assertEquals(Path.of("/tmp/s.tar.gz"), outside.inOrElsewhere(here, "s.tar.gz"));
      UserError refused =
          assertThrows(UserError.class, () -> outside.checked(here.resolve("s.tar.gz")));
      assertTrue(refused.message().contains("mounted on " + mount), refused::message);
    }
    for (Path here : List.of(directory, directory.resolve("ws2"))) {
      Path file = here.resolve("s.tar.gz");
      assertEquals(file, outside.inOrElsewhere(here, "s.tar.gz"));
      assertEquals(file, outside.checked(file));
    }
  }

  @Test
  void whereNothingCanBeWrittenThatIsSaid() {
    Path nowhere = directory.resolve("no/s.tar.gz");
    UserError refused =
        assertThrows(UserError.class, () -> SupportArchive.write(nowhere, List.of(), _ -> {}));
    assertTrue(refused.message().startsWith("cannot write " + nowhere), refused::message);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "started with token=abc123 and more        | started with token=[left out] and more",
        "\"api_key\": \"abc\", x                   | \"api_key\": \"[left out]\", x",
        "Authorization: Bearer abc.def             | Authorization: Bearer [left out]",
        "nats://me:secret@10.0.0.1:4222            | nats://[left out]@10.0.0.1:4222",
        "password : s3cret                         | password : [left out]",
        "token_file is /etc/x, 3 tokens            | token_file is /etc/x, 3 tokens",
        "entry 12 root abcdef                      | entry 12 root abcdef",
      })
  void secretsOfTextsAreLeftOut(String text, String without) {
    assertEquals(without, Redaction.text(text));
  }

  @Test
  void ofSettingsThereAreNumbersAndSwitchesAndNoTexts() {
    ConfigurationReader reader = new ConfigurationReader();
    reader.assignment("--set", "hypersync.metrics.token_file=/planted");
    reader.assignment("--set", "hypersync.leader.batch_max_ops=77");
    String text = Sources.text(reader.withoutFile());
    assertFalse(text.contains("planted"), text);
    assertTrue(text.contains("hypersync.metrics.token_file = [set, left out]\n"), text);
    assertTrue(text.contains("hypersync.leader.batch_max_ops = 77\n"), text);
  }

  @Test
  void aDaemonThatHangsCostsItsLimitOnceAndTheRestIsThere() throws Exception {
    Path hung = directory.resolve("worker-00112233-fmd.sock");
    try (ServerSocketChannel silent = ServerSocketChannel.open(StandardProtocolFamily.UNIX)) {
      silent.bind(UnixDomainSocketAddress.of(hung));
      Path out = directory.resolve("s.tar.gz");
      Invocation said =
          Invocation.of(
              "support", "--json", "--out", out.toString(), "--run-dir", directory.toString());
      assertEquals(0, said.exitCode(), said.err());
      JsonNode json = new ObjectMapper().readTree(said.out());
      String failed = json.path("failed").toString();
      assertTrue(failed.contains("daemon-1/status.json: the daemon does not answer"), failed);
      assertTrue(failed.contains("daemon-1/threads.json: the daemon does not answer"), failed);
      assertTrue(run("tar", "tzf", "s.tar.gz").contains("mountinfo.txt"), failed);
      assertEquals(out.toString(), json.path("file").asText());
    }
  }

  @Test
  void keysAreLeftOutAlsoWhenTheirEndIsMissing() {
    String key = "-----BEGIN PRIVATE KEY-----\nMIIB\nabc\n-----END PRIVATE KEY-----";
    assertEquals("a [left out] b", Redaction.text("a " + key + " b"));
    assertEquals("a [left out]", Redaction.text("a -----BEGIN EC PRIVATE KEY-----\nMIIB"));
  }

  @Test
  void namesOfFilesInTheWorkspaceAreLeftOutOfAnswers() throws IOException {
    JsonNode answer =
        new ObjectMapper()
            .readTree(
                """
                {"mount":"/ntmfs/ws/team","locks":{"held":3},
                 "hazards":{"latest":[{"agent":"A","hazards":[{"path":"src/planted.go"}]}]},
                 "ignored":{"refused":[{"line":1,"text":"planted"}],"paths":[{"path":"planted"}],
                            "replicated_paths":["planted"]},
                 "slowest":[{"path":null,"op":"Write"}],
                 "agent_mail":{"url":"http://me:planted@h/","names":["token=planted"]}}
                """);
    JsonNode cleaned = Redaction.json(answer);
    assertFalse(cleaned.toString().contains("planted"), cleaned::toString);
    assertEquals(3, cleaned.at("/locks/held").asInt());
    assertEquals("/ntmfs/ws/team", cleaned.path("mount").asText());
    assertTrue(answer.toString().contains("planted"), "the answer itself stays as it is");
  }
}
