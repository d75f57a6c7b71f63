package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Named;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * One workspace on a mount of each kind: a is the kernel's own backend, b goes through libfuse 2
 * (fuse_backend = "jnr"). Needs libfuse 2 (Debian: libfuse2), and fails without it.
 */
@RealMounts
class JnrBackendTest {
  /** Rows of {@link MutationsAcrossMountsTest} that need what libfuse 2 lacks where it looks. */
  private static final Set<String> NOT_SEEN_THERE = Set.of("read-only mmap");

  /** Likewise where it makes the calls: a look at the size of an open file without a name. */
  private static final Set<String> NOT_MADE_THERE =
      Set.of("unlink while open on A", "unlink on B while open on A");

  /** POSIX cases that need what {@code posix/jnr.py} shows to be missing. */
  private static final Set<String> NOT_POSIX_THERE =
      Set.of(
          "copy_file_range_of_a_sparse_file",
          "what_is_not_supported_says_so",
          "seek_to_data_and_holes",
          "tmpfile_and_its_first_name",
          "an_unnamed_file_and_the_other_mount",
          "statx_with_btime",
          "umask_applies_once",
          "links_of_directories",
          "times_of_every_call",
          "access_times_that_were_set",
          "renameat2_flags",
          "mmap_of_every_kind");

  @RegisterExtension
  static final TestClusterExtension CLUSTER = TestClusterExtension.withJnrMount();

  @TempDir Path outside;

  @AfterEach
  void nothingIsHeldWhenNobodyUsesAnything() throws Exception {
    DaemonJvm worker = CLUSTER.get().worker("b");
    assertEquals("jnr", worker.status().path("fuse_backend").asText());
    String held = "something";
    long deadlineNs = System.nanoTime() + Await.LIMIT.toNanos();
    while (!held.isEmpty() && System.nanoTime() - deadlineNs < 0) {
      Thread.sleep(10);
      held = held(worker.status());
    }
    if (!held.isEmpty()) {
      fail(held + "\nopen by:\n" + openBelow(CLUSTER.mount("b")));
    }
  }

  /** What the worker holds for its mount beside the root, which is never forgotten; or "". */
  private static String held(JsonNode status) {
    int inodes = status.path("kernel_inodes").asInt() - 1;
    int handles = status.path("open_handles").asInt();
    int requests = status.path("requests_in_flight").asInt();
    return inodes == 0 && handles == 0 && requests == 0
        ? ""
        : "%d nodes, %d open handles, %d requests in flight are held on b; requests: %s"
            .formatted(inodes, handles, requests, status.path("kernel_requests"));
  }

  /** The processes that have files open or mapped below a directory, and those files. */
  private static String openBelow(Path directory) throws Exception {
    String script =
        "ls -l /proc/[0-9]*/fd /proc/[0-9]*/cwd 2>/dev/null | grep -F \"$1\";"
            + " grep -F \"$1\" /proc/[0-9]*/maps 2>/dev/null; true";
    return Shell.must(Path.of("/"), "bash", "-c", script, "open", directory.toString());
  }

  static Stream<Arguments> seenThroughLibfuse() {
    return rowsWithout(NOT_SEEN_THERE);
  }

  static Stream<Arguments> madeThroughLibfuse() {
    return rowsWithout(NOT_MADE_THERE);
  }

  private static Stream<Arguments> rowsWithout(Set<String> names) {
    return MutationsAcrossMountsTest.rows()
        .filter(row -> row.get()[0] instanceof Named<?> named && !names.contains(named.getName()));
  }

  @ParameterizedTest
  @MethodSource
  void seenThroughLibfuse(MutationsAcrossMountsTest.Row row) throws Exception {
    row.check(folders("a", "b"));
    CLUSTER.get().assertSameRoots("a", "b");
  }

  @ParameterizedTest
  @MethodSource
  void madeThroughLibfuse(MutationsAcrossMountsTest.Row row) throws Exception {
    row.check(folders("b", "a"));
    CLUSTER.get().assertSameRoots("a", "b");
  }

  private static MutationsAcrossMountsTest.Pair folders(String maker, String other)
      throws Exception {
    Path made = Files.createTempDirectory(CLUSTER.mount(maker), "row-");
    Path seen = CLUSTER.mount(other).resolve(made.getFileName());
    Await.until("the row's folder on " + other, () -> Files.isDirectory(seen));
    return new MutationsAcrossMountsTest.Pair(made, seen);
  }

  @Test
  void gitClonesAndChecksThroughLibfuse() throws Exception {
    GitAcrossMountsTest.cloneAndUse(CLUSTER.get(), "b", "a", outside, "cloned-through-libfuse");
  }

  @Test
  void gitUsesThroughLibfuseWhatWasClonedElsewhere() throws Exception {
    GitAcrossMountsTest.cloneAndUse(CLUSTER.get(), "a", "b", outside, "used-through-libfuse");
  }

