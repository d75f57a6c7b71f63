package io.hypersync.sim.node;

import io.hypersync.chunkstore.BegunCollection;
import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.chunkstore.CollectionRun;
import io.hypersync.leader.LeaderAgent;
import io.hypersync.leader.collection.CollectionManager;
import io.hypersync.leader.collection.CollectionTask;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.CollectionPort;
import io.hypersync.leader.port.CollectionReport;
import io.hypersync.leader.port.CollectionReport.Kind;
import io.hypersync.leader.port.CollectionRoots;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageCache;
import io.hypersync.sim.check.SnapshotChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.CollectionMark;
import io.hypersync.snapshot.RateLimit;
import java.io.IOException;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;

/**
 * The collection port of a simulated leader: does the product's steps, each in an event of its own,
 * so that anything may happen between two of them, a crash, too.
 */
final class SimCollections implements CollectionPort {
  private static final long FASTEST_STEP_NS = 10_000;
  private static final long SLOWEST_STEP_NS = 20 * Timeline.MS;

  /** So few that a walk often forgets what it has read. */
  private static final int PAGES = 20;

  private final OpLog log;
  private final LeaderDisk disk;
  private final WorkspaceId workspace;
  private final PageCache memory;
  private final Host host;
  private final Timeline timeline;
  private final Prng prng;
  private final SnapshotChecker checker;
  private final LongConsumer raising;
  private final Supplier<LeaderAgent> agent;
  private final BegunCollection begunRun = new BegunCollection();

  /**
   * The port of one run of a leader.
   *
   * @param memory of the leader
   * @param raising is told of each mark before it is said durably; for a check
   */
  SimCollections(
      OpLog log,
      LeaderDisk disk,
      WorkspaceId workspace,
      PageCache memory,
      Host host,
      Timeline timeline,
      Prng prng,
      SnapshotChecker checker,
      LongConsumer raising,
      Supplier<LeaderAgent> agent) {
    this.log = log;
    this.disk = disk;
    this.workspace = workspace;
    this.memory = memory;
    this.host = host;
    this.timeline = timeline;
    this.prng = prng;
    this.checker = checker;
    this.raising = raising;
    this.agent = agent;
  }

  @Override
  public void begin() {
    later(
        () -> {
          begunRun.begun(disk.chunks().beginCollection());
          answer(CollectionManager::begun);
        });
  }

  @Override
  public void collect(CollectionRoots roots) {
    CollectionRun begun = begunRun.take();
    later(() -> step(new CollectionTask(begun, roots, environment())));
  }

  @Override
  public void abandon() {
    disk.snapshots().count(LeaderDisk.COLLECTION_FAILED);
    begunRun.take().close();
  }

  private CollectionTask.Environment environment() {
    return new CollectionTask.Environment(
        log,
        disk.chunks(),
        disk.snapshots().snapshots(),
        () -> agent.get().snapshots().indexes(),
        new JudgedMark(),
        workspace,
        memory,
        PAGES,
        RateLimit.NONE);
  }

  private final class JudgedMark implements CollectionMark {
    @Override
    public long through() {
      return disk.collected().through();
    }

    @Override
    public void raise(long index) throws IOException {
      raising.accept(index);
      disk.collected().raise(index);
    }
  }

  private void step(CollectionTask task) {
    boolean goesOn;
    try {
      goesOn = task.step();
    } catch (IOException | ChunkStoreException e) {
      disk.snapshots().count(LeaderDisk.COLLECTION_FAILED);
      judge();
      host.note("a collection has ended: " + e.getMessage());
      answer(
          manager ->
              manager.failed(
                  String.valueOf(e.getMessage()),
                  disk.collected().through(),
                  timeline.monotonicNs()));
      return;
    }
    if (goesOn) {
      later(() -> step(task));
      return;
    }
    CollectionReport report = task.result(0);
    disk.snapshots().count(LeaderDisk.COLLECTION_DONE);
    if (report.logAfter() > 0) {
      disk.snapshots().count(LeaderDisk.COLLECTED_LOG);
    }
    if (report.chunksRemoved() > 0) {
      disk.snapshots().count(LeaderDisk.COLLECTION_REMOVED);
    }
    if (report.pins().stream().anyMatch(pin -> pin.kind() == Kind.MOUNTED && pin.bytes() > 0)) {
      disk.snapshots().count(SnapshotDisk.HELD_ALONE);
    }
    judge();
    answer(manager -> manager.ended(report, timeline.monotonicNs()));
  }

  private void judge() {
    checker.retained(disk.snapshots().snapshots(), disk.chunks());
  }

  private void later(Runnable step) {
    host.after(prng.scale(FASTEST_STEP_NS, SLOWEST_STEP_NS), "", step);
  }

  private void answer(Consumer<CollectionManager> call) {
    host.execute(() -> call.accept(agent.get().collections()));
  }
}
