package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Mounts inside the workspace stay in place, whatever another host changes around them and whatever
 * is done on this one: sandboxes hide files by mounts, and caches are mounted over directories.
 */
@RealMounts
class MountsInsideTest {
  private static final List<String> PRIVATE =
      List.of("unshare", "--mount", "--propagation", "private");
  private static final int ROUNDS = 2;
  private static final int DIRECTORIES = 12;
  private static final int MISSING = 2;

  /** A kernel caches the names of a directory again when its host has changed none for a second. */
  private static final long NAMES_KEPT_AGAIN_MS = 1_100;

  /**
   * The three kinds of mounts: a directory over a directory, a tmpfs over a directory, a device
   * over a file.
   */
  private static final String MOUNTING =
      """
      import subprocess
      def mounted(path, *arguments):
          subprocess.run(['mount', *arguments, path], check=True, cwd='/')
          points.append(path)
      def check(where):
          with open('/proc/self/mountinfo') as table:
              seen = sorted(line.split(' ')[4] for line in table)
          expected = sorted(where + '/' + name for name in ('node_modules', 'tmp', '.env'))
          inside = [point for point in seen if point.startswith(where + '/')]
          assert inside == expected, (inside, expected)
          assert os.listdir(where + '/node_modules') == ['outside'], 'what is bound shows through'
          assert os.listdir(where + '/tmp') == ['memory'], 'the tmpfs shows through'
          assert open(where + '/.env').read() == '', 'the mask is off'
      points = []
      """;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @TempDir Path outside;

  private Path onA = Path.of("");
  private Path onB = Path.of("");

  @ParameterizedTest(name = "in a mount namespace of its own: {0}")
  @ValueSource(booleans = {false, true})
  void staysWhateverIsDoneAroundIt(boolean ownNamespace) throws Exception {
    onA = Files.createTempDirectory(CLUSTER.mount("a"), "inside-");
    Path project = Files.createDirectories(onA.resolve("p"));
    for (String directory : List.of("node_modules", "tmp", "src")) {
      Files.createDirectory(project.resolve(directory));
      Files.writeString(project.resolve(directory).resolve("f"), "shared\n");
    }
    Files.writeString(project.resolve(".env"), "secret\n");
    Files.writeString(outside.resolve("outside"), "");
    onB = CLUSTER.mount("b").resolve(onA.getFileName());
    CLUSTER.get().settle("b");
    try (PythonProcess process = PythonProcess.start(ownNamespace ? PRIVATE : List.of())) {
      process.define(MOUNTING);
      String p = onB.resolve("p").toString();
      try {
        process.must(call("mounted", p + "/node_modules", "--bind", outside.toString()));
        process.must(call("mounted", p + "/tmp", "-t", "tmpfs", "memory"));
        process.must("open(" + quoted(p + "/tmp/memory") + ", 'w').close()");
        process.must(call("mounted", p + "/.env", "--bind", "/dev/null"));
        for (int round = 0; round < ROUNDS; round++) {
          for (Change change : changes()) {
            change.make(project);
            settle();
            process.must(call("check", p));
          }
        }
        // The directory above moves: the mounts in it move along, as on a disk.
        Files.move(project, onA.resolve("moved"));
        settle();
        moveAlong(process, onB.resolve("moved"));
        Files.createDirectory(onA.resolve("elsewhere"));
        Files.move(onA.resolve("moved"), onA.resolve("elsewhere/p"));
        settle();
        moveAlong(process, onB.resolve("elsewhere/p"));
      } finally {
        process.run("for point in points: subprocess.run(['umount', '-l', point], cwd='/')");
        process.run(
            "for line in [line.split(' ')[4] for line in open('/proc/self/mountinfo')]:"
                + " line.startswith("
                + quoted(onB + "/")
                + ") and subprocess.run(['umount', '-l', line], cwd='/')");
      }
    }
  }

  /**
   * The mounts have moved along: at once, or as soon as no call on this host holds the lock of a
   * directory on the path. A mount that was detached instead would never come back.
   */
  private static void moveAlong(PythonProcess process, Path to) throws Exception {
    String check = call("check", to.toString());
    Await.same("what is mounted moves along to " + to, "ok", () -> process.run(check));
  }

  /** A change around mounts; it undoes itself, or can be made again. */
  @FunctionalInterface
  private interface Change {
    void make(Path project) throws Exception;
  }

  private List<Change> changes() {
    return List.of(
        MountsInsideTest::changeOwners,
        MountsInsideTest::changeNamesAround,
        this::useGitHere,
        this::removeTreeHere,
        this::changeNamesOnBoth,
        this::makeMissingNames);
  }

