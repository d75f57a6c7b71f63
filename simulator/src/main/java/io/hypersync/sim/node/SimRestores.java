package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.restore.RestoreRun;
import io.hypersync.leader.restore.RestoreStep;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.Name;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.RestoreSteps;
import io.hypersync.model.restore.RestoreSteps.LostChunkException;
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
import io.hypersync.snapshot.Snapshot;
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
  private static final long SHORT_NS = 10_000;
  private static final long LONG_NS = 200 * Timeline.MS;
  private static final int DEEPEST = 4;
  private static final int NEAR = 30;
  private static final int MOST_LEFT = 1_000;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final OpLog log;
  private final Host host;
  private final Prng prng;
  private final Wish wish;
  private boolean isBusy;

  /** The newest entry when steps of a restore were done last. */
  private long lastLooked;

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
            if (!leader.wholeRestores().isIdle()) { // requests take turns
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
    SnapshotHold held = hold(newest, index);
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
      RestoreSteps steps = new RestoreSteps(plan, then.version(), this::length, Limits.NONE);
      RestoreBatches batches = new RestoreBatches(plan, steps, MOST_LEFT);
      RestoreRun run = leader.agent().beginRestore(newest.state());
      next(new Restore(newest.index(), index, path, held, run, batches));
    } catch (UserError | UnrestorableException | IOException | ChunkStoreException e) {
      host.note("nothing is restored: " + e.getMessage());
      held.end(leader.agent().snapshots());
      end();
    }
  }

  private record Restore(
      long planned,
      long index,
      List<Name> path,
      SnapshotHold held,
      RestoreRun run,
      RestoreBatches batches) {}

  private SnapshotHold hold(PastStates.Newest newest, long index) {
    for (Snapshot snapshot : newest.snapshots().reversed()) {
      SnapshotHold hold = new SnapshotHold(snapshot.index());
      if (snapshot.index() <= index && hold.begin(leader.agent().snapshots())) {
        return hold;
      }
    }
    return new SnapshotHold(0);
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

  private void next(Restore restore) {
    List<RestoreStep> steps = restore.batches.next();
    if (steps.isEmpty()) {
      leader.agent().endRestore(restore.run);
      restore.held.end(leader.agent().snapshots());
      long last = Math.max(restore.planned, lastLooked);
      leader.whenDurable(
          last,
          () -> {
            checked(restore, last);
            end();
          });
      return;
    }
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () ->
            host.execute(
                () ->
                    restore.run.offer(
                        steps,
                        answer -> {
                          lastLooked = leader.agent().sequencer().headIndex();
                          host.after(
                              prng.scale(SHORT_NS, LONG_NS),
                              "",
                              () -> {
                                restore.batches.answered(answer);
                                next(restore);
                              });
                        })));
  }

  private void checked(Restore restore, long last) {
    RestoreChecker.Seen seen =
        wish.checker()
            .restored(restore.planned, last, restore.index, restore.path, restore.batches);
    SnapshotDisk counts = disk.snapshots();
    counts.count(SnapshotDisk.RESTORED);
    if (restore.batches.entries() > 0 && seen == RestoreChecker.Seen.ALONE) {
      counts.count(SnapshotDisk.RESTORED_ALONE);
    }
    if (seen == RestoreChecker.Seen.YIELDED) {
      counts.count(SnapshotDisk.RESTORED_BESIDE);
    }
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
