package io.hypersync.e2e.faults;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.disk.Naming;
import io.hypersync.disk.PowerLossDisk;
import io.hypersync.e2e.harness.Shell;
import io.hypersync.e2e.harness.TestCluster;
import io.hypersync.e2e.load.PowerLoad;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A workspace all of whose leader state is on a {@link PowerLossDisk} from the first moment,
 * including what {@code hypersync init} writes. Worker {@code a} runs the load, and has its state
 * on the ordinary disk; worker {@code b} has its state on another power-loss disk.
 */
final class PoweredWorkspace implements AutoCloseable {
  private static final int WRITERS = 4;

  private final TestCluster cluster;
  private final PowerLossDisk disk;
  private final PowerLossDisk workersDisk;
  private @Nullable PowerLoad load;
  private List<String> workers = List.of();
  private long lastStartMs;

  private PoweredWorkspace(TestCluster cluster, PowerLossDisk disk, PowerLossDisk workersDisk) {
    this.cluster = cluster;
    this.disk = disk;
    this.workersDisk = workersDisk;
  }

  /** Creates a workspace without running daemons. */
  static PoweredWorkspace create() throws IOException {
    AtomicReference<@Nullable PowerLossDisk> disk = new AtomicReference<>();
    TestCluster cluster =
        TestCluster.create(
            TestCluster.PROMPT, folder -> disk.set(PowerLossDisk.mount(folder, Naming.STRICT)));
    Path point = Files.createDirectory(cluster.root().resolve("workers-disk"));
    PowerLossDisk workersDisk = PowerLossDisk.mount(point, Naming.STRICT);
    cluster.putState("b", point.resolve("state"));
    PowerLossDisk leadersDisk = disk.get();
    if (leadersDisk == null) {
      throw new IllegalStateException("the workspace was made without its disk");
    }
    return new PoweredWorkspace(cluster, leadersDisk, workersDisk);
  }

  /**
   * Starts the leader and these workers, and creates the writers' directories.
   *
   * @param seed determines the calls of the writers
   */
  void start(long seed, String... names) throws Exception {
    workers = List.of(names);
    cluster.startLeader();
    for (String worker : workers) {
      cluster.launchWorker(worker);
    }
    awaitWorkers();
    load = new PowerLoad(cluster.mount("a"), WRITERS, seed);
  }

  TestCluster cluster() {
    return cluster;
  }

  /** The leader's disk. */
  PowerLossDisk disk() {
    return disk;
  }

  PowerLoad load() {
    if (load == null) {
      throw new IllegalStateException("not started");
    }
    return load;
  }

  /**
   * Starts the leader again, and waits until the calls in flight have ended. Fails if the log is
   * shorter than what worker a has applied.
   */
  void restart() throws IOException, InterruptedException {
    long seen = cluster.worker("a").status().path("applied_index").asLong();
    long startNs = System.nanoTime();
    // A worker that has seen more may have ended it before it is asked.
    long kept =
        cluster
            .startLeader()
            .await("say where its log ends", _ -> true)
            .path("commit_index")
            .asLong();
    lastStartMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    assertTrue(kept >= seen, "entry " + seen + " was acknowledged, and the log ends at " + kept);
    awaitWorkers();
    load().stop();
  }

  private void awaitWorkers() throws InterruptedException {
    for (String worker : workers) {
      cluster.awaitWritable(worker);
    }
  }

  /** How long the last start of the leader took, in milliseconds. */
  long lastStartMs() {
    return lastStartMs;
  }

  /** Fails unless the worker has the leader's root, and shows exactly what was acknowledged. */
  void check(String worker) throws IOException, InterruptedException {
    cluster.assertSameRoots(worker);
    load().check(cluster.mount(worker));
  }

  /** Cuts the power of worker b's machine, and starts the worker again. */
  void cutWorkersPower(Random random) throws IOException, InterruptedException {
    cluster.worker("b").kill();
    Shell.must(cluster.root(), "umount", "-l", cluster.mount("b").toString());
    workersDisk.cutPower(random);
    cluster.startWorker("b");
  }

  /** Ends everything; the disks last, because the daemons use them. */
  @Override
  public void close() throws IOException {
    if (load != null) {
      load.close();
    }
    try {
      cluster.close();
    } finally {
      disk.close();
      workersDisk.close();
    }
  }
}
