package io.hypersync.sim.node;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.leader.history.PastSnapshotTask;
import io.hypersync.leader.history.PastStates;
import io.hypersync.leader.oplog.OpLog;
import io.hypersync.leader.past.PastHolds;
import io.hypersync.leader.port.HeldState;
import io.hypersync.leader.port.PastPort;
import io.hypersync.leader.snapshot.SnapshotHold;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.trie.PageCache;
import io.hypersync.model.trie.PageUnreadableException;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.PastChecker;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.snapshot.Snapshot;
import io.hypersync.wire.message.WorkerMessage.PastStateRequest;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Somebody who mounts random states of the past and lets them go, and the thread of the leader that
 * stores them, with anything between two of its steps. The worker that asks is one that is never
 * connected: its messages do not pass the network.
 */
public final class SimPasts {
  /** How long a state is held that nobody asks for. */
  static final long AWAY_NS = 2_000 * Timeline.MS;

  private static final WorkerId WORKER = new WorkerId("past");
  private static final ClientId RUN = new ClientId(7, 7);
  private static final long OFTEN_NS = 5 * Timeline.MS;
  private static final long SELDOM_NS = 200 * Timeline.MS;
  private static final long SHORT_NS = 10_000;
  private static final long LONG_NS = 200 * Timeline.MS;
  private static final int NEAR = 60;
  private static final int MOST = 6;

  private final SimLeader leader;
  private final LeaderDisk disk;
  private final OpLog log;
  private final WorkspaceId workspace;
  private final PageCache memory;
  private final Host host;
  private final Prng prng;
  private final Wish wish;
  private final ArrayDeque<Runnable> work = new ArrayDeque<>();
  private boolean isBusy;
  private long requests;

  /**
   * Whether states are mounted in a history.
   *
   * @param prng of its own, so that histories without them do not change
   * @param wants whether another one may be mounted
   */
  public record Wish(Prng prng, PastChecker checker, Supplier<Boolean> wants) {}

  /** The port of a leader whose parts are being made. */
  record Port(Supplier<SimPasts> pasts) implements PastPort {
    @Override
    public void make(String moment) {
      pasts.get().enqueue(() -> pasts.get().make(Long.parseLong(moment)));
    }

    @Override
    public void remove(long index) {
      pasts.get().enqueue(() -> pasts.get().remove(index));
    }
  }

  SimPasts(
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

  /** After a start of the leader: somebody comes, sooner or later, or never. */
  void begin() {
    if (!wish.wants().get()) {
      return;
    }
    disk.snapshots().knownPast().forEach(_ -> disk.snapshots().count(SnapshotDisk.HELD_ON));
    host.after(
        prng.scale(OFTEN_NS, 2 * AWAY_NS),
        "",
        () ->
            host.execute(
                () -> {
                  holds().established(WORKER, RUN, host.nowNs());
                  for (Snapshot known : disk.snapshots().knownPast()) {
                    if (!prng.oneIn(4)) {
                      ask(known.index());
                    }
                  }
                }));
    later();
  }

  private PastHolds holds() {
    return leader.agent().pasts();
  }

  private void ask(long index) {
    requests++;
    holds().requested(WORKER, new PastStateRequest(requests, Long.toString(index)));
  }

  private void later() {
    host.after(
        prng.scale(OFTEN_NS, SELDOM_NS),
        "",
        () -> {
          look();
          if (wish.wants().get()) {
            host.execute(this::mountOrUnmount);
          }
          later();
        });
  }

  private void look() {
    if (disk.chunks().rotted() == 0) {
      wish.checker().look(disk.chunks());
    }
  }

  private void mountOrUnmount() {
    List<HeldState> held = holds().held();
    if (held.size() >= MOST || (!held.isEmpty() && prng.oneIn(3))) {
      long index = prng.pick(held).snapshot().index();
      host.note("nobody looks at entry " + index + " any more");
      holds().released(WORKER, index);
      return;
    }
    long newest = log.durableIndex();
    if (newest > 0) {
      long low = prng.oneIn(2) ? Math.max(1, newest - NEAR) : 1;
      ask(prng.between(low, newest));
    }
  }

  /** The thread does one thing after the other. */
  private void enqueue(Runnable task) {
    work.add(task);
    next();
  }

  private void next() {
    Runnable task = isBusy ? null : work.poll();
    if (task != null) {
      isBusy = true;
      host.after(prng.scale(SHORT_NS, LONG_NS), "", task);
    }
  }

  private void answer(Consumer<PastHolds> answer) {
    host.execute(() -> answer.accept(holds()));
    isBusy = false;
    next();
  }

  private void remove(long index) {
    try {
      look();
      wish.checker().removed(index);
      disk.snapshots().past().remove(index);
      answer(holds -> holds.removed(index));
    } catch (IOException e) {
      throw new IllegalStateException(e);
    }
  }

  private void make(long index) {
    PastStates.Newest newest = leader.newest();
    leader.whenDurable(newest.index(), () -> make(index, newest));
  }

  private void make(long index, PastStates.Newest newest) {
    for (Snapshot known : disk.snapshots().knownPast()) {
      if (known.index() == index) {
        answer(holds -> holds.made(known, host.nowNs()));
        return;
      }
    }
    Snapshot base = null;
    SnapshotHold hold = new SnapshotHold(0);
    for (Snapshot snapshot : newest.snapshots().reversed()) {
      if (snapshot.index() <= index) {
        SnapshotHold wanted = new SnapshotHold(snapshot.index());
        if (!wanted.begin(leader.agent().snapshots())) {
          answer(holds -> holds.failed("the snapshot was removed meanwhile", ""));
          return;
        }
        base = snapshot;
        hold = wanted;
        break;
      }
    }
    PastStates past = leader.past(newest);
    step(
        new PastSnapshotTask(
            index,
            base,
            past,
            log,
            disk.chunks(),
            disk.snapshots().past()::put,
            memory,
            host.nowNs()),
        hold);
  }

  private void step(PastSnapshotTask task, SnapshotHold hold) {
    host.after(
        prng.scale(SHORT_NS, LONG_NS),
        "",
        () -> {
          try {
            if (task.step()) {
              step(task, hold);
              return;
            }
            stored(task.result());
            host.execute(() -> hold.end(leader.agent().snapshots()));
          } catch (UserError
              | IOException
              | ChunkStoreException
              | PageUnreadableException
              | IndexOutOfBoundsException e) {
            host.note("no state of the past: " + e.getMessage());
            host.execute(() -> hold.end(leader.agent().snapshots()));
            answer(holds -> holds.failed(String.valueOf(e.getMessage()), ""));
          }
        });
  }

  private void stored(Snapshot snapshot) {
    if (disk.chunks().rotted() == 0) {
      wish.checker()
          .stored(
              snapshot.index(),
              snapshot.manifest(),
              workspace,
              disk.chunks(),
              leader.rootOf(snapshot.index()));
    }
    disk.snapshots().count(SnapshotDisk.HELD);
    answer(holds -> holds.made(snapshot, host.nowNs()));
  }
}
