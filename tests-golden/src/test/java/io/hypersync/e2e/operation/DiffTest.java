package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** {@code hypersync diff} on what programs did in a mount. */
@RealMounts
class DiffTest {
  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @Test
  void showsWhatProgramsDidSinceASnapshotAndBetweenTwoEntries() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    Files.createDirectories(mount.resolve("src/old"));
    Files.writeString(mount.resolve("src/old/kept"), "kept");
    Files.writeString(mount.resolve("src/f"), "one");
    cluster.hypersync("snapshot", "create", "before").orFail("snapshot");
    long before = index(cluster);
    Files.move(mount.resolve("src/old"), mount.resolve("src/new"));
    long moved = index(cluster);
    Files.writeString(mount.resolve("src/f"), "two!");
    Files.writeString(mount.resolve("added"), "3");

    assertEquals(
        List.of("added added", "changed src/f", "moved src/new"), changes(cluster, "before"));
    assertEquals(
        List.of("moved src/new"), changes(cluster, Long.toString(before), Long.toString(moved)));
    assertEquals(
        List.of("changed src/f", "moved src/new"), changes(cluster, "before", "--path", "src"));
    assertEquals(List.of(), changes(cluster, "head", "0s"));
    String text = cluster.hypersync("diff", "before").orFail("diff");
    assertTrue(text.contains("moved     src/old/ -> src/new/\n"), text);

    Shell unknown = cluster.hypersync("diff", "no-such-snapshot");
    assertTrue(unknown.output().contains("is no state of the workspace"), unknown::output);
    Shell future = cluster.hypersync("diff", "999999999");
    assertTrue(future.output().contains("there is no entry 999999999 yet"), future::output);
  }

  private static long index(TestCluster cluster) {
    return cluster.leader().status().path("commit_index").asLong();
  }

  private static List<String> changes(TestCluster cluster, String... arguments) throws Exception {
    List<String> all = new ArrayList<>(List.of("diff"));
    all.addAll(List.of(arguments));
    all.add("--json");
    String said = cluster.hypersync(all.toArray(String[]::new)).orFail(String.join(" ", all));
    JsonNode answer = JSON.readTree(said.substring(said.indexOf('{')));
    List<String> changes = new ArrayList<>();
    for (JsonNode change : answer.path("changes")) {
      changes.add(change.path("change").asText() + " " + change.path("path").asText());
    }
    return changes;
  }
}
