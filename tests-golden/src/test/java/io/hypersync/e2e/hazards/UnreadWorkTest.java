package io.hypersync.e2e.hazards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Work that is written over unread, or destroyed before anybody has committed it. */
@RealMounts
class UnreadWorkTest {
  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  private Path onA = Path.of("");
  private Path onB = Path.of("");
  private String folder = "";

  @BeforeEach
  void folder() throws Exception {
    onA = Files.createTempDirectory(CLUSTER.mount("a"), "work-");
    folder = onA.getFileName() + "/";
    CLUSTER.get().settle("a", "b");
    onB = CLUSTER.mount("b").resolve(onA.getFileName());
  }

  /** Blue is a process that stays, as agents are. */
  private static PythonProcess blue() throws Exception {
    PythonProcess blue = PythonProcess.start(List.of("env", "HYPERSYNC_AGENT=Blue"));
    blue.define(
        """
        def write(path, text):
            with open(path, "w") as f: f.write(text)
        def replace(path, text):
            write(path + ".new", text)
            os.replace(path + ".new", path)
        def read(path):
            with open(path) as f: return f.read()
        """);
    return blue;
  }

  private static String call(String function, Path path, String text) {
    return function + "('" + path + "', '" + text + "')";
  }

  private static String read(Path path) {
    return "read('" + path + "')";
  }

  private void green(String script) throws Exception {
    CLUSTER.get().settle("a", "b");
    Shell.run(onB, Map.of("HYPERSYNC_AGENT", "Green"), List.of("sh", "-ec", script)).orFail(script);
    CLUSTER.get().settle("a", "b");
  }

  private List<String> told() {
    return ToldHazards.of(CLUSTER.get(), folder);
  }

  @Test
  void aFileIsWrittenOverThatAnotherAgentHasChangedSince() throws Exception {
    try (PythonProcess blue = blue()) {
      blue.must(call("write", onA.resolve("f"), "first"));
      blue.must(read(onA.resolve("f")));
      green("printf second >f");
      blue.must(call("write", onA.resolve("f"), "third"));
    }
    assertTrue(
        told().contains("stale_overwrite of Blue with Green: " + folder + "f"),
        () -> told().toString());
  }

  @Test
  void itIsNotIfItWasReadBefore() throws Exception {
    try (PythonProcess blue = blue()) {
      blue.must(call("write", onA.resolve("f"), "first"));
      green("printf second >f");
      blue.must(read(onA.resolve("f")));
      blue.must(call("write", onA.resolve("f"), "third"));
    }
    assertFalse(told().toString().contains("stale_overwrite of Blue"), () -> told().toString());
  }

  @Test
  void theSameBytesAreNone() throws Exception {
    try (PythonProcess blue = blue()) {
      blue.must(call("write", onA.resolve("f"), "first"));
      green("printf second >f");
      blue.must(call("write", onA.resolve("f"), "second"));
    }
    assertFalse(told().toString().contains("stale_overwrite of Blue"), () -> told().toString());
  }

  @Test
  void aCheckoutOfWhatAnotherAgentIsWorkingOn() throws Exception {
    green(
        "git init -q; git config user.name g; git config user.email g@g; printf 1 >f; git add f;"
            + " git commit -qm 1; printf 'work of hours' >f");
    Shell.run(onA, Map.of("HYPERSYNC_AGENT", "Blue"), List.of("git", "checkout", "-q", "--", "f"))
        .orFail("git checkout");
    assertEquals(List.of("destroyed_work of Blue with Green: " + folder + "f"), told());
  }

  @Test
  void aCheckoutAfterACommitIsNone() throws Exception {
    green(
        "git init -q; git config user.name g; git config user.email g@g; printf 1 >f; git add f;"
            + " git commit -qm 1; printf 'work of hours' >f; git commit -qam 2");
    Shell.run(
            onA,
            Map.of("HYPERSYNC_AGENT", "Blue"),
            List.of("sh", "-ec", "git checkout -q HEAD~1; rm f"))
        .orFail("git checkout");
    assertEquals(List.of(), told());
  }

  @Test
  void aReplacementOfWhatWasNotRead() throws Exception {
    green("git init -q; printf old >f");
    try (PythonProcess blue = blue()) {
      blue.must(read(onA.resolve("f")));
      green("printf 'work of hours' >f");
      blue.must(call("replace", onA.resolve("f"), "mine"));
    }
    assertTrue(
        told().contains("destroyed_work of Blue with Green: " + folder + "f"),
        () -> told().toString());
  }

  @Test
  void aLinkThatLeadsOutOfTheWorkspace() throws Exception {
    green("ln -s /etc/passwd out; ln -s f in");
    assertEquals(List.of("symlink_leaves of Green: " + folder + "out"), told());
    String table = CLUSTER.get().hypersync("hazards").orFail("hazards");
    assertTrue(table.contains("symlink_leaves"), table);
    JsonNode counted = CLUSTER.get().leader().status().path("hazards");
    assertTrue(counted.path("symlink_leaves").asLong() > 0, counted::toString);
  }

  /** A process stands in a directory that another host renames. */
  @Test
  void aDirectoryThatAnotherHostHasRenamedIsKnownByItsNewName() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path deep = Files.createDirectories(onA.resolve("old/deep"));
    cluster.settle("a", "b");
    try (PythonProcess blue = blue()) {
      blue.must("os.chdir('" + deep + "')");
      blue.must(call("write", Path.of("f"), "first"));
      green("mv old new; printf second >new/deep/f");
      blue.must(call("write", Path.of("f"), "third"));
    }
    assertTrue(
        told().contains("overlapping_write of Blue with Green: " + folder + "new/deep/f"),
        () -> told().toString());
  }
}
