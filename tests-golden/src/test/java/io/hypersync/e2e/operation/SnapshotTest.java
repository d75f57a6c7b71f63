package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.Errnos;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Snapshots of a leader, by the commands of a user (hypersync.md 13.1, 16.1). */
@RealMounts
class SnapshotTest {
  private static final JsonMapper JSON = new JsonMapper();

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @Test
  void aLeaderThatIsKilledStartsFromTheSnapshotAndWhatIsBehindIt() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    Files.createDirectory(mount.resolve("d"));
    Directories.fill(mount.resolve("d"), "f", 300, i -> "text " + i);
    JsonNode taken = snapshot(cluster, "create", "before");
    assertEquals("before", taken.path("name").asText());
    assertTrue(taken.path("pages_written").asLong() > 0, taken::toString);
    Files.writeString(mount.resolve("d/f7"), "changed");
    Files.delete(mount.resolve("d/f8"));
    cluster.settle("a", "b");
    long index = cluster.leader().status().path("commit_index").asLong();
    String root = cluster.leader().status().path("root").asText();

    cluster.leader().kill();
    cluster.startLeader();

    Await.until("start", () -> cluster.logs().contains("starting from the snapshot of entry"));
    assertEquals(index, cluster.leader().status().path("commit_index").asLong());
    assertEquals(root, cluster.leader().status().path("root").asText());
    // The worker may notice only now that the leader had died.
    Path added = mount.resolve("d/new");
    Await.same(
        "a write after the start",
        Errnos.NONE,
        () -> Errnos.of(() -> Files.writeString(added, "written after the start")));
    Await.same("on b", "changed", () -> Files.readString(cluster.mount("b").resolve("d/f7")));
    Await.same(
        "on b",
        "written after the start",
        () -> Files.readString(cluster.mount("b").resolve("d/new")));
    cluster.assertSameRoots("a", "b");
  }

  @Test
  void aLeaderThatIsStoppedInOrderTakesALastSnapshot() throws Exception {
    TestCluster cluster = extension.get();
    Files.writeString(cluster.mount("a").resolve("f"), "text");
    cluster.settle("a", "b");
    cluster.leader().terminate();
    assertEquals(0, cluster.leader().awaitExit(Await.LIMIT), "exit code after SIGTERM");
    cluster.startLeader();
    JsonNode status = cluster.leader().status();
    assertEquals(
        status.path("commit_index").asLong(),
        status.path("snapshots").path("newest_index").asLong());
    cluster.awaitWritable("b");
    Await.same("on b", "text", () -> Files.readString(cluster.mount("b").resolve("f")));
  }

  @Test
  void snapshotsAreListedPinnedVerifiedAndRemoved() throws Exception {
    TestCluster cluster = extension.get();
    Files.writeString(cluster.mount("a").resolve("f"), "1");
    String first = snapshot(cluster, "create").path("index").asText();
    Files.writeString(cluster.mount("a").resolve("f"), "2");
    snapshot(cluster, "create", "second");

    JsonNode all = snapshot(cluster, "list").path("snapshots");
    assertEquals(2, all.size(), all::toString);
    JsonNode cost = cluster.leader().status().path("snapshots");
    assertTrue(cost.path("last_took_ms").isNumber(), cost::toString);
    assertEquals(
        all.get(1).path("bytes_written").asLong(), cost.path("newest_bytes_written").asLong());
    assertEquals(first, all.get(0).path("index").asText());
    assertEquals("second", all.get(1).path("name").asText());
    assertTrue(snapshot(cluster, "pin", first).path("pinned").asBoolean());
    assertTrue(snapshot(cluster, "verify", "second").path("verified").asBoolean());
    assertFalse(snapshot(cluster, "unpin", first).path("pinned").asBoolean());

    for (String one : new String[] {first, "second"}) { // the newest, and the one before as a spare
      Shell needed = cluster.hypersync("snapshot", "rm", one);
      assertTrue(needed.exit() != 0 && needed.output().contains("take another"), needed::output);
    }
    Files.writeString(cluster.mount("a").resolve("f"), "3");
    snapshot(cluster, "create");
    assertEquals(first, snapshot(cluster, "rm", first).path("index").asText());
    assertEquals(2, snapshot(cluster, "list").path("snapshots").size());
    Shell unknown = cluster.hypersync("snapshot", "verify", "nothing");
    assertTrue(unknown.output().contains("there is no snapshot \"nothing\""), unknown::output);
  }

  private static JsonNode snapshot(TestCluster cluster, String... arguments) throws Exception {
    String[] all = new String[arguments.length + 2];
    all[0] = "snapshot";
    System.arraycopy(arguments, 0, all, 1, arguments.length);
    all[all.length - 1] = "--json";
    String said = cluster.hypersync(all).orFail("snapshot " + String.join(" ", arguments));
    return JSON.readTree(said.substring(said.indexOf('{')));
  }
}