  static Stream<String> posixCases() throws Exception {
    return Shell.must(Path.of("."), "python3", script("cases.py"))
        .lines()
        .filter(name -> !NOT_POSIX_THERE.contains(name));
  }

  @ParameterizedTest
  @MethodSource("posixCases")
  void posix(String name) throws Exception {
    MutationsAcrossMountsTest.Pair folders = folders("b", "a");
    Shell.must(folders.a(), "python3", script("cases.py"), name, folders.b().toString());
    CLUSTER.get().assertSameRoots("a", "b");
  }

  static Stream<String> limits() throws Exception {
    return Shell.must(Path.of("."), "python3", script("jnr.py")).lines();
  }

  @ParameterizedTest
  @MethodSource
  void limits(String name) throws Exception {
    Shell.must(folders("b", "a").a(), "python3", script("jnr.py"), name);
    CLUSTER.get().assertSameRoots("a", "b");
  }

  @Test
  void locksExcludeEachOtherAcrossBothKinds() throws Exception {
    MutationsAcrossMountsTest.Pair folders = folders("a", "b");
    Path onA = Files.createFile(folders.a().resolve("lock"));
    Path onB = folders.b().resolve("lock");
    Await.until("the lock file on b", () -> Files.exists(onB));
    try (FileChannel a = open(onA);
        FileChannel b = open(onB)) {
      FileLock held = b.lock(10, 10, false);
      assertNull(a.tryLock(15, 1, false), "fcntl: held through libfuse");
      held.release();
      assertNotNull(a.tryLock(15, 1, false));
      assertNull(b.tryLock(15, 1, false), "fcntl: held through the kernel's backend");
    }
    assertEquals(0, flockBeside(onB, onA, "-s"), "flock: readers share");
    assertEquals(1, flockBeside(onB, onA, "-x"), "flock: held through libfuse");
    assertEquals(1, flockBeside(onA, onB, "-x"), "flock: held through the kernel's backend");
  }

  /** The exit code of an attempt to lock, while another process has locked the file. */
  private static int flockBeside(Path held, Path tried, String kind) throws Exception {
    String holding = kind.equals("-s") ? "-s" : "-x";
    return Shell.run(
            Path.of("/"),
            Map.of(),
            List.of(
                "flock", holding, held.toString(), "flock", kind, "-n", tried.toString(), "true"))
        .exit();
  }

  @Test
  void aSignalEndsAWaitForALock() throws Exception {
    MutationsAcrossMountsTest.Pair folders = folders("b", "a");
    Path lock = Files.createFile(folders.a().resolve("lock"));
    for (String signal : List.of("INT", "KILL")) {
      String waits = "flock -x 9; timeout -s " + signal + " 1 flock -x lock true; test $? -ne 0";
      Shell.must(folders.a(), "bash", "-c", waits + " 9<lock; exec 9<lock; " + waits);
    }
    assertTrue(Files.exists(lock));
  }

  @Test
  void twoHundredCallersAtOnceAreServed() throws Exception {
    MutationsAcrossMountsTest.Pair folders = folders("b", "a");
    List<Thread> callers =
        Stream.iterate(0, i -> i + 1)
            .limit(200)
            .map(i -> Thread.ofPlatform().start(() -> makeAndRead(folders.a().resolve("f" + i))))
            .toList();
    for (Thread caller : callers) {
      caller.join();
    }
    TestCluster cluster = CLUSTER.get();
    cluster.settle("a");
    try (Stream<Path> names = Files.list(folders.b())) {
      assertEquals(200, names.count());
    }
  }

  private static void makeAndRead(Path file) {
    try {
      Files.writeString(file, file.toString());
      assertEquals(file.toString(), Files.readString(file));
    } catch (java.io.IOException failure) {
      throw new java.io.UncheckedIOException(failure);
    }
  }

  @Test
  void nothingThatTheKernelWouldHaveToForgetIsCached() throws Exception {
    MutationsAcrossMountsTest.Pair folders = folders("a", "b");
    Path onA = folders.a().resolve("f");
    Path onB = folders.b().resolve("f");
    for (int i = 0; i < 20; i++) {
      assertFalse(Files.exists(onB), "warm: the name is missing");
      Files.writeString(onA, "x".repeat(i));
      CLUSTER.get().settle("b");
      assertEquals("x".repeat(i), Files.readString(onB));
      Files.delete(onA);
      CLUSTER.get().settle("b");
    }
  }

  @Test
  void aWorkerThatIsKilledMountsAgain() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path file = cluster.mount("b").resolve("before-the-kill");
    Files.writeString(file, "kept");
    cluster.worker("b").kill();
    assertEquals("ENOTCONN", Errnos.of(() -> Files.readString(file)));
    cluster.startWorker("b");
    assertEquals("kept", Files.readString(file));
  }

  private static FileChannel open(Path path) throws Exception {
    return FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
  }

  private static String script(String name) throws URISyntaxException {
    URL found = Objects.requireNonNull(JnrBackendTest.class.getResource("/posix/" + name));
    return Path.of(found.toURI()).toString();
  }
}
