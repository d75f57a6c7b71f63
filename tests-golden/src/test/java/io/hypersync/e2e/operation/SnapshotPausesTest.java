package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Safepoints;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.Flood;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Snapshots of a leader whose heap is nearly full, while it is written to as fast as it can take it
 * (hypersync.md 13.1). The tree takes more than half of the heap, so there is no room for a second
 * one: a leader whose snapshots need that ends. Nor do snapshots stop its threads for longer than
 * they stop without.
 *
 * <p>Phases with snapshots and phases without take turns in one run, with the same load. What else
 * the machine does so meets both.
 */
@RealMounts
class SnapshotPausesTest {
  private static final long SEED = Long.getLong("hypersync.seed", 1);
  private static final int HEAP_MIB = 96;

  /** With snapshots, {@code +}, and without. The heap fills up, so neither kind comes later. */
  private static final String PHASES = "-++--++-";

  private static final long PHASE_NS = 4_000_000_000L;
  private static final int CALLERS = 6;

  /** No pause may be longer, unless there are such pauses without snapshots, too. */
  private static final long LONG_NS = 50_000_000L;

  /** The filesystem may take so much of the heap, and takes nine tenths of that. */
  private static final double SHARE = 0.65;

  private static final double FILLED = 0.9;

  /** Nothing of the tree is dropped, and no snapshot is taken but those that this test asks for. */
  private static final String[] SETTINGS = {
    "--set", "hypersync.leader.state_heap_share=" + SHARE,
    "--set", "hypersync.leader.state_memory=0B",
    "--set", "hypersync.snapshots.interval=1h",
    "--set", "hypersync.snapshots.retain=2",
    "--set", "hypersync.gc.interval=1h"
  };

  /** The collector and its options are those of {@code etc/jvm-options}. */
  private static final List<String> COLLECTOR =
      List.of(
          "-XX:-UseSerialGC",
          "-XX:+UseG1GC",
          "-XX:MaxGCPauseMillis=10",
          "-XX:G1HeapRegionSize=2m",
          "-XX:MaxTenuringThreshold=1",
          "-XX:-G1UseAdaptiveIHOP",
          "-XX:InitiatingHeapOccupancyPercent=80",
          "-XX:+UseCompactObjectHeaders");

  /** What one call of {@link #fill} adds to the tree: 1,024 extents. */
  private static final int WEIGHT_PER_CALL = 128 * 1_024;

  /** A change in each part of this many bytes is one in each page of the tree, about. */
  private static final int BYTES_PER_PAGE = 300;

  private static final int CHANGES_PER_SNAPSHOT = 150;

  private final Random random = new Random(SEED);

  /**
   * What a phase has seen.
   *
   * @param longestNs the longest pause
   * @param tooLong how many were longer than {@link #LONG_NS}
   * @param snapshots how many were taken
   * @param pages how many pages they have written
   */
  private record Phase(long longestNs, long tooLong, int snapshots, long pages) {}

  @Test
  void snapshotsUnderLoadNeitherPauseALeaderNorCopyItsTree() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      Safepoints safepoints = new Safepoints(cluster.root().resolve("safepoints"));
      List<String> options = new ArrayList<>(COLLECTOR);
      options.addAll(List.of("-Xmx" + HEAP_MIB + "m", safepoints.option()));
      cluster.putJavaOptions("leader", options.toArray(String[]::new));
      cluster.startLeader(SETTINGS);
      cluster.startWorker("a");
      int calls = (int) (FILLED * SHARE * (HEAP_MIB << 20) / WEIGHT_PER_CALL);
      fill(cluster.mount("a"), calls);
      JsonNode memory = cluster.leader().status().path("state_memory");
      assertTrue(memory.path("bytes").asLong() > (HEAP_MIB << 20) / 2, memory::toString);

      List<Phase> without = new ArrayList<>();
      List<Phase> with = new ArrayList<>();
      for (int i = 0; i < PHASES.length(); i++) {
        boolean snapshots = PHASES.charAt(i) == '+';
        (snapshots ? with : without).add(phase(cluster, safepoints, "phase" + i, snapshots));
      }
      System.out.println("without " + without + "\nwith    " + with);
      assertTrue(safepoints.since(0).length > 0, "this JVM does not write what JDK 25 does");
      assertTrue(cluster.leader().isAlive());
      assertTrue(with.getFirst().pages > calls, "the first one has the whole tree");
      for (Phase each : with) {
        assertTrue(each.snapshots > 0 && each.pages > 0, each::toString);
      }
      long usual = usual(without);
      long found = usual(with);
      assertTrue(
          found <= Math.max(LONG_NS, 2 * usual),
          () -> "the longest pause usually takes " + usual + " ns, with snapshots " + found);
      memory = cluster.leader().status().path("state_memory");
      assertEquals(0, memory.path("refused").asLong(), memory::toString);
    }
  }

  private static void fill(Path mount, int calls) throws Exception {
    String copies =
        """
        import os
        fd = os.open("tree", os.O_RDWR | os.O_CREAT)
        os.pwrite(fd, b"x", 0)
        os.pwrite(fd, b"y", 2)
        have = 2
        while have < 1024:
            os.copy_file_range(fd, fd, 2 * have - 1, 0, 2 * have)
            have *= 2
        for i in range(1, %d):
            os.copy_file_range(fd, fd, 2047, 0, 2048 * i)
        """
            .formatted(calls);
    Shell.must(mount, "python3", "-c", copies);
  }

  /** The longest pause, but for the worst phase: what else the machine does may decide that. */
  private static long usual(List<Phase> phases) {
    long[] longest = phases.stream().mapToLong(Phase::longestNs).sorted().toArray();
    return longest[longest.length - 2];
  }

  /** Some seconds of load: small writes by several callers, and one that changes all pages. */
  private Phase phase(TestCluster cluster, Safepoints safepoints, String name, boolean snapshots)
      throws Exception {
    Path folder = Files.createDirectory(cluster.mount("a").resolve(name));
    long from = safepoints.length();
    long endNs = System.nanoTime() + PHASE_NS;
    int taken = 0;
    long pages = 0;
    try (Flood flood = Flood.prepare(folder, CALLERS);
        FileChannel tree =
            FileChannel.open(cluster.mount("a").resolve("tree"), StandardOpenOption.WRITE)) {
      flood.start();
      for (long at = 0; System.nanoTime() - endNs < 0; ) {
        at = change(tree, at, endNs);
        if (snapshots) {
          JsonNode snapshot = takeSnapshot(cluster);
          pages += snapshot.path("pages_written").asLong();
          taken++;
        }
      }
      var _ = flood.end();
    }
    long[] pauses = safepoints.since(from);
    long tooLong = Arrays.stream(pauses).filter(pause -> pause > LONG_NS).count();
    return new Phase(Arrays.stream(pauses).max().orElse(0), tooLong, taken, pages);
  }

  /** Changes a byte in each of some hundred pages; returns where to go on. */
  private long change(FileChannel tree, long from, long endNs) throws IOException {
    long at = from;
    long size = tree.size();
    for (int i = 0; i < CHANGES_PER_SNAPSHOT && System.nanoTime() - endNs < 0; i++) {
      byte[] one = {(byte) random.nextInt()};
      var _ = tree.write(ByteBuffer.wrap(one), at % size / 2 * 2);
      at += BYTES_PER_PAGE;
    }
    return at;
  }

  private static JsonNode takeSnapshot(TestCluster cluster) {
    return cluster
        .leader()
        .ask("snapshot", JsonNodeFactory.instance.objectNode().put("do", "create").put("name", ""));
  }
}
