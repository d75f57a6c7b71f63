package io.hypersync.e2e.posix;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.e2e.load.VictimLoad;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Concurrent appends to one file on several mounts (hypersync.md 22.1 item 7, 22.4 item 4). */
@RealMounts
class AppendOrderTest {
  private static final int WRITERS_PER_MOUNT = 4;
  private static final int RECORDS = 100;
  private static final int RECORDS_BEFORE_KILL = 20;
  private static final Pattern APPEND =
      Pattern.compile("(\\S+) APPEND (\\d+) bytes at (\\d+)", Pattern.CASE_INSENSITIVE);

  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  @Test
  void theFileIsTheConcatenationOfTheAppendsInLogOrder() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Files.createFile(cluster.mount("a").resolve("journal"));
    cluster.settle("b");
    long before = cluster.leader().status().path("commit_index").asLong();

    List<Future<List<String>>> writers = new ArrayList<>();
    try (ExecutorService threads = Executors.newCachedThreadPool()) {
      for (String worker : List.of("a", "b")) {
        for (int writer = 0; writer < WRITERS_PER_MOUNT; writer++) {
          writers.add(threads.submit(appender(cluster.mount(worker), worker + writer)));
        }
      }
      writers.add(threads.submit(shellAppender(cluster.mount("a"), "shellA")));
      writers.add(threads.submit(shellAppender(cluster.mount("b"), "shellB")));
    }
    List<String> acknowledged = new ArrayList<>();
    for (Future<List<String>> writer : writers) {
      acknowledged.addAll(writer.get());
    }

    cluster.settle("a", "b");
    String onA = Files.readString(cluster.mount("a").resolve("journal"));
    assertEquals(onA, Files.readString(cluster.mount("b").resolve("journal")), "A and B differ");
    List<String> lines = onA.lines().toList();
    assertEquals(acknowledged.size(), lines.size(), "records in the file");
    assertEquals(
        Set.copyOf(acknowledged), new HashSet<>(lines), "every acknowledged record, each once");
    for (Future<List<String>> writer : writers) {
      assertEquals(
          writer.get(),
          lines.stream().filter(new HashSet<>(writer.get())::contains).toList(),
          "one process's records in the order in which it wrote them");
    }
    assertMatchesLog(cluster, before, onA);
    cluster.assertSameRoots("a", "b");
  }

  /** Calls in progress on the mount of the killed worker take effect once or not at all. */
  @Test
  void alsoOnThreeMountsWhileAWorkerIsKilled() throws Exception {
    try (TestCluster cluster = TestCluster.start(TestCluster.PATIENT, "a", "b", "c")) {
      Files.createFile(cluster.mount("a").resolve("journal"));
      cluster.settle("a", "b", "c");
      long before = cluster.leader().status().path("commit_index").asLong();
      List<Future<List<String>>> writers = new ArrayList<>();
      List<VictimLoad> victims = new ArrayList<>();
      try (ExecutorService threads = Executors.newCachedThreadPool()) {
        for (int writer = 0; writer < WRITERS_PER_MOUNT; writer++) {
          Path journal = cluster.mount("c").resolve("journal");
          victims.add(VictimLoad.start(journal, "victim" + writer));
          for (String worker : List.of("a", "b")) {
            writers.add(threads.submit(appender(cluster.mount(worker), worker + writer)));
          }
        }
        for (VictimLoad victim : victims) {
          victim.awaitRecords(RECORDS_BEFORE_KILL);
        }
        cluster.worker("c").kill();
      }
      List<List<String>> acknowledged = new ArrayList<>();
      for (Future<List<String>> writer : writers) {
        acknowledged.add(writer.get());
      }
      for (VictimLoad victim : victims) {
        acknowledged.add(victim.end());
      }
      Shell.must(cluster.root(), "umount", "-l", cluster.mount("c").toString());
      cluster.startWorker("c");
      acknowledged.add(appender(cluster.mount("c"), "again").call());

      cluster.settle("a", "b", "c");
      String content = Files.readString(cluster.mount("c").resolve("journal"));
      for (String worker : List.of("a", "b")) {
        assertEquals(content, Files.readString(cluster.mount(worker).resolve("journal")), worker);
      }
      List<String> lines = content.lines().toList();
      Set<String> found = new HashSet<>(lines);
      assertEquals(found.size(), lines.size(), "each record once");
      Set<String> all = new HashSet<>();
      for (List<String> records : acknowledged) {
        all.addAll(records);
        assertEquals(
            records, lines.stream().filter(new HashSet<>(records)::contains).toList(), "in order");
      }
      found.removeAll(all);
      assertTrue(
          found.size() <= victims.size()
              && found.stream().allMatch(line -> line.startsWith("victim")),
          () -> "never acknowledged: " + found);
      assertMatchesLog(cluster, before, content);
      cluster.assertSameRoots("a", "b", "c");
    }
  }

  /** The offsets that the leader chose leave no hole, do not overlap, and only grow. */
  private static void assertMatchesLog(TestCluster cluster, long before, String content)
      throws Exception {
    String json = cluster.hypersync("log", "--tail", "100000", "--json").orFail("hypersync log");
    JsonNode entries =
        new ObjectMapper().readTree(json.substring(json.indexOf('{'))).path("entries");
    long end = 0;
    long index = before;
    int appends = 0;
    for (JsonNode entry : entries) {
      if (entry.path("log_index").asLong() <= before) {
        continue;
      }
      assertTrue(entry.path("log_index").asLong() > index, "the log goes up: " + entry);
      index = entry.path("log_index").asLong();
      Matcher append = APPEND.matcher(entry.path("detail").asText());
      if (entry.path("op").asText().equals("Write") && append.matches()) {
        assertEquals(end, Long.parseLong(append.group(3)), "offset chosen in entry " + entry);
        long length = Long.parseLong(append.group(2));
        assertEquals(
            '\n',
            content.charAt((int) (end + length - 1)),
            "entry " + index + " ends where its record ends");
        end += length;
        appends++;
      }
    }
    assertEquals(content.length(), end, "the appends of the log make up the file");
    assertEquals(content.lines().count(), appends, "appends in the log");
  }

  private static Callable<List<String>> appender(Path mount, String name) {
    return () -> {
      List<String> written = new ArrayList<>();
      try (FileChannel journal =
          FileChannel.open(mount.resolve("journal"), StandardOpenOption.APPEND)) {
        for (int i = 0; i < RECORDS; i++) {
          // Some records exceed the limit of inline payloads and become chunks.
          String record = name + "-" + i + "-" + "x".repeat(i % 20 == 19 ? 9_000 : i % 7);
          append(journal, record);
          written.add(record);
        }
      }
      return written;
    };
  }

  /** A process that opens the file for each record, as scripts do. */
  private static Callable<List<String>> shellAppender(Path mount, String name) {
    return () -> {
      Shell.must(
          mount, "sh", "-ec", "for i in $(seq 1 50); do echo " + name + "-$i- >> journal; done");
      List<String> written = new ArrayList<>();
      for (int i = 1; i <= 50; i++) {
        written.add(name + "-" + i + "-");
      }
      return Collections.unmodifiableList(written);
    };
  }

  private static void append(FileChannel journal, String record) throws IOException {
    ByteBuffer bytes = ByteBuffer.wrap((record + "\n").getBytes(StandardCharsets.UTF_8));
    int length = bytes.remaining();
    assertEquals(length, journal.write(bytes), "one write(2) takes a whole record");
  }
}
