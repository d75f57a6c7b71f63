package io.hypersync.e2e.hazards;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A leader that was killed and starts again tells overlaps with what was done before. */
@RealMounts
class HazardsOverStartsTest {
  @RegisterExtension final TestClusterExtension extension = new TestClusterExtension();

  @ParameterizedTest(name = "with a snapshot in between: {0}")
  @ValueSource(booleans = {false, true})
  void anOverlapWithWhatWasDoneBeforeTheStart(boolean withSnapshot) throws Exception {
    TestCluster cluster = extension.get();
    write("a", "one", "f");
    write("a", "one", "told");
    write("b", "two", "told");
    List<String> before = ToldHazards.of(cluster, "");
    assertTrue(before.contains("overlapping_write of b with a: told"), before::toString);
    if (withSnapshot) {
      cluster.hypersync("snapshot").orFail("snapshot");
    }
    startAgain();
    assertEquals(before, ToldHazards.of(cluster, ""), "nothing is told in another way");
    write("b", "two", "f");
    List<String> after = ToldHazards.of(cluster, "f");
    assertEquals(List.of("overlapping_write of b with a: f"), after);
  }

  @Test
  void withoutWhatIsStoredBesideASnapshotALeaderStartsAndSaysSo() throws Exception {
    TestCluster cluster = extension.get();
    write("a", "one", "f");
    cluster.hypersync("snapshot").orFail("snapshot");
    cluster.leader().kill();
    Path windows = cluster.workspace().stateDir().resolve("windows");
    try (Stream<Path> files = Files.list(windows)) {
      for (Path file : files.toList()) {
        Files.writeString(file, "rotten");
      }
    }
    cluster.startLeader();
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
    write("b", "two", "f");
    assertEquals(List.of(), ToldHazards.of(cluster, ""));
    assertTrue(cluster.logs().contains("what agents did before entry"), cluster::logs);
  }

  private void startAgain() throws Exception {
    TestCluster cluster = extension.get();
    cluster.leader().kill();
    cluster.startLeader();
    cluster.awaitWritable("a");
    cluster.awaitWritable("b");
  }

  private void write(String worker, String text, String name) throws Exception {
    TestCluster cluster = extension.get();
    String script = "printf " + text + " >" + name;
    Await.until(
        "a write on " + worker,
        () -> {
          Shell.must(cluster.mount(worker), "sh", "-ec", script);
          return true;
        });
    cluster.settle("a", "b");
  }
}
