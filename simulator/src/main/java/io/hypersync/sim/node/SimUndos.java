package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.LogScan;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.restore.RestoreBatches;
import io.hypersync.leader.snapshot.LoggedChunks;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.restore.RestorePlan;
import io.hypersync.model.restore.RestorePlanner;
import io.hypersync.model.restore.UnrestorableException;
import io.hypersync.model.undo.UndoAgent.Role;
import io.hypersync.model.undo.UndoHistory;
import io.hypersync.model.undo.UndoPlan;
import io.hypersync.model.undo.UndoPlanner;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.RestoreChecker;
import io.hypersync.sim.check.UndoChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.io.IOException;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Somebody who undoes what the processes of one worker did lately, while all go on: as if a worker
 * were an agent, because each call of a history has a name of its own.
 */
public final class SimUndos {
  private static final long OFTEN_NS = 50 * Timeline.MS;
  private static final long SELDOM_NS = 3_000 * Timeline.MS;
  private static final int NEAR = 60;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final OpLog log;
  private final Host host;
  private final Prng prng;
  private final Wish wish;
  private final SimPlanRuns runs;
  private boolean isBusy;

  /**
   * Whether and how a history has undos.
   *
   * @param prng of its own, so that histories without undos do not change
   * @param isWanted whether it has any
   * @param wants whether another one may begin
   */
  public record Wish(
      Prng prng,
      RestoreChecker restores,
      UndoChecker checker,
      boolean isWanted,
      Supplier<Boolean> wants) {}

  SimUndos(SimLeader leader, LeaderDisk disk, OpLog log, Host host, Wish wish) {
    this.leader = leader;
    this.disk = disk;
    this.log = log;
    this.host = host;
    this.prng = wish.prng().split();
    this.wish = wish;
    this.runs = new SimPlanRuns(leader, disk, host, prng);
  }

  /** Whether no undo is under way. */
  public boolean isIdle() {
    return !isBusy;
  }

  /** Begins an undo after some time, if one is wanted then. */
  void later() {
    if (!wish.isWanted()) {
      return;
    }
    host.after(
        prng.scale(OFTEN_NS, SELDOM_NS),
        "",
        () -> {
          if (wish.wants().get()) {
            if (!leader.wholeRestores().isIdle() || !leader.restores().isIdle()) {
              later(); // requests take turns
              return;
            }
            isBusy = true;
            PastStates.Newest newest = leader.newest();
            leader.whenDurable(newest.index(), () -> planned(newest));
          }
        });
  }

  private void end() {
    isBusy = false;
    later();
  }

  private void planned(PastStates.Newest newest) {
    SnapshotHold held = new SnapshotHold(0);
    try {
      PastStates past = leader.past(newest);
      long last = newest.index();
      long since = prng.between(Math.max(past.oldest(), last - NEAR), last) + 1;
      LogScan scan = new LogScan(log, () -> {});
      LogEntry[] some = new LogEntry[1];
      scan.forEach(
          since,
          last,
          entry -> {
            some[0] = entry;
            return !entry.agent().isEmpty();
          });
      if (some[0] == null || some[0].agent().isEmpty()) {
        end();
        return;
      }
      WorkerId worker = some[0].origin();
      Function<LogEntry, Role> roles =
          entry ->
              !entry.agent().isEmpty() && worker.equals(entry.origin()) ? Role.OWN : Role.OTHER;
      long first = some[0].index();
      held = runs.hold(newest, first - 1);
      UndoHistory history = new UndoHistory(roles, Limits.NONE);
      past.walk(first, last, history::entry);
      UndoPlan undo = UndoPlanner.plan(history, newest.state(), List.of(), false, Limits.NONE);
      wish.checker().planned(first, last, roles, undo.target());
      RestorePlan plan = RestorePlanner.plan(newest.state(), undo.target(), List.of(), Limits.NONE);
      LoggedChunks missing = LoggedChunks.missing(log, disk.chunks(), held.index(), last);
      while (missing.step()) {}
      host.note("undoes " + worker + " from entry " + first + " on, from entry " + last);
      held.releaseLog(leader.agent().snapshots());
      runs.begin(plan, newest, held, (batches, end) -> ended(last, end, undo, batches));
    } catch (UserError | UnrestorableException | IOException | ChunkStoreException e) {
      host.note("nothing is undone: " + e.getMessage());
      held.end(leader.agent().snapshots());
      end();
    }
  }

  private void ended(long planned, long last, UndoPlan undo, RestoreBatches batches) {
    var _ = wish.restores().restored(planned, last, undo.target(), List.of(), batches);
    SnapshotDisk counts = disk.snapshots();
    if (batches.entries() > 0) {
      counts.count(SnapshotDisk.UNDONE);
      if (undo.left() > 0) {
        counts.count(SnapshotDisk.UNDONE_BESIDE);
      }
    }
    end();
  }
}
