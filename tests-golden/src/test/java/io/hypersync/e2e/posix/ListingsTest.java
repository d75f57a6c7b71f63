package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.PythonProcess;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Kernels cache listings, and no process sees an older listing after a newer one
 * (docs/kernel-caching.md).
 */
@RealMounts
class ListingsTest {
  private static final int SECONDS = Integer.getInteger("hypersync.listings.seconds", 5);

  /**
   * The least number of requests for a listing of 400 names: the first names with attributes, the
   * rest without, and the end of the directory.
   */
  private static final int LEAST_REQUESTS = 3;

  /** The worker waits half a second; the rest is for busy machines. */
  private static final Duration HELD_UP = Duration.ofSeconds(20);

  private static TestCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = TestCluster.start(TestCluster.PATIENT, "a", "b", "c");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  @ParameterizedTest(name = "mtimes {0}")
  @ValueSource(strings = {"open", "hidden"})
  void readersNeverSeeAnOlderListing(String mtimes) throws Exception {
    watch(cluster, mtimes);
  }

  @ParameterizedTest(name = "{0} us")
  @ValueSource(strings = {"1000", "30000"})
  void readersNeverSeeAnOlderListingWhenKernelsAreToldLate(String delayUs) throws Exception {
    Map<String, String> delay = Map.of("HYPERSYNC_FAULT_NOTIFIER_DELAY_US", delayUs);
    try (TestCluster late = TestCluster.start(TestCluster.PATIENT, delay, "a", "b")) {
      watch(late, "hidden");
    }
  }

  @Test
  void anUnchangedDirectoryIsReadOnceAndAChangedOneAgain() throws Exception {
    Path there = Files.createDirectory(cluster.mount("a").resolve("d"));
    for (int i = 0; i < 200; i++) {
      Files.createFile(there.resolve("name" + i));
    }
    cluster.settle("b");
    Path here = cluster.mount("b").resolve("d");
    // The worker itself keeps the root directory open, as the start of its path walks.
    long kept = requests(cluster, "opendir") - requests(cluster, "releasedir");
    List<String> first = listing(here);
    long requests = listingRequests(cluster);
    for (int i = 0; i < 20; i++) {
      // The kernel sends RELEASEDIR asynchronously after the close.
      Await.until(
          "closed", () -> requests(cluster, "opendir") - requests(cluster, "releasedir") == kept);
      assertEquals(first, listing(here));
    }
    assertEquals(requests, listingRequests(cluster), "READDIR for what the kernel has");
    Files.delete(there.resolve("name7"));
    cluster.settle("b");
    assertEquals(first.size() - 1, listing(here).size());
    assertTrue(listingRequests(cluster) > requests, "the kernel has asked again");
  }

  /**
   * The kernel holds a page of the cached listing while it waits for the reader's memory, which is
   * mapped from the mount of a stopped worker.
   */
  @Test
  void aReaderWhoseMemoryDoesNotComeHoldsUpNobodyElse() throws Exception {
    try (PythonProcess reader = PythonProcess.start()) {
      Path there = Files.createDirectory(cluster.mount("a").resolve("held"));
      for (int i = 0; i < 200; i++) {
        Files.createFile(there.resolve("name" + i));
      }
      Files.write(cluster.mount("a").resolve("memory"), new byte[1 << 16]);
      cluster.settle("b", "c");
      Path here = cluster.mount("b").resolve("held");
      reader.must("libc = ctypes.CDLL(None, use_errno=True)");
      reader.must("getdents = 217 if os.uname().machine == 'x86_64' else 61");
      reader.must("fd = os.open('" + here + "', os.O_RDONLY)");
      reader.must("plain = ctypes.create_string_buffer(1 << 16)");
      reader.must("while libc.syscall(getdents, fd, plain, 1 << 16) > 0: pass");
      reader.must("os.lseek(fd, 0, 0)");
      reader.must("file = os.open('" + cluster.mount("c").resolve("memory") + "', os.O_RDONLY)");
      reader.must(
          "memory = mmap.mmap(file, 1 << 16, mmap.MAP_PRIVATE, mmap.PROT_READ | mmap.PROT_WRITE)");
      reader.must("slow = (ctypes.c_char * (1 << 16)).from_buffer(memory)");
      reader.must("import threading; found = []");
      reader.must("ask = lambda: found.append(libc.syscall(getdents, fd, slow, 1 << 16))");
      cluster.worker("c").freeze();
      try {
        reader.must("asking = threading.Thread(target=ask); asking.start(); asking.join(1)");
        reader.must("assert asking.is_alive() and not found, found");
        assertFalse(Files.exists(here.resolve("new")), "the kernel knows now that it is missing");
        long begin = System.nanoTime();
        Files.createFile(there.resolve("new"));
        Await.until("the new name on b", () -> Files.exists(here.resolve("new")));
        assertTrue(listing(here).contains("new"), "a handle that is opened now");
        Duration took = Duration.ofNanos(System.nanoTime() - begin);
        assertTrue(took.compareTo(HELD_UP) < 0, took + " until others see it");
        reader.must("assert asking.is_alive() and not found, found");
      } finally {
        cluster.worker("c").thaw();
      }
      reader.must("asking.join(60)");
      reader.must("assert found[0] > 0, found");
      cluster.assertSameRoots("a", "b", "c");
    }
  }

  private static void watch(TestCluster cluster, String mtimes) throws Exception {
    long seed = Long.getLong("hypersync.seed", System.nanoTime());
    Path there = Files.createDirectory(cluster.mount("a").resolve(mtimes));
    Path here = cluster.mount("b").resolve(mtimes);
    URL script = Objects.requireNonNull(ListingsTest.class.getResource("/listings/watch.py"));
    long before = listingRequests(cluster);
    String printed =
        Shell.must(
            cluster.root(),
            "python3",
            "-B",
            Path.of(script.toURI()).toString(),
            there.toString(),
            here.toString(),
            Integer.toString(SECONDS),
            Long.toString(seed),
            mtimes);
    cluster.assertSameRoots("a", "b");
    long listings = printed.lines().mapToLong(Long::parseLong).sum();
    long requests = listingRequests(cluster) - before;
    assertTrue(
        requests < LEAST_REQUESTS * listings,
        requests + " requests for " + listings + " listings: none was the kernel's own");
  }

  private static long listingRequests(TestCluster cluster)
      throws IOException, InterruptedException {
    return requests(cluster, "readdir") + requests(cluster, "readdirplus");
  }

  private static long requests(TestCluster cluster, String opcode)
      throws IOException, InterruptedException {
    return cluster.worker("b").status().path("kernel_requests").path(opcode).asLong();
  }

  private static List<String> listing(Path directory) throws IOException {
    try (Stream<Path> names = Files.list(directory)) {
      return names.map(name -> name.getFileName().toString()).toList();
    }
  }
}