  /** Changes owners on the other host, of files and directories that this kernel has cached. */
  private static void changeOwners(Path project) throws IOException {
    for (int owner : List.of(1000, 0)) {
      for (String path : List.of("node_modules", "tmp", ".env", "src", "src/f", "")) {
        Files.setAttribute(project.resolve(path), "unix:uid", owner, LinkOption.NOFOLLOW_LINKS);
      }
    }
  }

  /** Changes names on the other host, beside the mount points. */
  private static void changeNamesAround(Path project) throws IOException {
    Files.writeString(project.resolve("node_modules/new"), "");
    Files.delete(project.resolve("node_modules/new"));
    Files.writeString(project.resolve(".env"), "more of it\n");
    Path beside = Files.createDirectory(project.resolve("beside"));
    Files.writeString(beside.resolve("f"), "");
    Files.move(beside, project.resolve("src/beside"));
    Files.move(project.resolve("src/f"), project.resolve("g"));
    Files.copy(project.resolve("g"), project.resolve("src/f"), StandardCopyOption.COPY_ATTRIBUTES);
    Files.delete(project.resolve("g"));
    Files.delete(project.resolve("src/beside/f"));
    Files.delete(project.resolve("src/beside"));
  }

  private void useGitHere(Path project) throws Exception {
    Path repository = Files.createDirectory(onB.resolve("repository"));
    Git.must(repository, "init", "--quiet");
    for (int i = 0; i < 2; i++) {
      Files.writeString(repository.resolve("f" + i), "text " + i);
      Git.must(repository, "add", "--all");
      Git.must(repository, "commit", "--quiet", "--message", "step " + i);
    }
    Shell.must(onB, "rm", "-rf", "repository");
  }

  private void removeTreeHere(Path project) throws Exception {
    Path tree = Files.createDirectory(onB.resolve("tree"));
    for (int i = 0; i < DIRECTORIES; i++) {
      Path directory = Files.createDirectories(tree.resolve("d" + i + "/e/f"));
      Files.writeString(directory.resolve("g"), "");
    }
    Shell.must(onB, "find", "tree");
    Shell.must(onB, "rm", "-rf", "tree");
  }

  /**
   * Names that this kernel has cached are removed on the other host, while names in the same
   * directory change here.
   */
  private void changeNamesOnBoth(Path project) throws Exception {
    Path here = onB.resolve("p/src");
    for (int i = 0; i < DIRECTORIES; i++) {
      Files.createDirectory(project.resolve("src/k" + i));
    }
    settle();
    try (Stream<Path> all = Files.list(here)) {
      assertEquals(DIRECTORIES + 1, all.filter(path -> Files.exists(path)).count());
    }
    Thread other =
        Thread.ofPlatform()
            .start(
                () -> {
                  try {
                    for (int i = 0; i < DIRECTORIES; i++) {
                      Files.delete(Files.createFile(here.resolve("l" + i)));
                    }
                  } catch (IOException failure) {
                    throw new java.io.UncheckedIOException(failure);
                  }
                });
    for (int i = 0; i < DIRECTORIES; i++) {
      Files.delete(project.resolve("src/k" + i));
    }
    other.join();
  }

  /**
   * Names that this kernel has cached as missing are created on the other host. Meanwhile this host
   * changes the same directory, for the first time in a while, so its kernel holds the directory
   * lock.
   */
  private void makeMissingNames(Path project) throws Exception {
    Path here = onB.resolve("p");
    for (int i = 0; i < MISSING; i++) {
      Thread.sleep(NAMES_KEPT_AGAIN_MS); // names are cached again after this time
      Path there = project.resolve("m" + i);
      assertFalse(Files.exists(here.resolve("m" + i)));
      CompletableFuture<Path> elsewhere = new CompletableFuture<>();
      Thread.startVirtualThread(
          () -> {
            try {
              elsewhere.complete(Files.createFile(there));
            } catch (IOException failure) {
              elsewhere.completeExceptionally(failure);
            }
          });
      Files.delete(Files.createFile(here.resolve("l" + i)));
      elsewhere.get();
      settle();
      assertTrue(Files.exists(here.resolve("m" + i)));
      Files.delete(there);
    }
  }

  /** Waits until B shows everything that A has done: a mutation on B waits for that. */
  private void settle() throws Exception {
    CLUSTER.get().settle("b");
    Files.delete(Files.createTempDirectory(onB, "settled-"));
  }

  private static String call(String function, String... arguments) {
    return function
        + "("
        + String.join(", ", Stream.of(arguments).map(MountsInsideTest::quoted).toList())
        + ")";
  }

  private static String quoted(String text) {
    return "'" + text + "'";
  }
}
