package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Bits of stored chunks flip, at a worker and at the leader (hypersync.md 9.3, 22.1). */
@RealMounts
class RottenChunksTest {
  /** One chunk, which is too large for an inline payload. */
  private static final int CHUNK_BYTES = 64 << 10;

  @RegisterExtension final TestClusterExtension extension = new TestClusterExtension();

  private final byte[] content = new byte[CHUNK_BYTES];

  /** The chunk is damaged once while the worker runs, and once while it does not. */
  @Test
  void aWorkerGetsFromTheLeaderWhatHasRottenHere() throws Exception {
    TestCluster cluster = extension.get();
    Path store = cluster.stateDir("b").resolve("chunks");
    new Random(1).nextBytes(content);
    writeAtOnce(cluster.mount("a").resolve("first"));
    cluster.settle("a", "b");
    Await.until("b has written it down", () -> rot(store) == 1);
    assertArrayEquals(content, Files.readAllBytes(cluster.mount("b").resolve("first")));
    assertEquals(1, cluster.worker("b").status().path("chunks_repaired").asInt());

    stop(cluster.worker("b"));
    Await.until("both copies have rotten", () -> rot(store) == 1);
    cluster.startWorker("b");
    assertArrayEquals(content, Files.readAllBytes(cluster.mount("b").resolve("first")));
    cluster.assertSameRoots("a", "b");
  }

  /**
   * Without the repair, acknowledged data could be read only by workers that have the chunk
   * already.
   */
  @Test
  void aWriteOfBytesThatHaveRottenAtTheLeaderBringsThemBack() throws Exception {
    TestCluster cluster = extension.get();
    new Random(2).nextBytes(content);
    writeAtOnce(cluster.mount("a").resolve("first"));
    cluster.settle("a", "b");
    restartWithARottenStore(cluster);
    writeAtOnce(cluster.mount("a").resolve("second"));
    cluster.startWorker("c");
    assertArrayEquals(content, Files.readAllBytes(cluster.mount("c").resolve("first")));
    assertArrayEquals(content, Files.readAllBytes(cluster.mount("c").resolve("second")));
    cluster.settle("a", "b", "c");
    cluster.assertSameRoots("a", "b", "c");
  }

  /** Its hash shows that what comes from a worker is right. */
  @Test
  void theLeaderGetsFromAWorkerWhatHasRottenThere() throws Exception {
    TestCluster cluster = extension.get();
    new Random(3).nextBytes(content);
    writeAtOnce(cluster.mount("a").resolve("first"));
    cluster.settle("a", "b");
    restartWithARottenStore(cluster);
    cluster.startWorker("c");
    assertArrayEquals(content, Files.readAllBytes(cluster.mount("c").resolve("first")));
    assertEquals(1, cluster.leader().status().path("repair").path("recovered").asInt());
    cluster.settle("a", "b", "c");
    cluster.assertSameRoots("a", "b", "c");
  }

  @Test
  void aChunkThatNobodyHasCostsItsReadersEioAndNobodyElseAnything() throws Exception {
    TestCluster cluster = extension.get();
    new Random(4).nextBytes(content);
    writeAtOnce(cluster.mount("a").resolve("first"));
    cluster.settle("a", "b");
    for (String worker : new String[] {"a", "b"}) {
      Path store = cluster.stateDir(worker).resolve("chunks");
      Await.until(worker + " has written it down", () -> rot(store) == 1);
    }
    restartWithARottenStore(cluster);
    cluster.startWorker("c");
    Path mount = cluster.mount("c");
    IOException lost =
        assertThrows(IOException.class, () -> Files.readAllBytes(mount.resolve("first")));
    assertTrue(String.valueOf(lost.getMessage()).contains("Input/output error"), lost::getMessage);
    Files.writeString(mount.resolve("second"), "goes on");
    Await.same("a", "goes on", () -> Files.readString(cluster.mount("a").resolve("second")));
    cluster.settle("a", "b", "c");
    cluster.assertSameRoots("a", "b", "c");
    Files.delete(mount.resolve("first"));
    cluster.settle("a", "b", "c");
  }

  /** The chunk is in the index by then: a start verifies those that are not. */
  private void restartWithARottenStore(TestCluster cluster) throws Exception {
    Path store = stateOfTheLeader(cluster).resolve("chunks");
    for (int start = 0; start < 2; start++) {
      stop(cluster.leader());
      if (start == 1) {
        assertTrue(rot(store) > 0);
      }
      cluster.startLeader();
      cluster.awaitWritable("a");
    }
  }

  private static Path stateOfTheLeader(TestCluster cluster) throws IOException {
    try (Stream<Path> all = Files.walk(cluster.workspace().root(), 4)) {
      return all.filter(path -> path.endsWith("chunks/segments"))
          .map(path -> path.getParent().getParent())
          .findFirst()
          .orElseThrow();
    }
  }

  private static void stop(DaemonJvm daemon) throws Exception {
    daemon.terminate();
    assertEquals(0, daemon.awaitExit(Await.LIMIT), "exit code after SIGTERM");
  }

  /** Writes by one write(2), which gives one chunk. */
  private void writeAtOnce(Path path) throws IOException {
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      assertEquals(CHUNK_BYTES, file.write(ByteBuffer.wrap(content)));
    }
  }

  /** Flips a bit of every intact copy of the chunk; returns the number of copies. */
  private int rot(Path store) throws IOException {
    int copies = 0;
    List<Path> segments;
    try (Stream<Path> files = Files.list(store.resolve("segments"))) {
      segments = files.toList();
    }
    for (Path segment : segments) {
      byte[] bytes = Files.readAllBytes(segment);
      for (int at = 0; at + CHUNK_BYTES <= bytes.length; at++) {
        if (bytes[at] == content[0]
            && Arrays.equals(bytes, at, at + CHUNK_BYTES, content, 0, CHUNK_BYTES)) {
          try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
            ByteBuffer flipped = ByteBuffer.wrap(new byte[] {(byte) (content[1_000] ^ 1)});
            assertEquals(1, file.write(flipped, at + 1_000L));
          }
          copies++;
        }
      }
    }
    return copies;
  }
}
