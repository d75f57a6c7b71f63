package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** {@code hypersync scrub}: all that the leader has stored is read, and what has rotted mended. */
@RealMounts
class ScrubTest {
  private static final JsonMapper JSON = new JsonMapper();
  private static final String EVERY_SECOND = "hypersync.snapshots.interval=1s";
  private static final String[] SLOW = {"--set", "hypersync.scrub.rate=1MiB"};
  private static final List<String> SETTINGS =
      Stream.concat(TestCluster.PATIENT.stream(), Stream.of(EVERY_SECOND)).toList();
  private static final int FILE_BYTES = 200_000;
  private static final int FILES = 10;
  private static final int SMALL_FILES = 200;

  /** A record of a segment begins so, then come the length and the hash, and a checksum. */
  private static final int MAGIC = 0x48534331;

  private static final int HEADER_BYTES = 44;

  private final Random random = new Random(1);
  private final List<byte[]> contents = new ArrayList<>();

  /** Chunks, pages, and what only an older snapshot has, rot: one bit of each. */
  @Test
  void allThatHasRottenComesBackFromTheWorkers() throws Exception {
    try (TestCluster cluster = TestCluster.create(SETTINGS)) {
      cluster.launchLeader();
      cluster.startWorkers("a", "b");
      cluster.awaitWritable("a");
      write(cluster, FILES);
      Files.createDirectory(cluster.mount("a").resolve("d"));
      for (int i = 0; i < SMALL_FILES; i++) {
        Files.writeString(cluster.mount("a").resolve("d/small" + i), "small " + i);
      }
      takeSnapshots(cluster, "a", "b");
      Files.writeString(cluster.mount("a").resolve("d/small7"), "written again");
      takeSnapshots(cluster, "a", "b");

      int rotten = rotAll(cluster);
      assertTrue(rotten > FILES + SMALL_FILES, rotten + " chunks and pages");
      JsonNode first = scrubbed(cluster, 0);
      long bad = first.path("bad").asLong();
      assertTrue(bad > FILES + SMALL_FILES, first::toString);
      assertEquals(bad, first.path("mended").asLong(), first::toString);
      assertEquals(0, first.path("lost").asLong(), first::toString);
      assertTrue(first.path("complete").asBoolean(), first::toString);
      JsonNode second = scrubbed(cluster, 0);
      assertEquals(0, second.path("bad").asLong(), second::toString);
      assertTrue(second.path("pages_read").asLong() > 1, second::toString);

      cluster.startWorker("c");
      cluster.awaitWritable("c");
      requireContents(cluster, "c");
      assertEquals("small 8", Files.readString(cluster.mount("c").resolve("d/small8")));
      cluster.settle("a", "b", "c");
      cluster.assertSameRoots("a", "b", "c");
      String text = cluster.hypersync("scrub").orFail("scrub");
      assertTrue(text.contains("all is well"), text);
    }
  }

  @Test
  void whatNoConnectedWorkerHasIsLostUntilOneComesThatHasIt() throws Exception {
    try (TestCluster cluster = TestCluster.create(SETTINGS)) {
      cluster.launchLeader();
      cluster.startWorker("a");
      cluster.awaitWritable("a");
      write(cluster, 1);
      Files.createDirectory(cluster.mount("a").resolve("d"));
      for (int i = 0; i < SMALL_FILES; i++) {
        Files.createFile(cluster.mount("a").resolve("d/empty" + i)); // there are pages now
      }
      takeSnapshots(cluster, "a");
      stop(cluster.worker("a"));
      assertTrue(rotAll(cluster) > 0);
      JsonNode lost = scrubbed(cluster, 3);
      assertTrue(lost.path("lost").asLong() > 0, lost::toString);
      assertEquals(0, lost.path("mended").asLong(), lost::toString);
      assertEquals("/file0", lost.path("lost_files").path(0).path("path").asText());
      Shell status = cluster.hypersync("scrub");
      assertEquals(3, status.exit(), status::output);
      assertTrue(status.output().contains("./hypersync scrub --run"), status::output);

      cluster.startWorker("a");
      cluster.awaitWritable("a");
      JsonNode mended = scrubbed(cluster, 0);
      assertEquals(mended.path("bad"), mended.path("mended"), mended::toString);
      assertTrue(mended.path("bad").asLong() >= lost.path("lost").asLong(), mended::toString);
      assertEquals(0, scrubbed(cluster, 0).path("bad").asLong());
    }
  }

