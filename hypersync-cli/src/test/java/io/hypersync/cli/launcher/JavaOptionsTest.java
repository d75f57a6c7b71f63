package io.hypersync.cli.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.cli.launcher.Launcher.Said;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** JVM options that the launcher passes; a fake JDK prints its arguments. */
final class JavaOptionsTest {
  private static final String TELLS = "#!/bin/sh\necho \"$@\"\n";
  private static final String MAKES_A_CACHE =
      """
      #!/bin/sh
      for arg; do case $arg in -XX:AOTCacheOutput=*) : >"${arg#*=}" ;; esac; done
      """;

  private static final Path OPTIONS = Launcher.OURS.resolveSibling("etc").resolve("jvm-options");

  @TempDir Path directory;
  private final LookingBuilt built = new LookingBuilt();
  private Path root;
  private Path target;
  private Path jdk;

  @BeforeEach
  void buildWhatLooksBuilt() throws IOException {
    built.in(directory);
    root = built.root();
    target = built.target();
    jdk = built.jdk();
    java(TELLS);
  }

  private static void write(Path file, String text) throws IOException {
    LookingBuilt.write(file, text);
  }

  private void java(String script) throws IOException {
    built.java(script);
  }

  private void cacheMadeBy(String maker) throws IOException {
    for (String cache : List.of("hypersync.aot", "daemon.aot")) {
      write(target.resolve(cache), "");
      write(target.resolve(cache + ".jdk"), maker + "\n");
    }
  }

  @Test
  void whatTheJavaMachineSaysOfIncubatorModulesIsNotPassedOn()
      throws IOException, InterruptedException {
    java(
        """
        #!/bin/sh
        echo 'WARNING: Using incubator modules: jdk.incubator.vector' >&2
        echo 'hypersync: what matters' >&2
        exit 3
        """);
    for (String command : List.of("leader", "worker", "trace", "replay")) {
      Said said = launcher(command);
      assertEquals("hypersync: what matters\n", said.err(), command);
      assertEquals(3, said.exitCode(), command);
    }
  }

  private Said launcher(String... args) throws IOException, InterruptedException {
    return launcher(Map.of(), args);
  }

  private Said launcher(Map<String, String> environment, String... args)
      throws IOException, InterruptedException {
    Map<String, String> all = new HashMap<>(environment);
    all.put("PATH", "/usr/bin:/bin");
    all.put("HYPERSYNC_JAVA_HOME", jdk.toString());
    return Launcher.run(root.resolve("hypersync"), all, args);
  }

  private boolean usesTheCache(String... args) throws IOException, InterruptedException {
    Said said = launcher(args);
    assertEquals(0, said.exitCode(), said.err());
    assertTrue(said.out().contains(" io.hypersync.cli.Main " + args[0]), said.out());
    return said.out().contains("-XX:AOTCache=" + target.resolve("hypersync.aot"));
  }

