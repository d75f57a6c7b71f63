package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.MissingNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Paths that {@code hypersync.ignore} makes local to each host (hypersync.md 3), on two mounts. */
@RealMounts
class IgnoredPathsTest {
  @RegisterExtension static final TestClusterExtension CLUSTER = TestClusterExtension.ofOneClass();

  private static final String PATTERNS = "node_modules/\n*.o\n/anchored/\n";

  private Path a = Path.of("");
  private Path b = Path.of("");

  @BeforeEach
  void patterns() throws Exception {
    ignore(PATTERNS);
    a = Files.createTempDirectory(CLUSTER.mount("a"), "ignored-");
    b = CLUSTER.mount("b").resolve(a.getFileName());
    Await.until("the folder on b", () -> Files.isDirectory(b));
  }

  /** Under patterns that show all local names, so that they are removed, too. */
  @AfterEach
  void nothingIsLeft() throws Exception {
    ignore(PATTERNS + "cache*/\ndist/\n");
    sh(a, "rm -rf ..?* .[!.]* *");
    CLUSTER.get().settle("a", "b");
    sh(CLUSTER.mount("b"), "rm -rf " + b.getFileName());
  }

  private static void ignore(String patterns) throws Exception {
    Files.writeString(CLUSTER.mount("a").resolve("hypersync.ignore"), patterns);
    CLUSTER.get().settle("a", "b");
  }

  private static String sh(Path directory, String script) throws Exception {
    return Shell.run(directory, Map.of("LC_ALL", "C"), List.of("sh", "-c", script)).orFail(script);
  }

  private static String names(Path directory) throws Exception {
    try (Stream<Path> names = Files.list(directory)) {
      return names
          .map(name -> name.getFileName().toString())
          .collect(Collectors.toCollection(TreeSet::new))
          .toString();
    }
  }

  private static JsonNode ignored(String worker) {
    return CLUSTER.get().worker(worker).status().path("ignored");
  }

  /** What status says of a local name; missing if it does not name it. */
  private static JsonNode standing(String worker, String path) {
    for (JsonNode seen : ignored(worker).path("paths")) {
      if (seen.path("path").asText().equals(path)) {
        return seen;
      }
    }
    return MissingNode.getInstance();
  }

  /** The ops that were committed after an entry, but those that make room. */
  private static List<String> committedAfter(long index) {
    List<String> ops = new ArrayList<>();
    for (JsonNode entry : CLUSTER.get().log(500)) {
      String op = entry.path("op").asText();
      if (entry.path("log_index").asLong() > index && !op.equals("ReapOrphans")) {
        ops.add(op);
      }
    }
    return ops;
  }

  @Test
  void eachHostHasItsOwnFilesAndTheLogHasNone() throws Exception {
    sh(a, "echo src > main.c");
    CLUSTER.get().settle("a", "b");
    long before = CLUSTER.get().leader().status().path("commit_index").asLong();
    String make =
        """
        set -e
        mkdir -p node_modules/lib/deep; echo %s > node_modules/lib/index.js
        ln -s index.js node_modules/lib/link; ln node_modules/lib/index.js node_modules/lib/hard
        mkfifo node_modules/pipe; echo %s > main.o; mv node_modules/lib/deep node_modules/moved
        """;
    sh(a, make.formatted("of-a", "object-a"));
    sh(b, make.formatted("of-b", "object-b"));
    assertEquals("[main.c, main.o, node_modules]", names(a));
    assertEquals("[main.c, main.o, node_modules]", names(b));
    assertEquals("of-a\nobject-a\n", sh(a, "cat node_modules/lib/link main.o"));
    assertEquals("of-b\nobject-b\n", sh(b, "cat node_modules/lib/hard main.o"));
    assertEquals("2\n", sh(a, "stat -c %h node_modules/lib/hard"));
    sh(a, "rm -r node_modules main.o");
    assertEquals("[main.c]", names(a));
    assertEquals("[main.c, main.o, node_modules]", names(b), "b's are its own");
    assertEquals(List.of(), committedAfter(before), "nothing was committed");
    CLUSTER.get().assertSameRoots("a", "b");
  }

  @Test
  void thePatternsAreInEffectWhenTheirWriteReturns() throws Exception {
    for (int i = 0; i < 20; i++) {
      String name = "cache" + i;
      sh(
          CLUSTER.mount("a"),
          "printf '" + name + "/\\n' > hypersync.ignore && mkdir " + a + "/" + name);
      CLUSTER.get().settle("a", "b");
      assertFalse(Files.exists(b.resolve(name)), name + " is local to a");
    }
  }

