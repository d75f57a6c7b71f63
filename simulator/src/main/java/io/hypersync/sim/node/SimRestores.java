package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.UnrestorableException;
import io.hypersync.model.state.DirEntry;
import io.hypersync.model.state.FsState;
import io.hypersync.model.state.Node;
import io.hypersync.model.state.NodeContent.Directory;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.RestoreChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/**
 * Somebody who restores random paths to random earlier states, while processes go on: the product's
 * plan and steps, with anything between two batches of them.
 */
public final class SimRestores {
  private static final long OFTEN_NS = 50 * Timeline.MS;
  private static final long SELDOM_NS = 3_000 * Timeline.MS;
  private static final int DEEPEST = 4;
  private static final int NEAR = 30;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final OpLog log;
  private final Host host;
  private final Prng prng;
  private final Wish wish;
  private final SimPlanRuns runs;
  private boolean isBusy;

  /**
   * Whether and how paths are restored in a history.
   *
   * @param prng of its own, so that histories without restores do not change
   * @param wants whether another restore may begin
   */
  public record Wish(Prng prng, RestoreChecker checker, Supplier<Boolean> wants) {}

  SimRestores(SimLeader leader, LeaderDisk disk, OpLog log, Host host, Wish wish) {
    this.leader = leader;
    this.disk = disk;
    this.log = log;
    this.host = host;
    this.prng = wish.prng().split();
    this.wish = wish;
    this.runs = new SimPlanRuns(leader, disk, host, prng);
  }

  /** Whether no restore is under way. */
  public boolean isIdle() {
    return !isBusy;
  }

  /** Begins a restore after some time, if one is wanted then. */
  void later() {
    host.after(
        prng.scale(OFTEN_NS, SELDOM_NS),
        "",
        () -> {
          if (wish.wants().get()) {
            boolean isFree = leader.wholeRestores().isIdle() && leader.undos().isIdle();
            if (!isFree) { // requests take turns
              later();
              return;
            }
            isBusy = true;
            plan(leader.newest());
          }
        });
  }

  private void end() {
    isBusy = false;
    later();
  }

  private void plan(PastStates.Newest newest) {
    leader.whenDurable(newest.index(), () -> planned(newest));
  }

  private void planned(PastStates.Newest newest) {
    long low = prng.oneIn(2) ? Math.max(0, newest.index() - NEAR) : 0;
    long index = prng.between(low, newest.index());
    SnapshotHold held = runs.hold(newest, index);
    try {
      PastStates past = leader.past(newest);
      FsState then = past.both(index, newest.index()).first();
      wish.checker().read(index, then.root());
      List<Name> path = path(prng.oneIn(2) ? then : newest.state());
      RestorePlan plan = RestorePlanner.plan(newest.state(), then, path, Limits.NONE);
      LoggedChunks missing = LoggedChunks.missing(log, disk.chunks(), held.index(), index);
      while (missing.step()) {}
      host.note("restores " + path + " to entry " + index + " from entry " + newest.index());
      held.releaseLog(leader.agent().snapshots());
      runs.begin(
          plan,
          newest,
          held,
          (batches, last) -> {
            checked(newest.index(), last, index, path, batches);
            end();
          });
    } catch (UserError | UnrestorableException | IOException | ChunkStoreException e) {
      host.note("nothing is restored: " + e.getMessage());
      held.end(leader.agent().snapshots());
      end();
    }
  }

  /** A random path; the root one time in three. */
  private List<Name> path(FsState state) {
    List<Name> path = new ArrayList<>();
    Node node = state.node(FsState.ROOT);
    int depth = prng.below(3) == 0 ? 0 : (int) prng.between(1, DEEPEST);
    while (path.size() < depth
        && node != null
        && node.content() instanceof Directory(_, var entries)
        && !entries.isEmpty()) {
      List<DirEntry> names = new ArrayList<>();
      entries.forEach(names::add);
      DirEntry entry = prng.pick(names);
      path.add(entry.name());
      node = state.node(entry.node());
    }
    return path;
  }

  private void checked(
      long planned, long last, long index, List<Name> path, RestoreBatches batches) {
    RestoreChecker.Seen seen = wish.checker().restored(planned, last, index, path, batches);
    SnapshotDisk counts = disk.snapshots();
    counts.count(SnapshotDisk.RESTORED);
    if (batches.entries() > 0 && seen == RestoreChecker.Seen.ALONE) {
      counts.count(SnapshotDisk.RESTORED_ALONE);
    }
    if (seen == RestoreChecker.Seen.YIELDED) {
      counts.count(SnapshotDisk.RESTORED_BESIDE);
    }
  }
}
