package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInfo;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/** Everyday tools on one mount, checked by what the other mount shows. */
@RealMounts
class ToolsAcrossMountsTest {
  private static final int FILES = 120;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path outside;

  /** A tree on the local disk, with everything that a tool may want to preserve. */
  private Path source = Path.of("/");

  /** The same directory through two mounts. */
  private Path onA = Path.of("/");

  private Path onB = Path.of("/");

  @BeforeEach
  void aFolderAndSomethingToPutThere(TestInfo test) throws Exception {
    String folder = "tools-" + test.getTestMethod().orElseThrow().getName();
    onA = Files.createDirectory(CLUSTER.mount("a").resolve(folder));
    onB = CLUSTER.mount("b").resolve(folder);
    source = Files.createDirectory(outside.resolve("source"));
    Random random = new Random(11);
    for (int i = 0; i < FILES; i++) {
      Path file = source.resolve("d" + i % 7 + "/e" + i % 3 + "/f" + i);
      Files.createDirectories(file.getParent());
      byte[] bytes = new byte[random.nextInt(i % 10 == 0 ? 200_000 : 3_000)];
      random.nextBytes(bytes);
      Files.write(file, bytes);
      if (i % 5 == 0) {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("r-xr-x--x"));
      }
      Files.setLastModifiedTime(file, FileTime.from(Instant.ofEpochSecond(1_600_000_000L + i, i)));
    }
    Files.createSymbolicLink(source.resolve("link"), Path.of("d1/e1/f1"));
    Files.createSymbolicLink(source.resolve("dangling"), Path.of("nowhere"));
    Files.createLink(source.resolve("second-name"), source.resolve("d0/e0/f0"));
    Files.createDirectory(source.resolve("empty"));
    CLUSTER.get().settle("b");
  }

  @Test
  void cpKeepsEverythingAndDiffFindsNothing() throws Exception {
    Shell.must(outside, "cp", "-a", source.toString(), onA.resolve("copy").toString());
    assertSameOnB("copy");
    Shell.must(onA, "cp", "-r", "copy", "again");
    CLUSTER.get().settle("b");
    Shell.must(onB, "diff", "-r", "--no-dereference", "copy", "again");
  }

  @Test
  void rsyncHasNothingLeftToDo() throws Exception {
    rsync(source + "/", onA + "/copy/");
    assertEquals("", rsync(source + "/", onA + "/copy/"), "the second time");
    assertSameOnB("copy");
    Files.writeString(onB.resolve("copy/d1/e1/f1"), "changed on B");
    Files.delete(onB.resolve("copy/d2/e2/f2"));
    CLUSTER.get().settle("a");
    String repaired = rsync(source + "/", onA + "/copy/");
    assertTrue(repaired.contains("d1/e1/f1") && repaired.contains("d2/e2/f2"), repaired);
    assertSameOnB("copy");
  }

  @Test
  void tarGoesInAndOut() throws Exception {
    Path archive = outside.resolve("source.tar");
    Shell.must(source, "tar", "-cf", archive.toString(), ".");
    Files.createDirectory(onA.resolve("copy"));
    Shell.must(onA.resolve("copy"), "tar", "-xpf", archive.toString());
    CLUSTER.get().settle("b");
    Shell.must(onB.resolve("copy"), "tar", "-df", archive.toString());
    assertSameOnB("copy");
  }

  @Test
  void rmTakesAwayWhatTheOtherHasSeen() throws Exception {
    Shell.must(outside, "cp", "-a", source.toString(), onA.resolve("copy").toString());
    CLUSTER.get().settle("b");
    String before = Shell.must(onB, "find", "copy");
    assertTrue(before.lines().count() > FILES, before);
    Shell.must(onB, "rm", "-rf", "copy");
    CLUSTER.get().settle("a");
    assertEquals("", Shell.must(onA, "find", ".", "-mindepth", "1"));
    assertFalse(Files.exists(onA.resolve("copy/d1/e1/f1")));
  }

  @Test
  void findSeesTheSameOnBoth() throws Exception {
    Shell.must(outside, "cp", "-a", source.toString(), onA.resolve("copy").toString());
    CLUSTER.get().settle("b");
    String format = "%P %y %m %s %T@ %n %l\\n";
    for (List<String> question :
        List.of(
            List.of("-printf", format),
            List.of("-size", "+100k", "-printf", format),
            List.of("-perm", "551", "-printf", format),
            List.of("-newermt", "2020-09-13 12:27:00 UTC", "-type", "f", "-printf", format))) {
      assertEquals(
          find(source, question), find(onB.resolve("copy"), question), question.toString());
    }
  }

  @Test
  void makeBuildsOnOneWhatChangedOnTheOther() throws Exception {
    Files.writeString(
        onA.resolve("Makefile"),
        """
        all: out/one out/two
        out/%: %.src
        \tmkdir -p out && tr a-z A-Z < $< > $@
        """);
    Files.writeString(onA.resolve("one.src"), "one\n");
    Files.writeString(onA.resolve("two.src"), "two\n");
    Shell.must(onA, "make");
    CLUSTER.get().settle("b");
    Shell.must(onB, "make", "--question");
    Thread.sleep(20); // make compares mtimes, which come from the leader's clock
    Files.writeString(onB.resolve("two.src"), "three\n");
    CLUSTER.get().settle("a");
    String built = Shell.must(onA, "make");
    assertTrue(built.contains("out/two") && !built.contains("out/one"), built);
    CLUSTER.get().settle("b");
    assertEquals("THREE\n", Files.readString(onB.resolve("out/two")));
    Shell.must(onB, "make", "--question");
  }

  @Test
  void gitWorktreesAndGcOnBothMounts() throws Exception {
    Git.must(onA, "init", "--quiet", "--initial-branch=main", "main");
    Path mainOnA = onA.resolve("main");
    Files.writeString(mainOnA.resolve("file"), "1\n");
    Git.must(mainOnA, "add", "--all");
    Git.must(mainOnA, "commit", "--quiet", "--message", "one");
    Git.must(mainOnA, "worktree", "add", "--quiet", "../side", "-b", "side");
    // In this test the two mounts have different paths; on two hosts they would have the same, so
    // make the path relative.
    Files.writeString(onA.resolve("side/.git"), "gitdir: ../main/.git/worktrees/side\n");
    CLUSTER.get().settle("b");
    Path sideOnB = onB.resolve("side");
    for (int i = 0; i < 5; i++) {
      Files.writeString(sideOnB.resolve("file" + i), "from B\n");
      Git.must(sideOnB, "add", "--all");
      Git.must(sideOnB, "commit", "--quiet", "--message", "side " + i);
      CLUSTER.get().settle("a");
      Git.must(mainOnA, "gc", "--quiet");
    }
    CLUSTER.get().settle("a", "b");
    Git.must(mainOnA, "merge", "--quiet", "side");
    Git.must(mainOnA, "fsck", "--full", "--strict", "--no-progress");
    CLUSTER.get().settle("b");
    assertEquals("", Git.must(onB.resolve("main"), "status", "--porcelain"));
    assertEquals("6\n", Git.must(sideOnB, "rev-list", "--count", "main"));
    Git.must(mainOnA, "worktree", "remove", "../side");
    CLUSTER.get().settle("b");
    assertFalse(Files.exists(sideOnB));
  }

  @Test
  void mavenBuildsAProject() throws Exception {
    Path project = Files.createDirectories(onA.resolve("project"));
    Files.createDirectories(project.resolve("src/main/java/demo"));
    Files.writeString(
        project.resolve("pom.xml"),
        """
        <project xmlns="http://maven.apache.org/POM/4.0.0">
          <modelVersion>4.0.0</modelVersion>
          <groupId>demo</groupId><artifactId>demo</artifactId><version>1</version>
          <properties>
            <maven.compiler.source>17</maven.compiler.source>
            <maven.compiler.target>17</maven.compiler.target>
            <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
          </properties>
        </project>
        """);
    Path greeting = project.resolve("src/main/java/demo/Greeting.java");
    Files.writeString(
        greeting, "package demo; class Greeting { public static void main(String[] a) {} }\n");
    Shell.run(
            project,
            Map.of("JAVA_HOME", System.getProperty("java.home")),
            List.of("mvn", "--batch-mode", "--quiet", "compile"))
        .orFail("mvn compile");
    CLUSTER.get().settle("b");
    Path compiled = onB.resolve("project/target/classes/demo/Greeting.class");
    assertTrue(Files.size(compiled) > 100);
    Shell.must(
        onB,
        Path.of(System.getProperty("java.home"), "bin/java").toString(),
        "-cp",
        "project/target/classes",
        "demo.Greeting");
  }

  /**
   * Writes a new file, syncs it, and renames it over the document, as editors do: the other mount
   * sees either version as a whole.
   */
  @Test
  void anEditorSavesAtomically() throws Exception {
    int saves = 60;
    Path file = onA.resolve("document");
    Files.writeString(file, text(0));
    CLUSTER.get().settle("b");
    AtomicBoolean saving = new AtomicBoolean(true);
    try (ExecutorService reader = Executors.newSingleThreadExecutor()) {
      Future<Integer> reading =
          reader.submit(
              () -> {
                int newest = 0;
                while (saving.get()) {
                  String seen = Files.readString(onB.resolve("document"));
                  int version = Integer.parseInt(seen.substring(0, seen.indexOf(' ')));
                  assertEquals(text(version), seen, "half a document");
                  assertTrue(version >= newest, version + " after " + newest);
                  newest = version;
                }
                return newest;
              });
      try {
        for (int version = 1; version <= saves; version++) {
          save(file, text(version));
        }
        CLUSTER.get().settle("b");
      } finally {
        saving.set(false);
      }
      int _ = reading.get();
    }
    assertEquals(text(saves), Files.readString(onB.resolve("document")));
  }

  private static void save(Path file, String text) throws IOException, InterruptedException {
    Path fresh = file.resolveSibling(".document.swp");
    Files.writeString(fresh, text);
    Shell.must(file.getParent(), "sync", fresh.toString());
    Shell.must(file.getParent(), "mv", "-f", fresh.toString(), file.toString());
  }

  private static String text(int version) {
    return version + " " + ("line of version " + version + "\n").repeat(500);
  }

  private String rsync(String from, String to) throws IOException, InterruptedException {
    return Shell.must(outside, "rsync", "-aHi", "--delete", from, to);
  }

  /** Fails unless the tree on B equals the source: bytes, modes, owners, times, links. */
  private void assertSameOnB(String copy) throws IOException, InterruptedException {
    CLUSTER.get().settle("b");
    String different =
        Shell.must(
            outside, "rsync", "-aHin", "--delete", "--checksum", source + "/", onB + "/" + copy);
    assertEquals("", different, "what rsync would still do on B");
  }

  private static String find(Path root, List<String> question)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(List.of("find", ".", "!", "-type", "d"));
    command.addAll(question);
    return Shell.run(root, Map.of("TZ", "UTC"), command)
        .orFail("find")
        .lines()
        .sorted()
        .toList()
        .toString();
  }
}
