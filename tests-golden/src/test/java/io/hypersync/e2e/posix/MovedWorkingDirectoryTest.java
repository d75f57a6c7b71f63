package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import io.hypersync.e2e.harness.Git;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A process whose working directory is renamed on another host stays in it, under the new name. */
@RealMounts
class MovedWorkingDirectoryTest {
  private static final int DIRECTORIES = 300;

  private static final String LOOKING =
      """
      import subprocess
      def inside(path):
          assert os.getcwd() == path, os.getcwd()
          found = os.stat('..').st_ino
          expected = os.stat(os.path.dirname(path)).st_ino
          assert found == expected, 'another directory above'
          with open('../mark', 'w') as mark:
              mark.write(path)
          assert open(os.path.dirname(path) + '/mark').read() == path
          os.unlink('../mark')
      def git(*arguments):
          return subprocess.run(['git', '-c', 'safe.directory=*', *arguments], check=True,
                                capture_output=True, text=True).stdout
      """;

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  private Path onA = Path.of("");
  private Path onB = Path.of("");

  @BeforeEach
  void makeFolder() throws Exception {
    onA = Files.createTempDirectory(CLUSTER.mount("a"), "moved-");
    onB = CLUSTER.mount("b").resolve(onA.getFileName());
  }

  @Test
  void renamedInItsDirectoryAndToAnother() throws Exception {
    Files.createDirectories(onA.resolve("p/q/r"));
    Files.createDirectories(onA.resolve("other/deep"));
    settle();
    try (PythonProcess process = in("p/q/r")) {
      process.must("inside('" + onB.resolve("p/q/r") + "')");
      move("p/q/r", "p/q/s", process);
      inside("p/q/s", process);
      move("p/q/s", "other/deep/s", process);
      inside("other/deep/s", process);
      // A directory above it moves, which this kernel may have looked up long ago.
      move("other", "another", process);
      inside("another/deep/s", process);
      move("another/deep", "p/deep", process);
      inside("p/deep/s", process);
      // Back and forth.
      for (int i = 0; i < 10; i++) {
        Files.move(onA.resolve("p/deep"), onA.resolve("p/d" + i));
        Files.move(onA.resolve("p/d" + i), onA.resolve("p/deep"));
      }
      settle();
      inside("p/deep/s", process);
    }
  }

  @Test
  void aRepository() throws Exception {
    Path repository = Files.createDirectories(onA.resolve("work/repository"));
    Git.must(repository, "init", "--quiet");
    Files.createDirectories(repository.resolve("src"));
    Files.writeString(repository.resolve("src/f"), "text");
    Git.must(repository, "add", "--all");
    Git.must(repository, "commit", "--quiet", "--message", "one");
    Files.createDirectory(onA.resolve("new"));
    settle();
    try (PythonProcess process = in("work/repository/src")) {
      process.must("assert git('status', '--porcelain') == ''");
      move("work/repository", "new/repository", process);
      process.must("os.unlink('../landed'); assert git('status', '--porcelain') == ''");
      process.must(
          "assert git('rev-parse', '--show-toplevel').strip() == '"
              + onB.resolve("new/repository")
              + "'");
      inside("new/repository/src", process);
    }
  }

  @Test
  void oneOfManyThatAreRenamed() throws Exception {
    for (int i = 0; i < DIRECTORIES; i++) {
      Files.createDirectories(onA.resolve("d" + i + "/sub"));
    }
    settle();
    Shell.must(onB, "find", ".");
    try (PythonProcess first = in("d0/sub");
        PythonProcess last = in("d" + (DIRECTORIES - 1) + "/sub")) {
      for (int i = 0; i < DIRECTORIES; i++) {
        Files.move(onA.resolve("d" + i), onA.resolve("e" + i));
      }
      settle();
      inside("e0/sub", first);
      inside("e" + (DIRECTORIES - 1) + "/sub", last);
      Shell.must(onA, "rm", "-rf", "e1", "e2");
      settle();
      inside("e0/sub", first);
    }
  }

  /** Meanwhile this host makes calls, after which the kernel corrects its names itself. */
  @Test
  void whileNamesChangeHere() throws Exception {
    Files.createDirectories(onA.resolve("p/q"));
    settle();
    try (PythonProcess process = in("p/q")) {
      for (int i = 0; i < 30; i++) {
        Files.move(onA.resolve("p/q"), onA.resolve("q"));
        process.must("os.mkdir('here'); os.chdir('here'); os.mkdir('below'); os.chdir('..')");
        process.must("os.rename('here', 'there'); os.chdir('there/below'); os.chdir('../..')");
        process.must("os.rmdir('there/below'); os.rmdir('there')");
        Files.move(onA.resolve("q"), onA.resolve("p/q"));
        process.must("os.mkdir('mine'); os.rename('mine', 'yours'); os.rmdir('yours')");
      }
      settle();
      inside("p/q", process);
    }
  }

  private PythonProcess in(String directory) throws Exception {
    PythonProcess process = PythonProcess.start();
    process.define(LOOKING);
    process.must("os.chdir('" + onB.resolve(directory) + "')");
    return process;
  }

  private void move(String from, String to, PythonProcess process) throws Exception {
    Files.move(onA.resolve(from), onA.resolve(to));
    settle();
    process.must("open('../landed', 'w').close()");
    settle();
  }

  private void inside(String directory, PythonProcess process) throws Exception {
    process.must("inside('" + onB.resolve(directory) + "')");
    Path landed = onB.resolve(directory).resolveSibling("landed");
    if (Files.deleteIfExists(landed)) {
      CLUSTER.get().settle("a");
      assertFalse(Files.exists(onA.resolve(directory).resolveSibling("landed")));
    }
    assertEquals(
        Files.getAttribute(onA.resolve(directory), "unix:ino"),
        Files.getAttribute(onB.resolve(directory), "unix:ino"));
  }

  /** Waits until B shows everything that A has done: a mutation on B waits for that. */
  private void settle() throws Exception {
    CLUSTER.get().settle("b");
    Files.delete(Files.createTempDirectory(CLUSTER.mount("b"), "settled-"));
  }
}
