package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageMissingException;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.InstallTask;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.StoredPages;
import io.hypersync.worker.WorkerAgent;
import io.hypersync.worker.port.InstallPort;
import java.io.IOException;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The install port of a simulated worker: does the product's steps, each in an event of its own, so
 * that a crash may come between two of them.
 */
final class SimInstalls implements InstallPort {
  private static final long FASTEST_STEP_NS = 10_000;
  private static final long SLOWEST_STEP_NS = 500 * Timeline.MS;

  private final SnapshotDisk disk;
  private final WorkspaceId workspace;
  private final Host host;
  private final Prng prng;
  private final SnapshotChecker checker;
  private final Function<Snapshot, Manifest> beginning;
  private final Supplier<WorkerAgent> agent;
  private boolean ended;
  private boolean received;

  /**
   * The port of one run of a worker.
   *
   * @param beginning reads the manifest of a snapshot that is in the catalog
   */
  SimInstalls(
      SnapshotDisk disk,
      WorkspaceId workspace,
      Host host,
      Prng prng,
      SnapshotChecker checker,
      Function<Snapshot, Manifest> beginning,
      Supplier<WorkerAgent> agent) {
    this.beginning = beginning;
    this.agent = agent;
    this.disk = disk;
    this.workspace = workspace;
    this.host = host;
    this.prng = prng;
    this.checker = checker;
  }

  /** Whether this run has ended itself: another one is to begin. */
  boolean hasEnded() {
    return ended;
  }

  /** Whether the agent has stopped, having received a snapshot. */
  boolean hasReceived() {
    return received;
  }

  @Override
  public byte[] get(Hash page) throws PageMissingException {
    return new StoredPages(disk.chunks(), RateLimit.NONE).get(page);
  }

  @Override
  public void received(Snapshot snapshot) {
    received = true;
    host.after(
        prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS),
        "",
        () -> {
          disk.handOver(snapshot);
          disk.count(SnapshotDisk.BEGUN);
          ended = true;
        });
  }

  @Override
  public void install(Snapshot snapshot) {
    next(new InstallTask(snapshot, workspace, disk.chunks(), disk.snapshots(), () -> false));
  }

  private void next(InstallTask task) {
    host.after(prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS), "", () -> step(task));
  }

  private void step(InstallTask task) {
    try {
      if (task.step()) {
        next(task);
        return;
      }
    } catch (IOException | ChunkStoreException e) {
      host.note("cannot install: " + e.getMessage());
      host.execute(
          () -> {
            if (task.isRefuted()) {
              agent.get().installRefuted(task.snapshot(), String.valueOf(e.getMessage()));
            } else {
              agent.get().installFailed(task.snapshot(), String.valueOf(e.getMessage()));
            }
          });
      return;
    }
    disk.count(SnapshotDisk.INSTALLED);
    checker.taken(task.snapshot(), disk.chunks());
    host.execute(() -> agent.get().installed(task.snapshot()));
  }

  @Override
  public Manifest begin(Snapshot snapshot) {
    return beginning.apply(snapshot);
  }

  @Override
  public void end(String why, String hint) {
    host.note("ends: " + why);
    ended = true;
  }
}
