package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.errno.Errno;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.DirtyMemory;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageWriter;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.RateLimit;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.snapshot.SnapshotTask;
import io.hypersync.snapshot.schedule.SnapshotManager;
import io.hypersync.snapshot.schedule.SnapshotPort;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * The snapshot port of a simulated replica: does the product's steps, each in an event of its own,
 * so that anything may happen between two of them, a crash, too.
 */
final class SimSnapshots implements SnapshotPort {
  private static final long FASTEST_STEP_NS = 10_000;
  private static final long SLOWEST_STEP_NS = 100 * Timeline.MS;

  private final Preparation preparation;
  private final SnapshotDisk disk;
  private final PageCache cache;
  private final Host host;
  private final Prng prng;
  private final SnapshotChecker checker;
  private final Runnable taken;
  private final Supplier<SnapshotManager> manager;
  private final Consumer<String> failed;

  /** What is done before the pages of a snapshot are written. */
  @FunctionalInterface
  interface Preparation {
    /** Nothing. */
    Preparation NONE = (_, _) -> () -> false;

    /** The steps; each says whether there is another one. */
    Steps steps(long after, long last);
  }

  /** Work in steps. */
  @FunctionalInterface
  interface Steps {
    boolean step() throws IOException;
  }

  /**
   * Takes snapshots of one run of a replica.
   *
   * @param taken called when one is in the catalog
   * @param failed called when a sync has failed, which ends the run
   */
  SimSnapshots(
      Preparation preparation,
      SnapshotDisk disk,
      PageCache cache,
      Host host,
      Prng prng,
      SnapshotChecker checker,
      Runnable taken,
      Supplier<SnapshotManager> manager,
      Consumer<String> failed) {
    this.preparation = preparation;
    this.disk = disk;
    this.cache = cache;
    this.host = host;
    this.prng = prng;
    this.checker = checker;
    this.taken = taken;
    this.manager = manager;
    this.failed = failed;
  }

  @Override
  public void take(Manifest manifest, long after, String name) {
    prepare(preparation.steps(after, manifest.index()), manifest, name);
  }

  private void prepare(Steps before, Manifest manifest, String name) {
    next(
        () -> {
          if (before.step()) {
            prepare(before, manifest, name);
          } else {
            write(
                new SnapshotTask(
                    manifest, name, 0, disk.chunks(), disk.snapshots(), RateLimit.NONE, cache));
          }
        });
  }

  private void write(SnapshotTask task) {
    next(
        () -> {
          if (task.step()) {
            write(task);
          } else {
            Snapshot snapshot = task.result();
            disk.count(SnapshotDisk.TAKEN);
            checker.taken(snapshot, disk.chunks());
            taken.run();
            answer(snapshots -> snapshots.taken(snapshot, host.nowNs()));
          }
        });
  }

  @Override
  public void measure(Manifest newest) {
    DirtyMemory dirty = cache.dirty();
    if (!dirty.isSavable()) {
      manager.get().weighed();
      return;
    }
    long before = dirty.bytes();
    next(
        () -> {
          PageWriter measured = PageWriter.measuring(newest.state().version());
          var _ = newest.write(measured);
          cache.measured(before, measured.bytes());
          answer(SnapshotManager::weighed);
        });
  }

  @Override
  public void change(Snapshot snapshot) {
    next(
        () -> {
          disk.snapshots().put(snapshot);
          answer(snapshots -> snapshots.taken(snapshot, host.nowNs()));
        });
  }

  @Override
  public void remove(long index) {
    next(
        () -> {
          disk.snapshots().remove(index);
          disk.count(SnapshotDisk.REMOVED);
          answer(snapshots -> snapshots.removed(index));
        });
  }

  @Override
  public void setAside() {
    next(
        () -> {
          disk.snapshots().setAside();
          answer(SnapshotManager::setAside);
        });
  }

  /** Does work in the background, as the product does. */
  void inBackground(Steps steps) {
    host.after(
        delayNs(),
        "",
        () -> {
          try {
            if (steps.step()) {
              inBackground(steps);
            }
          } catch (IOException | ChunkStoreException e) {
            host.note("work in the background has ended: " + e.getMessage());
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
            disk.count(SnapshotDisk.FAILED);
            String why = String.valueOf(e.getMessage());
            answer(snapshots -> snapshots.failed(why, host.nowNs()));
          }
        });
  }

  private long delayNs() {
    return prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS);
  }

  private void answer(Consumer<SnapshotManager> call) {
    host.execute(() -> call.accept(manager.get()));
  }
}
