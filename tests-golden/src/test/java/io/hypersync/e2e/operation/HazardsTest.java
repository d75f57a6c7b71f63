package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Overlaps of what is done on two hosts are told, and nothing else is (hypersync.md 11). */
@RealMounts
class HazardsTest {
  @RegisterExtension static final TestClusterExtension CLUSTER = new TestClusterExtension();

  static Stream<Arguments> overlaps() {
    return Stream.of(
        Arguments.of("overlapping_write", "printf one >f", "printf two | dd of=f conv=notrunc"),
        Arguments.of("overlapping_write", "printf one >f", "printf two >f"),
        Arguments.of("overlapping_write", "printf one >f", "truncate -s 0 f"),
        Arguments.of("concurrent_rename", "printf one >f", "printf two >new; mv new f"),
        Arguments.of("concurrent_rename", "printf one >f; mv f g", "mv g h"));
  }

  @ParameterizedTest(name = "{0}: {1} | {2}")
  @MethodSource
  void overlaps(String kind, String onA, String onB) throws Exception {
    String folder = bothIn(onA, onB);
    List<String> expected = List.of(kind + " of b with a");
    assertEquals(expected, told(folder), () -> onA + " | " + onB);
  }

  static Stream<Arguments> others() {
    return Stream.of(
        Arguments.of("one after the other's bytes", "printf one >f", "printf two >>f"),
        Arguments.of("files beside each other", "printf one >f", "printf two >g; mv g h; rm h"),
        Arguments.of("the same bytes", "printf same >f", "printf same | dd of=f conv=notrunc"),
        Arguments.of("a directory moved by its maker", "mkdir d; touch d/f; mv d e", "touch g"),
        Arguments.of("times and modes", "printf one >f", "touch f; chmod 600 f"),
        Arguments.of(
            "a repository of git",
            "git init -q; printf 1 >f; git add f; git -c user.name=a -c user.email=a@a commit -qm 1",
            "printf 2 >g; git add g; git -c user.name=b -c user.email=b@b commit -qm 2"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource
  void others(String what, String onA, String onB) throws Exception {
    assertEquals(List.of(), told(bothIn(onA, onB)), what);
  }

  /** The file has no name any more when it is written. */
  @Test
  void aWriteIntoAFileThatAnotherHostHasRemoved() throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path folder = Files.createTempDirectory(cluster.mount("b"), "removed-");
    Files.writeString(folder.resolve("f"), "content");
    cluster.settle("a");
    Path onA = cluster.mount("a").resolve(folder.getFileName());
    try (SeekableByteChannel file =
        Files.newByteChannel(folder.resolve("f"), StandardOpenOption.WRITE)) {
      Files.delete(onA.resolve("f"));
      cluster.settle("b");
      assertEquals(4, file.write(ByteBuffer.wrap("late".getBytes(StandardCharsets.UTF_8))));
    }
    List<String> told = told(folder.getFileName().toString());
    assertTrue(told.contains("write_after_unlink of b with a"), told::toString);
  }

  @Test
  void theTableNamesPathAndEntries() throws Exception {
    String folder = bothIn("printf one >f", "printf two >f");
    String table = CLUSTER.get().hypersync("hazards").orFail("hazards");
    assertTrue(table.contains(folder + "/f"), table);
    assertTrue(table.contains("overlapping_write"), table);
    long counted =
        CLUSTER.get().leader().status().path("hazards").path("overlapping_write").asLong();
    assertTrue(counted > 0, "status counts them");
  }

  /**
   * Runs a script on a, and when b shows the result, another one there; in a folder of their own.
   */
  private static String bothIn(String onA, String onB) throws Exception {
    TestCluster cluster = CLUSTER.get();
    Path a = Files.createTempDirectory(cluster.mount("a"), "hazards-");
    Shell.must(a, "sh", "-ec", onA);
    cluster.settle("b");
    Shell.must(cluster.mount("b").resolve(a.getFileName()), "sh", "-ec", onB);
    return a.getFileName().toString();
  }

  /** The hazards in a folder, each as "kind of worker with worker". */
  private static List<String> told(String folder) throws Exception {
    List<String> told = new ArrayList<>();
    for (JsonNode entry :
        CLUSTER
            .get()
            .leader()
            .ask("hazards", JsonNodeFactory.instance.objectNode().put("tail", 1_000))
            .path("entries")) {
      for (JsonNode hazard : entry.path("hazards")) {
        if (hazard.path("path").asText().startsWith(folder + "/")) {
          told.add(
              hazard.path("kind").asText()
                  + (" of " + entry.path("worker_id").asText())
                  + (" with " + hazard.path("worker_id").asText()));
        }
      }
    }
    return told.stream().distinct().toList();
  }
}
