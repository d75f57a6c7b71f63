package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.restore.RestoreRun;
import io.hypersync.leader.restore.RestoreStep;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.restore.RestoreSteps.LostChunkException;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.Snapshot;
import java.util.List;

/** Carries out plans of restores and undos, with anything between two batches of them. */
final class SimPlanRuns {
  private static final long SHORT_NS = 10_000;
  private static final long LONG_NS = 200 * Timeline.MS;
  private static final int MOST_LEFT = 1_000;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final Host host;
  private final Prng prng;

  /** The newest entry when steps were done last. */
  private long lastLooked;

  SimPlanRuns(SimLeader leader, LeaderDisk disk, Host host, Prng prng) {
    this.leader = leader;
    this.disk = disk;
    this.host = host;
    this.prng = prng;
  }

  /** Is told that a plan is carried out, and durable. */
  @FunctionalInterface
  interface Ended {
    /**
     * It is.
     *
     * @param last the newest entry when its last step was done, or not
     */
    void ended(RestoreBatches batches, long last);
  }

  private record Run(
      long planned, SnapshotHold held, RestoreRun run, RestoreBatches batches, Ended ended) {}

  /** Keeps the snapshot that a state is read from. */
  SnapshotHold hold(PastStates.Newest newest, long index) {
    for (Snapshot snapshot : newest.snapshots().reversed()) {
      SnapshotHold hold = new SnapshotHold(snapshot.index());
      if (snapshot.index() <= index && hold.begin(leader.agent().snapshots())) {
        return hold;
      }
    }
    return new SnapshotHold(0);
  }

  /** Begins to carry out a plan. */
  void begin(RestorePlan plan, PastStates.Newest newest, SnapshotHold held, Ended ended) {
    RestoreSteps steps =
        new RestoreSteps(plan, newest.state().version(), this::length, Limits.NONE);
    RestoreBatches batches = new RestoreBatches(plan, steps, MOST_LEFT);
    RestoreRun run = leader.agent().beginRestore(newest.state(), "");
    next(new Run(newest.index(), held, run, batches, ended));
  }

  private void next(Run it) {
    List<RestoreStep> steps = it.batches.next();
    if (steps.isEmpty()) {
      leader.agent().endRestore(it.run);
      it.held.end(leader.agent().snapshots());
      long last = Math.max(it.planned, lastLooked);
      leader.whenDurable(last, () -> it.ended.ended(it.batches, last));
      return;
    }
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () ->
            host.execute(
                () ->
                    it.run.offer(
                        steps,
                        answer -> {
                          lastLooked = leader.agent().sequencer().headIndex();
                          host.after(
                              prng.scale(SHORT_NS, LONG_NS),
                              "",
                              () -> {
                                it.batches.answered(answer);
                                next(it);
                              });
                        })));
  }

  private int length(Hash chunk) throws LostChunkException {
    try {
      byte[] bytes = disk.chunks().getVerified(chunk);
      if (bytes != null) {
        return bytes.length;
      }
    } catch (ChunkStoreException e) {
      host.note("a chunk is lost: " + e.getMessage());
    }
    throw new LostChunkException(chunk);
  }
}