  /**
   * What happens at the edges: a script in a directory of mount a, what it prints, and what both
   * mounts then have. L is a local directory with a file, R a replicated one, both made before.
   */
  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          rename, replicated to a local name  | ren("R", "node_modules")                 | EXDEV     | [L.o, R, x.o, y]
          rename, replicated to a kind that does not match | ren("y", "node_modules")    | ok        | [L.o, R, node_modules, x.o]
          rename, local to a replicated name  | ren("x.o", "x")                          | EXDEV     | [L.o, R, x.o, y]
          rename, local to a local name       | ren("x.o", "z.o")                        | ok        | [L.o, R, y, z.o]
          rename, local over a replicated one | ren("x.o", "y")                          | EXDEV     | [L.o, R, x.o, y]
          rename, replicated over a local one | ren("y", "x.o")                          | EXDEV     | [L.o, R, x.o, y]
          rename, into a local directory      | ren("y", "L.o/y")                        | EXDEV     | [L.o, R, x.o, y]
          rename, local into a local directory | ren("x.o", "L.o/x")                     | ok        | [L.o, R, y]
          rename, out of a local directory    | ren("L.o/f", "f")                        | EXDEV     | [L.o, R, x.o, y]
          rename, out to a local name         | ren("L.o/f", "f.o")                      | ok        | [L.o, R, f.o, x.o, y]
          rename, to a replicated directory   | ren("x.o", "R/x.o")                      | ok        | [L.o, R, y]
          rename, without replacing           | ren2("x.o", "L.o", 1)                    | EEXIST    | [L.o, R, x.o, y]
          rename, exchanged                   | ren2("x.o", "L.o", 2)                    | ok        | [L.o, R, x.o, y]
          rename, exchanged with replicated   | ren2("x.o", "y", 2)                      | EXDEV     | [L.o, R, x.o, y]
          rename, whiteout                    | ren2("x.o", "w.o", 4)                    | ENOTSUP   | [L.o, R, x.o, y]
          link, replicated to a local name    | os.link("y", "y.o")                      | EXDEV     | [L.o, R, x.o, y]
          link, local to a replicated name    | os.link("x.o", "x")                      | EXDEV     | [L.o, R, x.o, y]
          link, local to a local name         | os.link("x.o", "z.o")                    | ok        | [L.o, R, x.o, y, z.o]
          link, local into a local directory  | os.link("x.o", "L.o/x")                  | ok        | [L.o, R, x.o, y]
          link, replicated into a local directory | os.link("y", "L.o/y")                | EXDEV     | [L.o, R, x.o, y]
          rmdir, with a local name in it      | os.close(os.open("R/r.o", 64)); os.rmdir("R") | ENOTEMPTY | [L.o, R, x.o, y]
          rmdir, when it is gone              | os.close(os.open("R/r.o", 64)); os.unlink("R/r.o"); os.rmdir("R") | ok | [L.o, x.o, y]
          rmdir, local with a file            | os.rmdir("L.o")                          | ENOTEMPTY | [L.o, R, x.o, y]
          replaced, with a local name in it   | os.mkdir("Q"); os.close(os.open("R/r.o", 64)); ren("Q", "R") | ENOTEMPTY | [L.o, Q, R, x.o, y]
          unlink, local                       | os.unlink("x.o")                         | ok        | [L.o, R, y]
          unlink, missing local               | os.unlink("none.o")                      | ENOENT    | [L.o, R, x.o, y]
          exclusive, of a local name          | os.open("x.o", 64 + 128)                 | EEXIST    | [L.o, R, x.o, y]
          what belongs to git is replicated   | os.mkdir(".git"); os.close(os.open(".git/x.o", 64)) | ok | [.git, L.o, R, x.o, y]
          """)
  void edges(String what, String call, String expected, String names) throws Exception {
    sh(a, "mkdir L.o R && echo f > L.o/f && echo x > x.o && echo y > y");
    try (PythonProcess python = PythonProcess.start()) {
      python.must("os.chdir(" + quoted(a) + ")");
      python.define(
          """
          libc = ctypes.CDLL(None, use_errno=True)
          ren = os.rename
          def ren2(old, new, flags):
              if libc.renameat2(-100, old.encode(), -100, new.encode(), flags) != 0:
                  code = ctypes.get_errno()
                  raise OSError(code, os.strerror(code))
          """);
      assertEquals(expected, python.run(call).replace("EOPNOTSUPP", "ENOTSUP"), what);
    }
    assertEquals(names, names(a), what);
    CLUSTER.get().settle("a", "b");
    CLUSTER.get().assertSameRoots("a", "b");
    TreeSet<String> replicated =
        new TreeSet<>(List.of(names.substring(1, names.length() - 1).split(", ")));
    replicated.removeIf(name -> name.endsWith(".o"));
    assertEquals(replicated.toString(), names(b), "what b sees");
  }

  private static String quoted(Path path) {
    return "'" + path + "'";
  }

  @Test
  void mvCopiesWhatCannotBeMoved() throws Exception {
    sh(a, "mkdir -p d/e && echo 1 > d/e/f && echo o > x.o && mv d node_modules && mv x.o x");
    assertEquals("[node_modules, x]", names(a));
    assertEquals("1\no\n", sh(a, "cat node_modules/e/f x"));
    Await.same("on b", "[x]", () -> names(b));
  }

  @Test
  void whatIsReplicatedStaysSoWhateverPatternIsAdded() throws Exception {
    sh(a, "mkdir -p dist/sub && echo 1 > dist/sub/f");
    Await.until("on b", () -> Files.exists(b.resolve("dist/sub/f")));
    ignore(PATTERNS + "dist/\n");
    sh(a, "echo 2 > dist/sub/f");
    Await.same(
        "a change of what was there", "2\n", () -> Files.readString(b.resolve("dist/sub/f")));
    sh(a, "echo new > dist/sub/new");
    assertEquals("[f, new]", names(a.resolve("dist/sub")), "an ignored directory has both");
    assertEquals("[f]", names(b.resolve("dist/sub")), "what is new in it is local");
    String path = a.getFileName() + "/dist";
    Await.until(
        "status names it", () -> ignored("a").path("replicated_paths").toString().contains(path));
    String status = CLUSTER.get().hypersync("status").orFail("status");
    assertTrue(status.contains("stays replicated: "), status);
  }

  @Test
  void aPatternThatIsRemovedHidesAndBringsBack() throws Exception {
    sh(a, "mkdir node_modules && echo kept > node_modules/f");
    ignore("*.o\n");
    assertEquals("[]", names(a));
    assertFalse(Files.exists(a.resolve("node_modules")));
    String path = a.getFileName() + "/node_modules";
    JsonNode hidden = standing("a", path);
    assertEquals("hidden", hidden.path("standing").asText(), ignored("a")::toString);
    Path kept =
        Path.of(ignored("a").path("folder").asText())
            .resolve(hidden.path("directory").asText())
            .resolve("names/node_modules/f");
    assertEquals("kept\n", Files.readString(kept), "status says where");
    sh(a, "mkdir node_modules && echo replicated > node_modules/f");
    Await.same("b has it", "replicated\n", () -> Files.readString(b.resolve("node_modules/f")));
    ignore(PATTERNS);
    assertEquals("replicated\n", Files.readString(a.resolve("node_modules/f")));
    assertEquals("shadowed", standing("a", path).path("standing").asText());
    sh(b, "rm -r node_modules");
    Await.same(
        "what was hidden is back", "kept\n", () -> Files.readString(a.resolve("node_modules/f")));
    sh(a, "rm -r node_modules");
  }

  @Test
  void aNameThatWasLookedForInVainIsFoundWhenItsPatternComesBack() throws Exception {
    sh(a, "mkdir node_modules");
    ignore("*.o\n");
    Thread.sleep(1_200); // so that the kernel may keep what it is told
    for (int i = 0; i < 3; i++) {
      assertFalse(Files.exists(a.resolve("node_modules")));
    }
    ignore(PATTERNS);
    Await.until("it is shown", () -> Files.isDirectory(a.resolve("node_modules")));
    sh(a, "rmdir node_modules");
  }

  @Test
  void aReplicatedNameGoesBeforeALocalOneAtOnce() throws Exception {
    ignore("");
    sh(b, "mkdir -p late && echo replicated > late/both.o");
    sh(b, "mv late/both.o late/tmp");
    ignore(PATTERNS);
    Await.until("on a", () -> Files.exists(a.resolve("late/tmp")));
    sh(a, "echo local > late/both.o && cat late/both.o");
    ignore("");
    sh(b, "mv late/tmp late/both.o");
    ignore(PATTERNS);
    assertEquals("replicated\n", Files.readString(a.resolve("late/both.o")));
    assertEquals("[both.o]", names(a.resolve("late")), "once");
    sh(a, "rm late/both.o");
    assertEquals("local\n", Files.readString(a.resolve("late/both.o")), "it was only behind it");
  }

  @Test
  void localNamesMoveWithTheirReplicatedDirectory() throws Exception {
    sh(a, "mkdir -p p/q && echo o > p/q/x.o && echo s > p/q/s");
    Await.until("on b", () -> Files.exists(b.resolve("p/q/s")));
    sh(b, "mv p moved && mv moved/q moved/r");
    Await.same("on a", "o\n", () -> Files.readString(a.resolve("moved/r/x.o")));
    sh(a, "mv moved again");
    assertEquals("o\n", sh(a, "cat again/r/x.o"));
  }

  @Test
  void whatAnotherHostRemovesLeavesLocalNamesThatAreKept() throws Exception {
    sh(a, "mkdir -p gone && echo o > gone/x.o");
    Await.until("on b", () -> Files.isDirectory(b.resolve("gone")));
    sh(b, "rmdir gone");
    Await.until("on a", () -> !Files.exists(a.resolve("gone")));
    JsonNode left = standing("a", a.getFileName() + "/gone/x.o");
    assertEquals("orphaned", left.path("standing").asText(), ignored("a")::toString);
    String text = CLUSTER.get().hypersync("status").orFail("status");
    assertTrue(text.contains("left of directories that another host removed"), text);
  }

  @Test
  void processesUseLocalFilesAsOnADisk() throws Exception {
    try (PythonProcess one = PythonProcess.start();
        PythonProcess other = PythonProcess.start()) {
      for (PythonProcess each : List.of(one, other)) {
        each.must("import fcntl, mmap");
        each.must("os.makedirs(" + quoted(a) + " + '/node_modules', exist_ok=True)");
        each.must("os.chdir(" + quoted(a.resolve("node_modules")) + ")");
      }
      one.must("f = os.open('f', os.O_RDWR | os.O_CREAT, 0o644); os.ftruncate(f, 8192)");
      other.must("f = os.open('f', os.O_RDWR)");
      one.must("m = mmap.mmap(f, 8192); m[4096:4100] = b'abcd'");
      other.must("m = mmap.mmap(f, 8192); assert m[4096:4100] == b'abcd'");
      other.must("m[0:4] = b'efgh'; m.flush(); assert os.pread(f, 4, 0) == b'efgh'");
      one.must("assert m[0:4] == b'efgh' and os.pread(f, 4, 4096) == b'abcd'");

      one.must("fcntl.flock(f, fcntl.LOCK_EX)");
      assertEquals("EAGAIN", other.run("fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)"));
      one.must("fcntl.flock(f, fcntl.LOCK_UN)");
      other.must("fcntl.flock(f, fcntl.LOCK_EX | fcntl.LOCK_NB)");
      one.must("fcntl.lockf(f, fcntl.LOCK_EX, 10)");
      assertEquals("EAGAIN", other.run("fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB, 5)"));
      other.must("fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB, 5, 100)");
      one.must("os.close(os.dup(f))");
      other.must("fcntl.lockf(f, fcntl.LOCK_SH | fcntl.LOCK_NB, 5)");

      one.must("os.unlink('f'); s = os.fstat(f); assert s.st_size == 8192 and s.st_nlink == 0");
      one.must("os.pwrite(f, b'end', 9000); assert os.fstat(f).st_size == 9003");
      one.must("os.fchmod(f, 0o600); os.fsync(f); os.ftruncate(f, 3)");
      other.must("assert os.pread(f, 10, 0) == b'efg'");

      one.must("os.setxattr('.', 'user.x', b'v'); assert os.getxattr('.', 'user.x') == b'v'");
      one.must("assert os.listxattr('.') == ['user.x']");
      assertEquals("ENODATA", one.run("os.getxattr('.', 'user.none')"));
      one.must("g = os.open('g', os.O_RDWR | os.O_CREAT); os.posix_fallocate(g, 0, 100000)");
      one.must("os.pwrite(g, b'data', 50000); h = os.open('h', os.O_RDWR | os.O_CREAT)");
      one.must(
          "assert os.copy_file_range(g, h, 4, 50000, 0) == 4; assert os.pread(h, 4, 0) == b'data'");
      one.must("t = os.open('.', os.O_RDWR | os.O_TMPFILE); os.write(t, b'tmp')");
      one.must("os.link(f'/proc/self/fd/{t}', 'named', src_dir_fd=t, follow_symlinks=True)");
      one.must("assert open('named').read() == 'tmp'");
      one.must("n = os.open('app', os.O_WRONLY | os.O_CREAT | os.O_APPEND)");
      one.must("[os.write(n, b'x') for _ in range(100)]; assert os.stat('app').st_size == 100");
      one.must("os.mkdir('d'); os.chdir('d'); os.rmdir('../d')");
      assertEquals("ENOENT", one.run("os.mkdir('x')"));
    }
  }

  @Test
  void copiesBetweenBothKindsHaveTheBytes() throws Exception {
    byte[] data = new byte[3 << 20];
    new Random(1).nextBytes(data);
    Files.write(a.resolve("r"), data);
    sh(a, "mkdir node_modules && cp r node_modules/l && cp node_modules/l again && cmp r again");
  }

  @Test
  void anotherUserHasTheRightsOfTheModes() throws Exception {
    Files.setAttribute(CLUSTER.get().root(), "unix:mode", 0711);
    Files.setAttribute(a, "unix:mode", 0777);
    sh(a, "mkdir node_modules && echo secret > node_modules/s && chmod 600 node_modules/s");
    String as = "setpriv --reuid 65534 --regid 65534 --clear-groups sh -c ";
    String denied =
        sh(
            a,
            as
                + "'umask 027; echo mine > mine.o; mkdir sub.o; stat -c %u:%g:%a mine.o sub.o;"
                + " cat node_modules/s; echo x > node_modules/new; rm node_modules/s;"
                + " chmod 777 node_modules; chown 0 mine.o; true' 2>&1");
    assertTrue(denied.startsWith("65534:65534:640\n65534:65534:750\n"), denied);
    assertEquals(
        5,
        denied.lines().filter(l -> l.contains("denied") || l.contains("not permitted")).count(),
        denied);
    assertEquals("secret\n", Files.readString(a.resolve("node_modules/s")));
    sh(a, "cp /bin/true suid.o && chown 65534 suid.o && chmod 4777 suid.o");
    sh(a, "setpriv --reuid 12345 --clear-groups sh -c 'echo x >> suid.o'");
    assertEquals("777\n", sh(a, "stat -c %a suid.o"), "a write takes the bit away");
    sh(a, "mkdir team.o && chgrp 12345 team.o && chmod 2777 team.o && touch team.o/f");
    sh(a, "mkdir team.o/d; chgrp 12345 . && chmod g+s . && touch top.o");
    assertEquals(
        "12345\n12345:2755\n12345\n",
        sh(a, "stat -c %g team.o/f; stat -c %g:%a team.o/d; stat -c %g top.o"));
  }

  @Test
  void theyAreThereAfterAStartAndTheLogSaysHowMany() throws Exception {
    sh(a, "mkdir node_modules && echo 1 > node_modules/f && ls node_modules");
    String number = sh(a, "stat -c %i node_modules/f");
    TestCluster cluster = CLUSTER.get();
    Shell.must(Path.of("/"), "umount", cluster.mount("a").toString());
    cluster.worker("a").awaitExit(Await.LIMIT);
    int before = said(cluster);
    cluster.startWorker("a");
    assertEquals("1\n", sh(a, "cat node_modules/f"));
    assertEquals(number, sh(a, "stat -c %i node_modules/f"), "with the same inode numbers");
    Await.until("the log says it", () -> said(cluster) > before);
    assertNotEquals(0, ignored("a").path("shown").asInt());
  }

  private static int said(TestCluster cluster) {
    return cluster.worker("a").log().split(" local to this host \\(hypersync.ignore\\)", -1).length;
  }

  @Test
  void linesThatAreNotUsedAreNamed() throws Exception {
    ignore("node_modules/\na//b\n");
    JsonNode refused = ignored("a").path("refused");
    assertEquals(2, refused.path(0).path("line").asInt());
    String text = CLUSTER.get().hypersync("status").orFail("status");
    assertTrue(text.contains("hypersync.ignore, line 2 is not used"), text);
  }
}
