package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.PastSnapshotTask;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.history.WholeDifference;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.port.RestoreHoldPort;
import io.hypersync.leader.recovery.LoggedRestores;
import io.hypersync.leader.restore.StateRestores;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.codec.DecodeException;
import io.hypersync.model.difference.StateDifference.Limits;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.op.FsOp;
import io.hypersync.model.snapshot.Manifest;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.PastChecker;
import io.hypersync.sim.check.RestoreChecker;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.HeldRestore;
import io.hypersync.snapshot.Snapshot;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Somebody who restores everything to random earlier states, each by one entry, and what says
 * durably which states are held for that: the product's steps, with anything between two of them.
 */
public final class SimStateRestores {
  private static final long OFTEN_NS = 50 * Timeline.MS;
  private static final long SELDOM_NS = 3_000 * Timeline.MS;
  private static final long SHORT_NS = 10_000;
  private static final long LONG_NS = 200 * Timeline.MS;
  private static final int NEAR = 60;

  /** One write in so many fails. */
  private static final int FAILS_ONE_IN = 16;

  /** One start in so many cannot read what is said. */
  private static final int DAMAGED_ONE_IN = 8;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final OpLog log;
  private final WorkspaceId workspace;
  private final PageCache memory;
  private final Host host;
  private final Prng prng;
  private final Wish wish;
  private boolean isBusy;

  /**
   * Whether everything is restored in a history.
   *
   * @param prng of its own, so that histories without such restores do not change
   * @param held judges what entries of the log need
   * @param wants whether another restore may begin
   */
  public record Wish(
      Prng prng,
      RestoreChecker checker,
      LogChecker log,
      PastChecker held,
      Supplier<Boolean> wants) {}

  SimStateRestores(
      SimLeader leader,
      LeaderDisk disk,
      OpLog log,
      WorkspaceId workspace,
      PageCache memory,
      Host host,
      Wish wish) {
    this.leader = leader;
    this.disk = disk;
    this.log = log;
    this.workspace = workspace;
    this.memory = memory;
    this.host = host;
    this.prng = wish.prng().split();
    this.wish = wish;
  }

  /** Whether no restore of everything is under way. */
  public boolean isIdle() {
    return !isBusy;
  }

  /**
   * What a leader begins with.
   *
   * @param replayed the entry that the start has begun behind
   * @param last the last entry of the log
   * @throws IOException if the log cannot be read
   */
  StateRestores.Start start(long replayed, long last) throws IOException {
    boolean isReplayed = wish.log().restores().stream().anyMatch(entry -> entry > replayed);
    if (isReplayed) {
      disk.snapshots().count(LeaderDisk.RESTORE_REPLAYED);
    }
    look();
    List<HeldRestore> said = disk.restores();
    boolean isDamaged = !said.isEmpty() && prng.oneIn(DAMAGED_ONE_IN);
    List<HeldRestore> held =
        new LoggedRestores(log, last).held(isDamaged ? null : said, host.nowNs());
    if (isDamaged) {
      disk.restores(held);
      return new StateRestores.Start(port(), held, held);
    }
    for (HeldRestore each : said) {
      if (!each.isExact()) {
        boolean isFound =
            held.stream()
                .anyMatch(
                    now ->
                        Arrays.equals(now.state().manifest(), each.state().manifest())
                            && now.entry() >= each.entry());
        disk.snapshots().count(isFound ? LeaderDisk.RESTORE_FOUND : LeaderDisk.RESTORE_CUT);
      }
    }
    return new StateRestores.Start(port(), held, said);
  }

  private RestoreHoldPort port() {
    return held -> host.after(prng.scale(SHORT_NS, LONG_NS), "", () -> write(held));
  }