  @Test
  void aCommandUsesTheCacheOfItsJdk() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    assertTrue(usesTheCache("status", "--json"));
  }

  /** Its logging stays on: only messages about the cache are turned off. */
  @Test
  void aDaemonUsesACacheOfItsOwn() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    for (String daemon : List.of("leader", "worker")) {
      assertFalse(usesTheCache(daemon), "what commands load is of no use to it");
      assertEquals(
          "-XX:AOTCache=" + target.resolve("daemon.aot"), option("-XX:AOTCache", daemon), daemon);
      assertFalse(launcher(daemon).out().contains("-Xlog:disable"), daemon);
    }
  }

  @Test
  void commandsAndDaemonsDoWithoutACacheEachByItself() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    Files.delete(target.resolve("daemon.aot.jdk"));
    assertTrue(usesTheCache("status"));
    assertFalse(launcher("worker").out().contains("AOTCache"));
  }

  /** Like a daemon, it holds a whole filesystem in memory and hashes it. */
  @Test
  void aTraceHasTheRoomAndTheVectorsOfADaemonAndNoCache() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    String heap = option("-Xmx", "leader");
    for (String line :
        List.of(
            "trace",
            "replay",
            "init /srv/t --from /b",
            "init --from=/b /srv/t",
            "backup --verify /b",
            "backup /b --verify --json")) {
      String[] command = line.split(" ", -1);
      assertEquals(heap, option("-Xmx", command), line);
      assertEquals("@" + target.resolve("hypersync.jvm.args"), option("@", command), line);
      assertFalse(usesTheCache(command), "it has other modules than the cache was made with");
    }
    for (String line : List.of("init /srv/t", "backup /b", "backup --list /b")) {
      assertTrue(usesTheCache(line.split(" ", -1)), line);
    }
  }

  @Test
  void theLogHasRoomForItsLongestTail() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    assertEquals("-Xmx96m", option("-Xmx", "status"));
    assertEquals("-Xmx1g", option("-Xmx", "log"));
    assertTrue(usesTheCache("log"));
  }

  /** Returns the effective option with this prefix: of several, the JVM uses the last. */
  private String option(String prefix, String... command) throws IOException, InterruptedException {
    String arguments = launcher(command).out();
    return Arrays.stream(arguments.split("(?= -| @)", -1))
        .map(String::strip)
        .filter(option -> option.startsWith(prefix))
        .reduce((_, last) -> last)
        .orElseThrow(() -> new AssertionError("no " + prefix + " in " + arguments));
  }

  @Test
  void everyOptionHasAReasonAboveIt() throws IOException {
    String before = "";
    for (String line : Files.readAllLines(OPTIONS)) {
      if (line.startsWith("-") || line.startsWith("@")) {
        assertTrue(before.startsWith("# "), line);
      }
      before = line;
    }
  }

  /** A JVM does not start with an option that it does not know. */
  @Test
  void onlyTheReleaseThatHasItGetsAnExperimentalOption() throws Exception {
    for (String version : List.of("25", "25.0.3", "26-ea", "27.0.1")) {
      write(jdk.resolve("release"), "JAVA_VERSION=\"" + version + "\"\n");
      for (String daemon : List.of("leader", "worker")) {
        String arguments = launcher(daemon).out();
        assertTrue(arguments.contains(" -XX:+UseCompactObjectHeaders "), arguments);
        assertEquals(
            version.startsWith("25"),
            arguments.contains(
                " -XX:+UnlockExperimentalVMOptions -XX:G1ExpandByPercentOfAvailable="),
            () -> version + ": " + arguments);
      }
    }
  }

  /**
   * Without this option, explicit collections would stop all threads, and an idle daemon returns no
   * memory.
   */
  @Test
  void whatADaemonAsksItsCollectorForIsDoneBesideIt() throws Exception {
    for (String daemon : List.of("leader", "worker")) {
      assertEquals(
          "-XX:+ExplicitGCInvokesConcurrent",
          option("-XX:+ExplicitGCInvokesConcurrent", daemon),
          daemon);
    }
  }

  @Test
  void theCacheOfAnotherJdkOrOfOlderJarsIsNotUsed() throws Exception {
    assertFalse(usesTheCache("status"), "there is none");
    cacheMadeBy(jdk + " 25.0.2");
    assertFalse(usesTheCache("status"), "of another version");
    cacheMadeBy(jdk + " 25.0.3");
    Files.setLastModifiedTime(
        target.resolve("hypersync-cli.jar"), FileTime.from(Instant.now().plusSeconds(10)));
    assertFalse(usesTheCache("status"), "of older jars");
  }

  /** A JVM does not start with both. */
  @Test
  void whoGivesTheJavaMachineAnArchiveOfHisOwnDoesWithoutTheCache() throws Exception {
    cacheMadeBy(jdk + " 25.0.3");
    for (String variable :
        List.of("HYPERSYNC_JAVA_OPTS", "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS")) {
      for (String option : List.of("-Xshare:off", "-XX:SharedArchiveFile=x", "-XX:AOTCache=x")) {
        Said said = launcher(Map.of(variable, option), "status");
        assertFalse(
            said.out().contains(target.resolve("hypersync.aot").toString()), variable + option);
        Said daemon = launcher(Map.of(variable, option), "leader");
        assertFalse(
            daemon.out().contains(target.resolve("daemon.aot").toString()), variable + option);
      }
    }
    assertTrue(
        launcher(Map.of("HYPERSYNC_JAVA_OPTS", "-Xmx64m"), "status").out().contains("AOTCache"));
  }

  @Test
  void theBuildTrainsAgainWhatAnotherJdkTrained() throws Exception {
    cacheMadeBy("another JDK");
    java(MAKES_A_CACHE);
    Path temporary = Files.createDirectories(directory.resolve("tmp"));
    assertEquals(
        new Said(0, "", "hypersync: up to date\n"),
        launcher(Map.of("TMPDIR", temporary.toString()), "build"));
    java(TELLS);
    assertTrue(usesTheCache("status"));
    assertTrue(launcher("leader").out().contains("-XX:AOTCache=" + target.resolve("daemon.aot")));
    try (Stream<Path> left = Files.list(temporary)) {
      assertEquals(List.of(), left.toList(), "where daemons were trained");
    }
  }

  @Test
  void theBuildDoesWithoutATrainingOfDaemonsWhereNothingTemporaryCanBe() throws Exception {
    cacheMadeBy("another JDK");
    java(MAKES_A_CACHE);
    Said build = launcher(Map.of("TMPDIR", directory.resolve("nowhere").toString()), "build");
    assertEquals(0, build.exitCode(), build.err());
    assertTrue(build.err().startsWith("hypersync: daemons will take longer"), build.err());
    java(TELLS);
    assertTrue(usesTheCache("status"));
  }

  @Test
  void aTrainingThatFailsIsOneLineAndNobodyMissesIt() throws Exception {
    cacheMadeBy("another JDK");
    java("#!/bin/sh\nexit 1\n");
    Said build = launcher("build");
    assertEquals(0, build.exitCode());
    assertTrue(
        build
            .err()
            .matches(
                """
                hypersync: commands will take longer.*
                hypersync: daemons will take longer.*
                hypersync: up to date
                """),
        build.err());
    java(TELLS);
    assertFalse(usesTheCache("status"));
  }
}
