package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

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

  @RegisterExtension final FabricExtension extension = new FabricExtension();

  private final byte[] content = new byte[CHUNK_BYTES];

  /** The chunk is damaged once while the worker runs, and once while it does not. */
  @Test
  void aWorkerGetsFromTheLeaderWhatHasRottenHere() throws Exception {
    Fabric fabric = extension.get();
    Path store = fabric.stateDir("b").resolve("chunks");
    new Random(1).nextBytes(content);
    writeAtOnce(fabric.mount("a").resolve("first"));
    fabric.settle("a", "b");
    Await.until("b has written it down", () -> rot(store) == 1);
    assertArrayEquals(content, Files.readAllBytes(fabric.mount("b").resolve("first")));
    assertEquals(1, fabric.worker("b").status().path("chunks_repaired").asInt());

    stop(fabric.worker("b"));
    Await.until("both copies have rotten", () -> rot(store) == 1);
    fabric.startWorker("b");
    assertArrayEquals(content, Files.readAllBytes(fabric.mount("b").resolve("first")));
    fabric.assertSameRoots("a", "b");
  }

  /**
   * Without the repair, acknowledged data could be read only by workers that have the chunk
   * already.
   */
  @Test
  void aWriteOfBytesThatHaveRottenAtTheLeaderBringsThemBack() throws Exception {
    Fabric fabric = extension.get();
    new Random(2).nextBytes(content);
    writeAtOnce(fabric.mount("a").resolve("first"));
    fabric.settle("a", "b");
    Path store = stateOfTheLeader(fabric).resolve("chunks");
    for (int start = 0; start < 2; start++) { // a start verifies chunks that are not in the index
      stop(fabric.leader());
      if (start == 1) {
        assertTrue(rot(store) > 0);
      }
      fabric.startLeader();
      fabric.awaitWritable("a");
    }
    writeAtOnce(fabric.mount("a").resolve("second"));
    fabric.startWorker("c");
    assertArrayEquals(content, Files.readAllBytes(fabric.mount("c").resolve("first")));
    assertArrayEquals(content, Files.readAllBytes(fabric.mount("c").resolve("second")));
    fabric.settle("a", "b", "c");
    fabric.assertSameRoots("a", "b", "c");
  }

  private static Path stateOfTheLeader(Fabric fabric) throws IOException {
    try (Stream<Path> all = Files.walk(fabric.workspace().root(), 4)) {
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