  /** What could not be written may be there all the same. */
  private void write(List<HeldRestore> held) {
    boolean isFailed = prng.oneIn(FAILS_ONE_IN);
    if (!isFailed || prng.oneIn(2)) {
      disk.restores(held);
    }
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () ->
            host.execute(
                () -> {
                  if (isFailed) {
                    restores().notWritten("EIO", host.nowNs());
                  } else {
                    restores().written();
                  }
                }));
  }

  private StateRestores restores() {
    return leader.agent().restores();
  }

  /** An entry is being logged: that its state is held must be durably said by now. */
  void logging(long entry, FsOp.RestoreState restore) {
    boolean isSaid =
        disk.restores().stream()
            .anyMatch(
                held ->
                    held.entry() <= entry
                        && Arrays.equals(held.state().manifest(), restore.manifest()));
    if (!isSaid) {
      throw new Violation("entry " + entry + " restores a state that is not said to be held");
    }
  }

  /** Looks whether everything is there that replays of entries of the log need. */
  private void look() {
    wish.held().removedBefore(disk.firstIndex());
    if (disk.chunks().rotted() > 0) {
      return;
    }
    for (long entry : wish.log().restores()) {
      if (entry >= disk.firstIndex()
          && !wish.held().holds(entry)
          && wish.log().entry(entry).op() instanceof FsOp.RestoreState(byte[] manifest, _, _)) {
        wish.held()
            .stored(entry, manifest, workspace, disk.chunks(), wish.log().root(index(manifest)));
      }
    }
    wish.held().look(disk.chunks());
  }

  private static long index(byte[] manifest) {
    try {
      return Manifest.index(manifest);
    } catch (DecodeException e) {
      throw new IllegalStateException(e);
    }
  }

  /** Begins a restore after some time, if one is wanted then. */
  void later() {
    host.after(
        prng.scale(OFTEN_NS, SELDOM_NS),
        "",
        () -> {
          look();
          if (wish.wants().get()) {
            if (leader.restores().isIdle() && leader.undos().isIdle()) {
              isBusy = true;
              host.execute(this::begin);
            } else { // requests take turns
              later();
            }
          }
        });
  }

  private void end() {
    isBusy = false;
    later();
  }

  private void givenUp(String why, SnapshotHold hold) {
    host.note("not everything is restored: " + why);
    host.execute(
        () -> {
          hold.end(leader.agent().snapshots());
          restores().givenUp();
          end();
        });
  }

  private void begin() {
    if (!restores().begin()) {
      throw new Violation("another restore is under way, which nobody has asked for");
    }
    PastStates.Newest newest = leader.newest();
    leader.whenDurable(newest.index(), () -> plan(newest));
  }

  private void plan(PastStates.Newest newest) {
    SnapshotHold none = new SnapshotHold(0);
    if (newest.index() < 2) {
      givenUp("there is nothing earlier", none);
      return;
    }
    long low = prng.oneIn(2) ? Math.max(1, newest.index() - NEAR) : 1;
    long index = prng.between(low, newest.index() - 1);
    @Nullable Snapshot base =
        newest.snapshots().reversed().stream()
            .filter(snapshot -> snapshot.index() <= index)
            .findFirst()
            .orElse(null);
    SnapshotHold hold = base == null ? none : new SnapshotHold(base.index());
    if (base != null && !hold.begin(leader.agent().snapshots())) {
      givenUp("the snapshot was removed meanwhile", none);
      return;
    }
    step(
        new Restore(
            newest,
            index,
            hold,
            new PastSnapshotTask(
                index,
                base,
                leader.past(newest),
                log,
                disk.chunks(),
                PastSnapshotTask.Records.NONE,
                memory,
                host.nowNs())));
  }

  private record Restore(
      PastStates.Newest newest, long index, SnapshotHold hold, PastSnapshotTask task) {}

  private void step(Restore restore) {
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () -> {
          try {
            if (restore.task.step()) {
              step(restore);
            } else {
              compared(restore);
            }
          } catch (UserError
              | IOException
              | ChunkStoreException
              | PageUnreadableException
              | IndexOutOfBoundsException e) {
            givenUp(String.valueOf(e.getMessage()), restore.hold);
          }
        });
  }

  /** The state is stored. Asking for a chunk keeps it, if a collection is under way. */
  private void compared(Restore restore) throws IOException {
    PastStates.Two states = leader.past(restore.newest).both(restore.index, restore.newest.index());
    wish.checker().read(restore.index, states.first().root());
    WholeDifference difference =
        WholeDifference.of(states.second(), states.first(), Limits.NONE, disk.chunks()::contains);
    if (difference.lostFiles() > 0) {
      givenUp("content of entry " + restore.index + " is gone", restore.hold);
      return;
    }
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () ->
            host.execute(
                () ->
                    leader
                        .agent()
                        .restoreState(restore.task.result(), answer -> answered(restore, answer))));
  }

  private void answered(Restore restore, StateRestores.Answer answer) {
    restore.hold.end(leader.agent().snapshots());
    switch (answer) {
      case StateRestores.Answer.Refused(String why, _) -> {
        host.note("not everything is restored: " + why);
        end();
      }
      case StateRestores.Answer.Logged(long entry) -> {
        host.note("entry " + entry + " restores the state of entry " + restore.index);
        leader.whenDurable(entry, () -> done(entry, restore.index));
      }
    }
  }

  private void done(long entry, long index) {
    wish.checker().restoredAll(entry, index);
    disk.snapshots().count(SnapshotDisk.RESTORED_ALL);
    if (wish.log().restores().getFirst() <= index) {
      disk.snapshots().count(LeaderDisk.RESTORED_AGAIN);
    }
    end();
  }
}
