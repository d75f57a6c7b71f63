package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.disk.Naming;
import io.hypersync.disk.PowerLossDisk;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The disk of the leader's chunk store fails, but not the disk of its log: the leader stops itself,
 * and after a restart serves everything that was acknowledged (hypersync.md 0.1.2, 6.4.1).
 */
@RealMounts
class ChunkDiskFailureTest {
  private static final long SEED = 11;
  private static final int FILES_BEFORE = 10;

  @TempDir private Path temp;

  private final Random random = new Random(SEED);
  private final Map<String, byte[]> acknowledged = new LinkedHashMap<>();

  /**
   * Small files are also inline in the log, and reach the chunk store after it; large ones reach
   * the chunk store first.
   */
  @ParameterizedTest(name = "noticed by files of {0} bytes")
  @ValueSource(ints = {1_000, 4 << 20})
  void aLeaderThatCannotWriteChunksStopsAndComesBackWhole(int bytes) throws Exception {
    Path state = temp.resolve("state");
    Path chunks = Files.createDirectories(state.resolve("chunks"));
    try (PowerLossDisk disk = PowerLossDisk.mount(chunks, Naming.STRICT);
        TestCluster cluster = TestCluster.create(TestCluster.PROMPT)) {
      try {
        cluster.putState("leader", state);
        cluster.startLeader();
        cluster.startWorker("a");
        for (int i = 0; i < FILES_BEFORE; i++) {
          assertTrue(write(cluster, i % 2 == 0 ? bytes : 300_000), "file " + i);
        }

        disk.fail();
        Await.until(
            "the leader stops", () -> !write(cluster, bytes) && !cluster.leader().isAlive());
        assertNotEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code");
        assertTrue(cluster.leader().log().contains("the chunk store has failed"), "it says why");

        disk.cutPower(random, 0);
        cluster.startLeader();
        cluster.awaitWritable("a");
        cluster.startWorker("b");
        cluster.settle("a", "b");
        for (String worker : new String[] {"a", "b"}) {
          for (Map.Entry<String, byte[]> file : acknowledged.entrySet()) {
            assertArrayEquals(
                file.getValue(),
                Files.readAllBytes(cluster.mount(worker).resolve(file.getKey())),
                () -> file.getKey() + " on " + worker);
          }
        }
        cluster.assertSameRoots("a", "b");
        assertTrue(write(cluster, bytes), "writes go on");
      } catch (Exception | Error failure) {
        System.err.println(cluster.logs());
        throw failure;
      }
    }
  }

  /** Writes another file; returns whether that was acknowledged. */
  private boolean write(TestCluster cluster, int length) throws InterruptedException {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    String name = "f" + random.nextLong();
    Path file = cluster.mount("a").resolve(name);
    boolean written = Errnos.of(() -> writeAtOnce(file, bytes)).equals(Errnos.NONE);
    if (written) {
      acknowledged.put(name, bytes);
    }
    return written;
  }

  /** One write(2), so that a large file is not sent as small ones. */
  private static void writeAtOnce(Path path, byte[] bytes) throws IOException {
    try (FileChannel file =
        FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      int count = file.write(ByteBuffer.wrap(bytes));
      if (count != bytes.length) {
        throw new IOException("only " + count + " bytes were written");
      }
    }
  }
}
