package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Agents;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.ChildJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code hypersync at} and {@code hypersync bisect}: commands that are run on states of the past.
 */
@RealMounts
class PastCommandsTest {
  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path elsewhere;

  private static TestCluster cluster() {
    return CLUSTER.get();
  }

  private static long commitIndex() {
    return cluster().leader().status().path("commit_index").asLong();
  }

  private static Shell in(Path folder, String... arguments) throws Exception {
    return Shell.run(
        folder,
        ChildJvm.environment(cluster().runDirectory()),
        ChildJvm.command(Arrays.asList(arguments)));
  }

  private static String mount() {
    return cluster().mount("a").toString();
  }

  private static void assertNothingIsMounted() throws Exception {
    Await.until(
        "no state of the past is mounted",
        () -> cluster().worker("a").status().path("past_mounts").isEmpty());
  }

  @Test
  void aCommandSeesTheStateInTheSameDirectory() throws Exception {
    Path folder = Files.createTempDirectory(cluster().mount("a"), "at-");
    Files.writeString(folder.resolve("f"), "before");
    long index = commitIndex();
    Files.writeString(folder.resolve("f"), "after");
    String script = "cat f; echo \" $HYPERSYNC_AT\"; exit 7";
    Shell ran = in(folder, "at", Long.toString(index), "--", "sh", "-c", script);
    assertTrue(ran.output().contains("before " + index), ran::output);
    assertEquals(7, ran.exit());
    assertEquals("after", Files.readString(folder.resolve("f")));
    String name = folder.getFileName().toString();
    Shell root = in(elsewhere, "at", "head", "--mount", mount(), "--", "cat", name + "/f");
    assertTrue(root.orFail("at").contains("after"), root::output);
    Shell write = in(folder, "at", "head", "--", "sh", "-c", "echo x > f");
    assertTrue(write.exit() != 0 && write.output().contains("ead-only"), write::output);
    Shell missing = in(folder, "at", "head", "--", "no-such-program");
    assertEquals(127, missing.exit(), missing::output);
    Shell never = in(folder, "at", Long.toString(index + 100_000), "--", "true");
    assertTrue(never.output().contains("there is no entry"), never::output);
    assertNothingIsMounted();
  }

  /** A signal ends the command, too, and takes the state away. */
  @Test
  void aSignalLeavesNothingBehind() throws Exception {
    Path folder = Files.createTempDirectory(cluster().mount("a"), "signal-");
    List<String> command =
        ChildJvm.command(List.of("at", "head", "--", "sh", "-c", "exec sleep 1000"));
    ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile());
    builder.environment().putAll(ChildJvm.environment(cluster().runDirectory()));
    builder.redirectErrorStream(true).redirectOutput(elsewhere.resolve("said").toFile());
    Process process = builder.start();
    Await.until(
        "the command runs",
        () ->
            process
                .descendants()
                .anyMatch(child -> child.info().command().orElse("").endsWith("sleep")));
    List<ProcessHandle> children = process.descendants().toList();
    process.destroy();
    process.waitFor();
    Await.until(
        "its children have ended", () -> children.stream().noneMatch(ProcessHandle::isAlive));
    assertNothingIsMounted();
  }

  @Test
  void bisectNamesTheEntryThatHasBrokenIt() throws Exception {
    Agents agents = new Agents(cluster());
    List<Path> folders = new ArrayList<>();
    List<Long> good = new ArrayList<>();
    agents.done(
        () -> {
          Path folder = Files.createTempDirectory(cluster().mount("a"), "bisect-");
          folders.add(folder);
          Shell.must(folder, "sh", "-ec", "echo works >tool; mkdir d");
          good.add(commitIndex());
          agents.sh("Good", folder, "for i in 1 2 3 4 5 6 7; do echo $i >d/$i; done");
          agents.sh("Breaker", folder, "printf x | dd of=tool conv=notrunc 2>/dev/null");
          agents.sh("Good", folder, "for i in 1 2 3 4 5 6 7; do rm d/$i; done");
        });
    Path folder = folders.getLast();
    String name = folder.getFileName().toString();
    String from = good.getLast().toString();
    String test = "grep -q works tool";
    Shell ran =
        in(folder, "bisect", "--good", from, "--bad", "head", "--json", "--", "sh", "-c", test);
    JsonNode found = JSON.readTree(ran.orFail("bisect").substring(ran.output().indexOf("{\n")));
    assertTrue(found.path("found").asBoolean(), found::toString);
    assertEquals("Breaker", found.at("/entry/agent").asText(), found::toString);
    assertEquals("Write", found.at("/entry/op").asText());
    assertEquals(name + "/tool", found.at("/entry/path").asText());
    assertEquals(
        found.path("first_bad").asLong() - 1, found.path("last_good").asLong(), found::toString);
    assertTrue(found.path("runs").asInt() <= 9, found::toString);

    Shell path =
        in(
            folder, "bisect", "--good", from, "--bad", "head", "--path", "tool", "--", "sh", "-c",
            test);
    assertTrue(path.orFail("bisect").contains("by Breaker on a"), path::output);

    Shell confused = in(folder, "bisect", "--good", "head", "--bad", from, "--", "sh", "-c", test);
    assertEquals(2, confused.exit(), confused::output);
    assertTrue(confused.output().contains("is not before the bad one"), confused::output);
    Shell never = in(folder, "bisect", "--good", from, "--bad", "head", "--", "true");
    assertTrue(never.output().contains("does not fail with the bad state"), never::output);
    Shell always = in(folder, "bisect", "--good", from, "--bad", "head", "--", "false");
    assertTrue(always.output().contains("does not work with the good state"), always::output);
    String skips = "test -e d/4 && exit 125; " + test;
    Shell skipping = in(folder, "bisect", "--good", from, "--bad", "head", "--", "sh", "-c", skips);
    assertEquals(1, skipping.exit(), skipping::output);
    assertTrue(skipping.output().contains("cannot be judged"), skipping::output);
    assertNothingIsMounted();
  }
}