  /** A run that would take half a minute, and one that waits for workers. */
  @Test
  void aScrubDoesNotKeepTheLeaderFromStopping() throws Exception {
    try (TestCluster cluster = TestCluster.create()) {
      cluster.launchLeader(SLOW);
      cluster.startWorker("a");
      cluster.awaitWritable("a");
      write(cluster, 150);
      cluster.settle("a");
      begin(cluster);
      Await.until(
          "the scrub reads",
          () -> scrub(cluster, "status").path("current").path("chunks_read").asLong() > 10);
      requireQuickStop(cluster);

      cluster.launchLeader();
      cluster.awaitWritable("a");
      stop(cluster.worker("a"));
      assertTrue(rotAll(cluster) > 0);
      begin(cluster);
      Await.until(
          "the scrub waits",
          () -> scrub(cluster, "status").path("current").path("waiting").asLong() > 0);
      requireQuickStop(cluster);
    }
  }

  private void requireQuickStop(TestCluster cluster) throws Exception {
    long beganNs = System.nanoTime();
    stop(cluster.leader());
    long tookNs = System.nanoTime() - beganNs;
    assertTrue(tookNs < Duration.ofSeconds(10).toNanos(), tookNs + " ns to stop");
  }

  private static void begin(TestCluster cluster) {
    assertEquals(1, scrub(cluster, "run").path("number").asLong());
    assertTrue(scrub(cluster, "run").path("joined").asBoolean(), "the same one");
  }

  private static JsonNode scrub(TestCluster cluster, String what) {
    return cluster.leader().ask("scrub", JsonNodeFactory.instance.objectNode().put("do", what));
  }

  /** What a whole run has found. */
  private static JsonNode scrubbed(TestCluster cluster, int exitCode) throws Exception {
    Shell run = cluster.hypersync("scrub", "--run", "--json");
    assertEquals(exitCode, run.exit(), run::output);
    JsonNode status = JSON.readTree(run.output().substring(run.output().indexOf("\n{")));
    assertEquals(
        cluster.leader().status().path("scrub").path("last"), status.path("last"), run::output);
    return status.path("last");
  }

  private void write(TestCluster cluster, int files) throws IOException {
    for (int i = 0; i < files; i++) {
      byte[] content = new byte[FILE_BYTES];
      random.nextBytes(content);
      contents.add(content);
      Files.write(cluster.mount("a").resolve("file" + i), content);
    }
  }

  private void requireContents(TestCluster cluster, String worker) throws IOException {
    for (int i = 0; i < contents.size(); i++) {
      assertArrayEquals(
          contents.get(i), Files.readAllBytes(cluster.mount(worker).resolve("file" + i)));
    }
  }

  /** The leader takes one when these workers have one of the same state, so of the same pages. */
  private static void takeSnapshots(TestCluster cluster, String... workers) throws Exception {
    cluster.settle(workers);
    long head = cluster.leader().status().path("commit_index").asLong();
    for (String name : workers) {
      cluster
          .worker(name)
          .await(
              "have a snapshot",
              status -> status.path("snapshots").path("newest_index").asLong() >= head);
    }
    JsonNode taken =
        cluster.leader().ask("snapshot", JsonNodeFactory.instance.objectNode().put("do", "create"));
    assertEquals(head, taken.path("index").asLong());
  }

  private static void stop(DaemonJvm daemon) throws Exception {
    daemon.terminate();
    assertEquals(0, daemon.awaitExit(Await.LIMIT), "exit code after SIGTERM");
  }

  /** Flips a bit of every chunk and page on the leader's disk; returns how many there are. */
  private static int rotAll(TestCluster cluster) throws IOException {
    List<Path> segments;
    Path store = cluster.workspace().stateDir().resolve("chunks/segments");
    try (Stream<Path> files = Files.list(store)) {
      segments = files.toList();
    }
    int rotten = 0;
    for (Path segment : segments) {
      ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(segment));
      try (FileChannel file = FileChannel.open(segment, StandardOpenOption.WRITE)) {
        int at = 0;
        while (at + HEADER_BYTES < bytes.limit()) {
          int length = bytes.getInt(at + Integer.BYTES);
          if (bytes.getInt(at) != MAGIC || length <= 0) {
            at++; // padding
            continue;
          }
          int last = at + HEADER_BYTES + length - 1;
          assertEquals(
              1, file.write(ByteBuffer.wrap(new byte[] {(byte) (bytes.get(last) ^ 1)}), last));
          at = last + 1;
          rotten++;
        }
      }
    }
    return rotten;
  }
}
