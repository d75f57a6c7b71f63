package io.hypersync.e2e.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.relay.NetworkConditions;
import io.hypersync.cli.relay.NetworkConditions.Direction;
import io.hypersync.cli.relay.UdpRelay;
import io.hypersync.e2e.harness.Await;
import io.hypersync.e2e.harness.DaemonJvm;
import io.hypersync.e2e.harness.Directories;
import io.hypersync.e2e.harness.RealMounts;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.harness.TestClusterExtension;
import io.hypersync.runtime.file.DurableFiles;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A worker that starts far behind gets the leader's snapshot instead of the log (13.2). */
@RealMounts
class WorkerInstallTest {
  private static final String INSTALLS = "the leader offers its snapshot of entry";
  private static final String FETCHED = "all pages are here, ";

  private static final Pattern FETCHED_PAGES = Pattern.compile(FETCHED + "(\\d+) were fetched");

  /** Files whose nodes and names take some hundred pages. */
  private static final int MANY = 4_000;

  private static final int DIRECTORIES = 8;

  /** So many pages are here when the worker is killed, and so many are not. */
  private static final int SOME_PAGES = 20;

  private static final double LOSS = 0.3;
  private static final long SEED = 1;

  @RegisterExtension
  final TestClusterExtension extension = new TestClusterExtension(TestCluster.PATIENT);

  @Test
  void aNewWorkerInstallsTheSnapshotAndReadsWhatIsBehindItToo() throws Exception {
    TestCluster cluster = extension.get();
    Path mount = cluster.mount("a");
    Files.createDirectory(mount.resolve("d"));
    byte[] large = new byte[100_000];
    Directories.fill(mount.resolve("d"), "f", 300, i -> "text " + i);
    Files.write(mount.resolve("large"), large);
    cluster.settle("a", "b");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    cluster.leader().kill();
    cluster.startLeader("--set", "hypersync.snapshots.catchup_log_threshold_entries=50");
    cluster.awaitWritable("a");
    Files.writeString(mount.resolve("d/f7"), "changed");
    Files.delete(mount.resolve("d/f8"));

    cluster.startWorker("c");

    assertTrue(cluster.worker("c").log().contains(INSTALLS), cluster.worker("c")::log);
    Path other = cluster.mount("c");
    assertEquals("changed", Files.readString(other.resolve("d/f7")));
    assertEquals("text 9", Files.readString(other.resolve("d/f9")));
    assertFalse(Files.exists(other.resolve("d/f8")));
    assertEquals(large.length, Files.readAllBytes(other.resolve("large")).length);
    Files.writeString(other.resolve("d/new"), "from c");
    Await.same("on a", "from c", () -> Files.readString(mount.resolve("d/new")));
    cluster.settle("a", "c");
    cluster.assertSameRoots("a", "c");

    assertFalse(left(cluster).contains("c"), "it goes on with its session after the install");
    cluster.worker("c").await("have all pages", status -> status.path("install").isNull());
    cluster.worker("c").kill();
    DurableFiles.deleteTree(cluster.stateDir("c").resolve("snapshots"));
    cluster.startWorker("c");
    cluster.worker("c").await("have all pages", status -> status.path("install").isNull());
    assertTrue(cluster.worker("c").log().contains(FETCHED + "0 "), cluster.worker("c")::log);
    assertEquals("changed", Files.readString(other.resolve("d/f7")));
    cluster.settle("a", "c");
    cluster.assertSameRoots("a", "c");
  }

  /** Over a network that is so bad that it takes long. */
  @Test
  void afterAKillTheNextInstallFetchesTheRestOnly() throws Exception {
    TestCluster cluster = extension.get();
    String name = "a name that is as long as names of generated files are ";
    createFiles(cluster.mount("a"), name);
    cluster.settle("a", "b");
    var _ = cluster.hypersync("snapshot", "create").orFail("snapshot create");
    long all = cluster.leader().status().at("/snapshots/newest_pages_written").asLong();
    assertTrue(all > 4 * SOME_PAGES, all + " pages");
    cluster.leader().kill();
    cluster.startLeader("--set", "hypersync.snapshots.catchup_log_threshold_entries=50");
    cluster.awaitWritable("a");

    HostPort leader = cluster.address();
    try (UdpRelay relay =
        UdpRelay.start(new InetSocketAddress(leader.host(), leader.port()), SEED)) {
      relay.become(NetworkConditions.losing(LOSS));
      cluster.putLeaderAddress("c", relay.address());
      DaemonJvm killed = cluster.launchWorker("c");
      Await.until("some pages are here", () -> pagesHere(killed) >= SOME_PAGES);
      relay.become(NetworkConditions.cut(EnumSet.allOf(Direction.class)));
      long here = pagesHere(killed);
      killed.kill();
      assertTrue(here < all - SOME_PAGES, here + " of " + all + " pages");
      assertFalse(killed.log().contains(FETCHED), killed::log);
      assertFalse(killed.log().contains("is already connected"), killed::log);
    }

    cluster.putLeaderAddress("c", leader);
    cluster.startWorker("c");
    cluster.worker("c").await("have all pages", status -> status.path("install").isNull());
    Matcher fetched = FETCHED_PAGES.matcher(cluster.worker("c").log());
    assertTrue(fetched.find(), cluster.worker("c")::log);
    long rest = Long.parseLong(fetched.group(1));
    assertTrue(rest > 0 && rest <= all - SOME_PAGES / 2, rest + " of " + all + " pages");
    assertTrue(Files.exists(cluster.mount("c").resolve("d7/" + name + (MANY - 1))));
    cluster.settle("a", "c");
    cluster.assertSameRoots("a", "c");
  }

  /** In several directories at once, since the kernel makes one file at a time in each. */
  private static void createFiles(Path mount, String name) throws Exception {
    List<Future<?>> made = new ArrayList<>();
    try (ExecutorService writers = Executors.newFixedThreadPool(DIRECTORIES)) {
      for (int d = 0; d < DIRECTORIES; d++) {
        Path directory = Files.createDirectory(mount.resolve("d" + d));
        int first = d;
        made.add(
            writers.submit(
                () -> {
                  for (int i = first; i < MANY; i += DIRECTORIES) {
                    Files.createFile(directory.resolve(name + i));
                  }
                  return null;
                }));
      }
      for (Future<?> each : made) {
        var _ = each.get();
      }
    }
  }

  /** The workers that have left since the leader began. */
  private static List<String> left(TestCluster cluster) {
    List<String> left = new ArrayList<>();
    JsonNode told = cluster.leader().ask("events", JsonNodeFactory.instance.objectNode());
    for (JsonNode event : told.path("events")) {
      if (event.path("kind").asText().equals("worker_left")) {
        left.add(event.path("worker_id").asText());
      }
    }
    return left;
  }

  private static long pagesHere(DaemonJvm worker) {
    return worker.status().at("/install/pages").asLong();
  }
}
