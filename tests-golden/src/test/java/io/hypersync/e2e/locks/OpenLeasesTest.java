package io.hypersync.e2e.locks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A node that loses its last name while it is open stays usable for as long as it is open, on any
 * host, and is removed everywhere soon afterwards (hypersync.md 6.8).
 */
@RealMounts
class OpenLeasesTest {
  private static final long LONGER_THAN_THE_LEASE_MS = 2_500;
  private static final String CONTENT = "bytes(range(250)) * 1000";

  private static TestCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = TestCluster.create();
    cluster.startLeader("--set", "hypersync.leader.open_lease_ttl=1s");
    cluster.startWorkers("a", "b");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /**
   * A way of holding a node open. All steps are Python code.
   *
   * @param prepare creates the node
   * @param hold the holder opens it, in the directory of the case, before {@code lose}
   * @param lose the name is removed, on the other host or the same one
   * @param works checks of the holder, long after that
   * @param letGo the holder closes it
   */
  record Case(String name, String prepare, String hold, String lose, String works, String letGo) {
    @Override
    public String toString() {
      return name;
    }
  }

  static Stream<Case> cases() {
    String file = "open('f', 'wb').write(" + CONTENT + ")";
    String whole = "assert os.pread(fd, 1 << 20, 0) == " + CONTENT;
    String orphan = "assert os.fstat(fd).st_nlink == 0";
    return Stream.of(
        new Case(
            "a reader of an unlinked file",
            file,
            "fd = os.open('f', os.O_RDONLY)",
            "os.unlink('f')",
            whole + "; " + orphan,
            "os.close(fd)"),
        new Case(
            "a writer of an unlinked file",
            file,
            "fd = os.open('f', os.O_RDWR)",
            "os.unlink('f')",
            "os.fchmod(fd, 0o600); os.ftruncate(fd, 5); os.pwrite(fd, b'new', 5); "
                + "assert os.pread(fd, 99, 0) == b'\\0\\1\\2\\3\\4new'; "
                + "assert os.fstat(fd).st_mode & 0o777 == 0o600; "
                + orphan,
            "os.close(fd)"),
        new Case(
            "a reader of a file that another one was renamed over",
            file + "; open('g', 'w').close()",
            "fd = os.open('f', os.O_RDONLY)",
            "os.rename('g', 'f')",
            whole + "; " + orphan,
            "os.close(fd)"),
        new Case(
            "a file that is mapped and closed",
            file,
            "fd = os.open('f', os.O_RDONLY); m = mmap.mmap(fd, 0, prot=mmap.PROT_READ);"
                + " os.close(fd)",
            "os.unlink('f')",
            "assert m[:] == " + CONTENT,
            "m.close()"),
        new Case(
            "an open directory",
            "os.mkdir('d')",
            "fd = os.open('d', os.O_RDONLY)",
            "os.rmdir('d')",
            "assert os.listdir(fd) == []; " + orphan,
            "os.close(fd)"),
        new Case(
            "a working directory",
            "os.mkdir('d')",
            "os.chdir('d')",
            "os.rmdir('d')",
            "os.stat('.'); assert os.listdir('.') == []",
            "os.chdir('/')"));
  }

  @ParameterizedTest(name = "{0}, on another machine")
  @MethodSource("cases")
  void worksWhileAnotherMachineTakesTheNameAway(Case row) throws Exception {
    holds(row, "b");
  }

  @ParameterizedTest(name = "{0}, on the same machine")
  @MethodSource("cases")
  void worksWhileTheSameMachineTakesTheNameAway(Case row) throws Exception {
    holds(row, "a");
  }

  private static void holds(Case row, String holder) throws Exception {
    Path folder = Files.createTempDirectory(cluster.mount("a"), "leases-");
    Path there = cluster.mount(holder).resolve(folder.getFileName().toString());
    Await.until(
        "all orphans are gone", () -> cluster.leader().status().path("orphans").asInt() == 0);
    long reaped = cluster.leader().status().path("reaped").asLong();
    try (PythonProcess a = PythonProcess.start();
        PythonProcess b = PythonProcess.start()) {
      a.must("os.chdir('" + folder + "'); " + row.prepare);
      cluster.settle("a", "b");
      b.must("os.chdir('" + there + "'); " + row.hold);
      a.must(row.lose);
      Thread.sleep(LONGER_THAN_THE_LEASE_MS);
      assertEquals(1, cluster.leader().status().path("orphans").asInt(), "orphans");
      assertTrue(cluster.worker(holder).status().path("open_leases").asInt() >= 1, "open_leases");
      b.must(row.works);
      if (row.name.contains("directory")) {
        String where = row.name.startsWith("an open") ? "dir_fd=fd" : "dir_fd=None";
        assertEquals("ENOENT", b.run("os.mkdir('new', " + where + ")"));
        assertEquals("ENOENT", b.run("os.open('new', os.O_CREAT | os.O_WRONLY, " + where + ")"));
      }
      b.must(row.letGo);
      Await.until(
          "it is reaped", () -> cluster.leader().status().path("reaped").asLong() == reaped + 1);
    }
    cluster.assertSameRoots("a", "b");
    int files = cluster.leader().status().path("files").asInt();
    assertEquals(files, cluster.worker("a").status().path("files").asInt(), "files on a");
    assertEquals(files, cluster.worker("b").status().path("files").asInt(), "files on b");
  }
}
