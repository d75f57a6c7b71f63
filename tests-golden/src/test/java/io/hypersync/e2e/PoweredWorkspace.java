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
 * A workspace of which everything that the leader has is on a {@link ForgetfulDisk}, from its first
 * moment on: what {@code hypersync init} writes, too. The worker {@code a} writes, its state is on
 * the ordinary disk; that of the worker {@code b} is on another disk that forgets.
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

  /** Of which nothing runs yet. */
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
   * Starts the leader and these workers, and makes the writers' folders.
   *
   * @param seed decides what the writers do
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

  /** The leader's. */
  ForgetfulDisk disk() {
    return disk;
  }

  PowerLoad load() {
    if (load == null) {
      throw new IllegalStateException("not started");
    }
    return load;
  }

  /** Starts the leader again, and lets the calls that were under way end. */
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

  /** How long the leader took to start the last time. */
  long lastStartMs() {
    return lastStartMs;
  }

  /** Fails unless a worker has, and shows, exactly what was acknowledged. */
  void check(String worker) throws IOException, InterruptedException {
    fabric.assertSameRoots(worker);
    load().check(fabric.mount(worker));
  }

  /** Cuts the power of the worker b's machine, and starts it again. */
  void cutWorkersPower(Random random) throws IOException, InterruptedException {
    fabric.worker("b").kill();
    Shell.must(fabric.root(), "umount", "-l", fabric.mount("b").toString());
    workersDisk.cutPower(random);
    fabric.startWorker("b");
  }

  /** Ends everything; the disks last, since the daemons are on them. */
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
