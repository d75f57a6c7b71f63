package io.hypersync.e2e;

import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.disk.ForgetfulDisk;
import io.hypersync.disk.Naming;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A workspace all of whose leader state is on a {@link ForgetfulDisk} from the first moment,
 * including what {@code hypersync init} writes. Worker {@code a} runs the load, and has its state
 * on the ordinary disk; worker {@code b} has its state on another power-loss disk.
 */
final class PoweredWorkspace implements AutoCloseable {
  private static final int WRITERS = 4;

  private final Fabric fabric;
  private final ForgetfulDisk disk;
  private final ForgetfulDisk workersDisk;
  private @Nullable PowerLoad load;
  private List<String> workers = List.of();
  private long lastStartMs;

  private PoweredWorkspace(Fabric fabric, ForgetfulDisk disk, ForgetfulDisk workersDisk) {
    this.fabric = fabric;
    this.disk = disk;
    this.workersDisk = workersDisk;
  }

  /** Creates a workspace without running daemons. */
  static PoweredWorkspace create() throws IOException {
    AtomicReference<@Nullable ForgetfulDisk> disk = new AtomicReference<>();
    Fabric fabric =
        Fabric.create(
            Fabric.PROMPT, folder -> disk.set(ForgetfulDisk.mount(folder, Naming.STRICT)));
    Path point = Files.createDirectory(fabric.root().resolve("workers-disk"));
    ForgetfulDisk workersDisk = ForgetfulDisk.mount(point, Naming.STRICT);
    fabric.putState("b", point.resolve("state"));
    ForgetfulDisk leadersDisk = disk.get();
    if (leadersDisk == null) {
      throw new IllegalStateException("the workspace was made without its disk");
    }
    return new PoweredWorkspace(fabric, leadersDisk, workersDisk);
  }

  /**
   * Starts the leader and these workers, and creates the writers' directories.
   *
   * @param seed determines the calls of the writers
   */
  void start(long seed, String... names) throws Exception {
    workers = List.of(names);
    fabric.startLeader();
    for (String worker : workers) {
      fabric.launchWorker(worker);
    }
    awaitWorkers();
    load = new PowerLoad(fabric.mount("a"), WRITERS, seed);
  }

  Fabric fabric() {
    return fabric;
  }

  /** The leader's disk. */
  ForgetfulDisk disk() {
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
    long seen = fabric.worker("a").status().path("applied_index").asLong();
    long startNs = System.nanoTime();
    long kept = fabric.startLeader().status().path("commit_index").asLong();
    lastStartMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
    assertTrue(kept >= seen, "entry " + seen + " was acknowledged, and the log ends at " + kept);
    awaitWorkers();
    load().stop();
  }

  private void awaitWorkers() throws InterruptedException {
    for (String worker : workers) {
      fabric.awaitWritable(worker);
    }
  }

  /** How long the last start of the leader took, in milliseconds. */
  long lastStartMs() {
    return lastStartMs;
  }

  /** Fails unless the worker has the leader's root, and shows exactly what was acknowledged. */
  void check(String worker) throws IOException, InterruptedException {
    fabric.assertSameRoots(worker);
    load().check(fabric.mount(worker));
  }

  /** Cuts the power of worker b's machine, and starts the worker again. */
  void cutWorkersPower(Random random) throws IOException, InterruptedException {
    fabric.worker("b").kill();
    Shell.must(fabric.root(), "umount", "-l", fabric.mount("b").toString());
    workersDisk.cutPower(random);
    fabric.startWorker("b");
  }

  /** Ends everything; the disks last, because the daemons use them. */
  @Override
  public void close() throws IOException {
    if (load != null) {
      load.close();
    }
    try {
      fabric.close();
    } finally {
      disk.close();
      workersDisk.close();
    }
  }
}
