package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer.OrderAnnotation;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Small calls with a large effect on memory, made by an unprivileged user. Each kind ends with
 * ENOSPC when the state has reached its share of the leader's heap. The daemons survive, calls that
 * free memory succeed, and the leader recovers that log with the same heap.
 */
@RealMounts
@TestMethodOrder(OrderAnnotation.class)
class StateBudgetTest {
  /** 5 % of the 384 MiB heap of a daemon in these tests: 19 MiB. */
  private static final String[] SMALL = {
    "--set", "hypersync.leader.state_heap_share=0.05",
    "--set", "hypersync.leader.state_memory=0B",
    "--set", "hypersync.leader.open_lease_ttl=2s"
  };

  /**
   * Number of extents of a file that is truncated to make room for one kind of call: 32 KiB of
   * heap.
   */
  private static final int FILLING = 256;

  private static final int FILLINGS = 6;

  private static final String AS_NOBODY =
      """
      import errno, os
      os.setgroups([]); os.setgid(65534); os.setuid(65534)
      def until_errno(call):
          for i in range(100000):
              try:
                  call(i)
              except OSError as failure:
                  print(errno.errorcode[failure.errno])
                  return
          print("no errno")
      def extents(fd, count):
          os.pwrite(fd, b"x", 0)
          os.pwrite(fd, b"y", 2)
          have = 2
          while have < count:
              n = min(have, count - have)
              os.copy_file_range(fd, fd, 2 * n - 1, 0, 2 * have)
              have += n
      """;

  private static TestCluster cluster;

  @BeforeAll
  static void start() throws Exception {
    cluster = TestCluster.create();
    cluster.startLeader(SMALL);
    cluster.startWorkers("a", "b");
    cluster.awaitWritable("a");
    Shell.must(cluster.mount("a"), "sh", "-c", "mkdir bomb && chmod 777 bomb");
  }

  @AfterAll
  static void stop() throws Exception {
    cluster.close();
  }

  /** Each call adds 524 bytes to the log and a thousand extents to the state. */
  @Test
  @Order(1)
  void copiesEndWhenTheFilesystemIsFull() throws Exception {
    String bomb =
        """
        for i in range(%d):
            fd = os.open(f"filling{i}", os.O_RDWR | os.O_CREAT)
            extents(fd, %d)
            os.close(fd)
        fd = os.open("copies", os.O_RDWR | os.O_CREAT)
        extents(fd, 1024)
        until_errno(lambda i: os.copy_file_range(fd, fd, 2047, 0, 2048 * (i + 1)))
        until_errno(lambda i: os.copy_file_range(fd, fd, 3, 0, (1 << 30) + 4 * i))
        """
            .formatted(FILLINGS, FILLING);
    assertEquals("ENOSPC\nENOSPC", asNobody(bomb));
    JsonNode memory = cluster.leader().status().path("state_memory");
    assertTrue(memory.path("bytes").asLong() <= memory.path("limit").asLong(), memory::toString);
    assertTrue(memory.path("refused").asLong() > 0, memory::toString);
  }

  @ParameterizedTest(name = "{0}")
  @Order(2)
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          empty files         | 0 | os.close(os.open(f"e{i}", os.O_CREAT))
          long names          | 1 | os.close(os.open("n" * 240 + str(i), os.O_CREAT))
          links               | 2 | os.link("filling0", f"l{i}")
          extended attributes | 3 | os.setxattr("filling0", "user." + "x" * 200 + str(i), b"")
          symlinks            | 4 | os.symlink("t" * 4000, f"s{i}")
          a deep tree         | 5 | (os.mkdir("d"), os.chdir("d"))
          """)
  void soDoes(String what, int filling, String call) throws Exception {
    String bomb =
        """
        os.truncate("filling%d", 0)
        until_errno(lambda i: %s)
        """
            .formatted(filling, call);
    assertEquals("ENOSPC", asNobody(bomb), what);
    for (String daemon : List.of("a", "b")) {
      assertTrue(cluster.worker(daemon).isAlive(), daemon);
    }
  }

  @Test
  @Order(3)
  void theLeaderStartsAgainOnItsLogAndWhatFreesGoesOn() throws Exception {
    cluster.settle("a", "b");
    long before = cluster.leader().status().path("state_memory").path("bytes").asLong();
    cluster.leader().kill();
    cluster.startLeader(SMALL);
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    long after = cluster.leader().status().path("state_memory").path("bytes").asLong();
    assertTrue(after <= before && after > before / 2, "orphans go: " + before + ", " + after);
    Path b = cluster.mount("b");
    assertEquals("OK", Errnos.of(() -> Files.delete(b.resolve("bomb/copies"))));
    cluster
        .leader()
        .await(
            "forget the copies",
            status -> status.path("state_memory").path("bytes").asLong() < before / 2);
    Shell.must(b, "sh", "-c", "echo there is room again > bomb/room");
    cluster.settle("a", "b");
    cluster.assertSameRoots("a", "b");
  }

  private static String asNobody(String bomb) throws Exception {
    return Shell.run(
            cluster.mount("a").resolve("bomb"),
            Map.of(),
            List.of("python3", "-c", AS_NOBODY + bomb))
        .orFail(bomb)
        .strip();
  }
}
