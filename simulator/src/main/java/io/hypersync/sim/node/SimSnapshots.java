package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.SnapshotPort;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotTask;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The snapshot port of a simulated leader: does the product's steps, each in an event of its own,
 * so that anything may happen between two of them, a crash, too.
 */
final class SimSnapshots implements SnapshotPort {
  private static final long FASTEST_STEP_NS = 10_000;
  private static final long SLOWEST_STEP_NS = 100 * Timeline.MS;

  private final OpLog log;
  private final LeaderDisk disk;
  private final Host host;
  private final Prng prng;
  private final SnapshotChecker checker;
  private final Supplier<LeaderAgent> agent;
  private final Consumer<String> failed;

  SimSnapshots(
      OpLog log,
      LeaderDisk disk,
      Host host,
      Prng prng,
      SnapshotChecker checker,
      Supplier<LeaderAgent> agent,
      Consumer<String> failed) {
    this.log = log;
    this.disk = disk;
    this.host = host;
    this.prng = prng;
    this.checker = checker;
    this.agent = agent;
    this.failed = failed;
  }

  @Override
  public void take(Manifest manifest, long after, String name) {
    store(LoggedChunks.missing(log, disk.chunks(), after, manifest.index()), manifest, name);
  }

  private void store(LoggedChunks logged, Manifest manifest, String name) {
    next(
        () -> {
          if (logged.step()) {
            store(logged, manifest, name);
          } else {
            write(
                new SnapshotTask(
                    manifest, name, 0, disk.chunks(), disk.snapshots(), RateLimit.NONE));
          }
        });
  }

  private void write(SnapshotTask task) {
    next(
        () -> {
          if (task.step()) {
            write(task);
          } else {
            Snapshot taken = task.result();
            disk.count(LeaderDisk.SNAPSHOT_TAKEN);
            checker.taken(taken, disk.chunks());
            answer(leader -> leader.snapshotTaken(taken));
          }
        });
  }

  @Override
  public void change(Snapshot snapshot) {
    next(
        () -> {
          disk.snapshots().put(snapshot);
          answer(leader -> leader.snapshotTaken(snapshot));
        });
  }

  @Override
  public void remove(long index) {
    next(
        () -> {
          disk.snapshots().remove(index);
          disk.count(LeaderDisk.SNAPSHOT_REMOVED);
          answer(leader -> leader.snapshotRemoved(index));
        });
  }

  /** Looks at chunks that a start from a snapshot has passed over, as the product does. */
  void verifyLogged(long last) {
    verify(LoggedChunks.damaged(log, disk.chunks(), last));
  }

  private void verify(LoggedChunks logged) {
    host.after(
        delayNs(),
        "",
        () -> {
          try {
            if (logged.step()) {
              verify(logged);
            }
          } catch (IOException | ChunkStoreException e) {
            host.note("chunks of the log are not looked at: " + e.getMessage());
          }
        });
  }

  private interface Step {
    void run() throws IOException;
  }

  private void next(Step step) {
    host.after(
        delayNs(),
        "",
        () -> {
          try {
            step.run();
          } catch (IOException | ChunkStoreException e) {
            if (e instanceof ChunkStoreException chunks && chunks.errno() == Errno.EIO) {
              failed.accept(String.valueOf(e.getMessage())); // a sync: the leader ends by it
              return;
            }
            disk.count(LeaderDisk.SNAPSHOT_FAILED);
            answer(leader -> leader.snapshotFailed(String.valueOf(e.getMessage())));
          }
        });
  }

  private long delayNs() {
    return prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS);
  }

  private void answer(Consumer<LeaderAgent> call) {
    host.execute(() -> call.accept(agent.get()));
  }
}
