package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.LongVersion;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * Every mount changes names in the same directories while invalidations are delayed, so that calls
 * hold the locks of directories whose names are to be invalidated. No call may block
 * (docs/kernel-caching.md, "Why it cannot deadlock").
 */
@RealMounts
class CacheSoakTest {
  private static final Duration SOAK =
      Duration.ofSeconds(Integer.getInteger("hypersync.soak.seconds", 15));
  private static final int THREADS_PER_MOUNT = 3;
  private static final int DIRECTORIES = 2;
  private static final int NAMES = 6;
  private static final long MUTATION_DEADLINE_NS = Duration.ofSeconds(30).toNanos();

  /** The outcomes that concurrent changes of the same names may have. */
  private static final Set<String> EXPECTED =
      Set.of(Errnos.NONE, "ENOENT", "EEXIST", "ENOTEMPTY", "ENOTDIR", "EISDIR");

  @Test
  @LongVersion
  void noCallIsStuckWhenAllChangeTheSameDirectories() throws Exception {
    long seed = System.nanoTime();
    List<String> workers = List.of("a", "b", "c");
    try (TestCluster cluster =
        TestCluster.start(
            TestCluster.PATIENT,
            Map.of("HYPERSYNC_FAULT_NOTIFIER_DELAY_US", "3000"),
            workers.toArray(String[]::new))) {
      for (int d = 0; d < DIRECTORIES; d++) {
        Files.createDirectory(cluster.mount("a").resolve("d" + d));
      }
      cluster.settle("b", "c");
      List<Future<Long>> soaking = new ArrayList<>();
      try (ExecutorService threads = Executors.newCachedThreadPool()) {
        for (String worker : workers) {
          for (int t = 0; t < THREADS_PER_MOUNT; t++) {
            Random random = new Random(seed + soaking.size());
            soaking.add(threads.submit(() -> soak(cluster.mount(worker), random)));
          }
        }
        long longestNs = 0;
        for (Future<Long> soaker : soaking) {
          longestNs = Math.max(longestNs, soaker.get());
        }
        assertTrue(
            longestNs < MUTATION_DEADLINE_NS,
            "a call took " + Duration.ofNanos(longestNs) + ", seed " + seed);
      }
      cluster.assertSameRoots("a", "b", "c");
      // What the kernels show must be the same everywhere, cached or not.
      for (int d = 0; d < DIRECTORIES; d++) {
        String directory = "d" + d;
        List<String> shown = listing(cluster.mount("a").resolve(directory));
        for (String worker : workers) {
          assertEquals(
              shown, listing(cluster.mount(worker).resolve(directory)), worker + ", seed " + seed);
        }
      }
    }
  }

  private static long soak(Path mount, Random random) throws Exception {
    long endNs = System.nanoTime() + SOAK.toNanos();
    long longestNs = 0;
    while (System.nanoTime() < endNs) {
      long startNs = System.nanoTime();
      String errno = Errnos.of(() -> call(mount, random));
      longestNs = Math.max(longestNs, System.nanoTime() - startNs);
      assertTrue(EXPECTED.contains(errno), errno);
    }
    return longestNs;
  }

  private static void call(Path mount, Random random) throws IOException {
    Path path = name(mount, random);
    switch (random.nextInt(10)) {
      case 0, 1 -> Files.writeString(path, "x", StandardOpenOption.CREATE);
      case 2 -> Files.delete(path);
      case 3 -> Files.createDirectory(path.resolveSibling("sub" + random.nextInt(NAMES)));
      case 4 -> Files.move(path, name(mount, random), StandardCopyOption.ATOMIC_MOVE);
      case 5 -> {
        Path directory = path.resolveSibling("sub" + random.nextInt(NAMES));
        if (random.nextBoolean()) {
          Files.delete(directory);
        } else {
          // Only within its parent: see docs/open.md for directories that move elsewhere.
          Path other = directory.resolveSibling("sub" + random.nextInt(NAMES));
          Files.move(directory, other, StandardCopyOption.ATOMIC_MOVE);
        }
      }
      case 6 -> listing(path.getParent());
      default -> {
        for (int n = 0; n < NAMES; n++) {
          boolean _ = Files.exists(path.resolveSibling("n" + n)); // fills the name cache
        }
      }
    }
  }

  private static Path name(Path mount, Random random) {
    return mount.resolve("d" + random.nextInt(DIRECTORIES)).resolve("n" + random.nextInt(NAMES));
  }

  private static List<String> listing(Path directory) throws IOException {
    try (Stream<Path> entries = Files.list(directory)) {
      return entries.map(entry -> entry.getFileName() + kind(entry)).sorted().toList();
    }
  }

  private static String kind(Path path) {
    return Files.isDirectory(path) ? "/" : Files.exists(path) ? "" : " missing";
  }
}
