package io.hypersync.sim;

import io.hypersync.cli.standby.MirroredLog;
import io.hypersync.leader.lineage.DeposedException;
import io.hypersync.leader.lineage.Lineage;
import io.hypersync.leader.standby.StandbyFile;
import io.hypersync.leader.standby.StandbyLog;
import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.sim.check.LogChecker;
import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.LeaderDisk;
import io.hypersync.sim.disk.SimStandbyDisk;
import io.hypersync.sim.net.Direction;
import io.hypersync.sim.net.LeaderEnd;
import io.hypersync.sim.net.WorkerEnd;
import io.hypersync.sim.node.SimLeader;
import io.hypersync.sim.node.SimPromotion;
import io.hypersync.sim.node.SimWorker;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import io.hypersync.wire.message.SeenState;
import io.hypersync.worker.port.EntryMirror;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A second host with a standby, and the operator of both: when the leader is gone, the standby is
 * promoted if it is complete, and else the leader is started again. The host of the leader before
 * comes back with its disk, and finds out that it was deposed, or begins as the next standby with
 * an empty one. If a worker has seen more than the new leader has, the operator rewinds, and starts
 * the workers again that are refused then.
 */
final class Failover {
  /** A standby was promoted that had all entries of the leader. */
  static final String WHOLE = "failover: takeovers that lose nothing";

  /** A standby was promoted that lacked the last entries. */
  static final String BEHIND = "failover: takeovers of a standby that is behind";

  /** An acknowledged call was in such an entry. */
  static final String LOST = "failover: acknowledged calls that are lost with the leader's disk";

  /** A worker has found out, and so has its operator. */
  static final String REWOUND = "failover: leaders that lack what a worker has seen";

  /** A standby was not complete. */
  static final String REFUSED = "failover: standbys that are not complete";

  /** A crash came before the last step of a promotion. */
  static final String CUT = "failover: promotions that a crash ends";

  /** The leader before has come back, and has heard of its successor. */
  static final String DEPOSED = "failover: leaders that hear that they are deposed";

  /** A standby has begun with a snapshot. */
  static final String LATE_LOG = "failover: takeovers with a log that begins late";

  private static final String NAME = "s1";
  private static final WorkerId STANDBY = new WorkerId(NAME);
  private static final long RESTART_NS = 50 * Timeline.MS;
  private static final long SHORTEST_REIGN_NS = 100 * Timeline.MS;
  private static final long LONGEST_REIGN_NS = 6_000 * Timeline.MS;
  private static final long LONGEST_OUTAGE_NS = 1_500 * Timeline.MS;
  private static final long LONGEST_AWAY_NS = 2_000 * Timeline.MS;
  private static final long DEPOSED_NS = 3_000 * Timeline.MS;
  private static final long TRY_NS = 100 * Timeline.MS;
  private static final int MOST_TRIES = 20;
  private static final int POWER_LOST_ONE_IN = 2;
  private static final int CUT_ONE_IN = 8;

  /** A worker tries the address of a leader before in so many cases, if there is one. */
  private static final int OTHER_ADDRESS_ONE_IN = 3;

  private record Term(long lineage, long number) {}

  private final Cluster cluster;
  private final Timeline timeline;
  private final Prng prng;
  private final Map<Term, LeaderDisk> terms = new HashMap<>();
  private final Map<String, Long> counts = new TreeMap<>();
  private @Nullable LeaderDisk spare;
  private @Nullable SimWorker standby;
  private @Nullable StandbyLog mirrored;
  private @Nullable SimLeader deposed;
  private boolean isOver;
  private int rewinds;

  /** Begins with a standby whose disk is empty. */
  Failover(Cluster cluster, Timeline timeline, Prng prng) {
    this.cluster = cluster;
    this.timeline = timeline;
    this.prng = prng;
    for (String what : List.of(WHOLE, BEHIND, LOST, REWOUND, REFUSED, CUT, DEPOSED, LATE_LOG)) {
      counts.put(what, 0L);
    }
  }

  void begin() {
    begins(cluster.disk());
    emptyStandby();
    crashLater();
    disturbLater();
  }

  Map<String, Long> happened() {
    counts.put(LOST, cluster.recording().mutations().lostCount());
    return counts;
  }

  /** A leader begins on a disk: nobody else may have led in its term. */
  void begins(LeaderDisk disk) {
    Term term = new Term(disk.lineage().id(), disk.term().number());
    LeaderDisk before = terms.putIfAbsent(term, disk);
    Violation.unless(before == null || before == disk, "two disks are led in ", term);
  }

  /** Under which address a worker looks for its leader. */
  @Nullable LeaderEnd address(WorkerEnd worker) {
    SimLeader old = deposed;
    return old != null && !worker.id().equals(STANDBY) && prng.oneIn(OTHER_ADDRESS_ONE_IN)
        ? old
        : cluster.leader();
  }

  /** No more takeovers; the standby follows the leader that there is. */
  void end() {
    isOver = true;
    heal();
    if (deposed != null) {
      endDeposed();
    }
  }

  /** Whether the standby has all that the leader has. */
  boolean isAtRest() {
    SimWorker follower = standby;
    StandbyLog log = mirrored;
    return follower != null
        && log != null
        && follower.isLive()
        && log.syncedIndex() == cluster.recording().log().index();
  }

  String describe() {
    SimWorker follower = standby;
    StandbyLog log = mirrored;
    return follower == null || log == null
        ? "no standby"
        : "standby "
            + follower.agent().monitor().state()
            + " at "
            + follower.agent().visible().index()
            + " synced "
            + log.syncedIndex()
            + (follower.agent().hasAllChunks() ? "" : " without all chunks");
  }

  /**
   * Once all is at rest: the standby can lead, with the state of all, even if its host loses power
   * now; unless it says that it is not complete.
   */
  void checkAtRest() {
    LeaderDisk disk = spare;
    SimWorker follower = standby;
    if (disk == null || follower == null) {
      throw new IllegalStateException("no standby");
    }
    boolean isComplete = follower.agent().hasAllChunks();
    stopStandby(true);
    LogChecker log = cluster.recording().log();
    String refused = new SimPromotion(disk, cluster.workspace()).refused();
    Violation.unless(refused == null || !isComplete, "a standby at rest cannot lead: ", refused);
    Violation.unless(
        disk.durableLog().size() == log.index(),
        "a standby at rest has entry ",
        disk.durableLog().size(),
        " of ",
        log.index());
  }

  /** After each step. */
  void check() {
    SimWorker follower = standby;
    if (follower == null) {
      return;
    }
    follower.check();
    if (follower.endsNow()) {
      timeline.after(RESTART_NS, "the standby starts again", () -> restart(follower, false));
    } else if (follower.needsOperator() && follower.host().isAlive()) {
      ends(follower, "it needs an operator");
    }
  }

  private void restart(SimWorker ended, boolean powerLost) {
    if (standby == ended) {
      stopStandby(powerLost);
      start();
    }
  }

  private void emptyStandby() {
    spare = new LeaderDisk(prng.split());
    cluster.added(spare);
    start();
  }

  private void start() {
    LeaderDisk disk = spare;
    if (disk == null) {
      throw new IllegalStateException("no disk for a standby");
    }
    StandbyFile mark = disk.mark();
    if (mark == null) {
      mark = StandbyFile.before(cluster.workspace());
      disk.mark(mark);
    }
    StandbyFile known = mark;
    SimWorker[] self = new SimWorker[1];
    Consumer<UserError> failed = why -> timeline.after(0, "", () -> ends(self[0], why.message()));
    self[0] =
        cluster.newStandby(
            STANDBY,
            disk.snapshots(),
            host -> {
              SimStandbyDisk kept =
                  new SimStandbyDisk(
                      disk,
                      host,
                      prng.split(),
                      cluster.slowestSyncNs(),
                      count -> cluster.recording().log().first(count));
              mirrored = StandbyLog.on(kept, known, failed);
              EntryMirror mirror = new MirroredLog(mirrored);
              return mirror;
            },
            failed);
    standby = self[0];
  }

  /** The operator begins another standby in an empty folder. */
  private void ends(@Nullable SimWorker ended, String why) {
    if (ended != null && standby == ended) {
      timeline.note("the standby ends: " + why);
      stopStandby(false);
      timeline.after(
          RESTART_NS,
          "a standby begins",
          () -> {
            if (standby == null && spare != null) {
              emptyStandby();
            }
          });
    }
  }

  private void stopStandby(boolean powerLost) {
    SimWorker gone = standby;
    LeaderDisk disk = spare;
    if (gone != null && disk != null) {
      standby = null;
      mirrored = null;
      gone.host().crash();
      cluster.network().crashed(gone);
      cluster.group().leave(gone);
      cluster.recording().open().abandoned(NAME);
      disk.crash(powerLost);
    }
  }

  private void crashLater() {
    timeline.after(
        prng.scale(SHORTEST_REIGN_NS, LONGEST_REIGN_NS),
        "",
        () -> {
          if (isOver) {
            return;
          }
          if (cluster.leader() != null && standby != null) {
            boolean powerLost = prng.oneIn(POWER_LOST_ONE_IN);
            timeline.note("failover: the leader " + (powerLost ? "loses power" : "is killed"));
            cluster.crashLeader(powerLost);
            timeline.after(
                prng.scale(Timeline.MS, LONGEST_OUTAGE_NS), "the operator comes", this::promote);
          }
          crashLater();
        });
  }

  private void disturbLater() {
    timeline.after(
        prng.scale(SHORTEST_REIGN_NS, LONGEST_REIGN_NS),
        "",
        () -> {
          if (isOver) {
            return;
          }
          if (standby != null && prng.oneIn(2)) {
            timeline.note("failover: the standby crashes and starts again");
            restart(standby, prng.oneIn(POWER_LOST_ONE_IN));
          } else {
            timeline.note("failover: the standby is cut off");
            for (Direction way : Direction.values()) {
              cluster.network().block(STANDBY, way);
            }
            timeline.after(prng.scale(Timeline.MS, LONGEST_AWAY_NS), "", this::heal);
          }
          disturbLater();
        });
  }

  private void heal() {
    for (Direction way : Direction.values()) {
      cluster.network().heal(STANDBY, way);
    }
  }

  private void promote() {
    LeaderDisk disk = spare;
    if (isOver || cluster.leader() != null || standby == null || disk == null || deposed != null) {
      cluster.startLeader();
      return;
    }
    stopStandby(prng.oneIn(POWER_LOST_ONE_IN));
    SimPromotion promotion = new SimPromotion(disk, cluster.workspace());
    String refused = promotion.refused();
    boolean isCut = refused == null && prng.oneIn(CUT_ONE_IN);
    if (refused != null || isCut) {
      if (isCut) {
        promotion.takeOver(true);
      }
      timeline.note("not promoted: " + (refused == null ? "a crash comes between" : refused));
      counts.merge(isCut ? CUT : REFUSED, 1L, Long::sum);
      start();
      cluster.startLeader();
      return;
    }
    promotion.takeOver(false);
    LogChecker before = cluster.recording().log();
    LogChecker next = before.takenOver(disk.durableLog());
    counts.merge(next.index() == before.index() ? WHOLE : BEHIND, 1L, Long::sum);
    if (disk.firstIndex() > 1) {
      counts.merge(LATE_LOG, 1L, Long::sum);
    }
    timeline.note(
        "failover: the standby leads with entry " + next.index() + " of " + before.index());
    LeaderDisk old = cluster.disk();
    spare = null;
    cluster.lead(disk, next);
    timeline.after(
        prng.scale(Timeline.MS, LONGEST_AWAY_NS),
        "",
        () -> comesBack(old, before, prng.below(MOST_TRIES)));
  }

  /** All workers know of the successor, or the old host stays away until its disk is emptied. */
  private void comesBack(LeaderDisk old, LogChecker judge, int tries) {
    boolean isKnown = true;
    for (int i = 0; i < Cluster.WORKERS; i++) {
      SeenState seen = cluster.worker(i).agent().seen();
      isKnown &=
          seen.lineage() == cluster.disk().lineage().id()
              && seen.term() == cluster.disk().term().number();
    }
    boolean isOfOneLineage = old.lineage().id() == cluster.disk().lineage().id();
    if (isOver || !isOfOneLineage || tries == 0) {
      rejoin();
      return;
    }
    if (!isKnown || cluster.leader() == null) {
      timeline.after(TRY_NS, "", () -> comesBack(old, judge, tries - 1));
      return;
    }
    timeline.note("failover: the leader before comes back");
    SimLeader back = cluster.apart(old, judge.apart(old.durableLog()), _ -> endDeposed());
    if (back == null) {
      rejoin();
      return;
    }
    back.deposed();
    back.onOutdated(
        why -> {
          Violation.unless(why instanceof DeposedException, "it ends by ", why);
          counts.merge(DEPOSED, 1L, Long::sum);
          endDeposed();
        });
    deposed = back;
    timeline.after(
        DEPOSED_NS,
        "",
        () -> {
          if (deposed == back) {
            endDeposed();
          }
        });
  }

  private void endDeposed() {
    SimLeader old = deposed;
    if (old != null) {
      deposed = null;
      timeline.note("failover: the leader before ends");
      old.crash(false);
      cluster.network().crashed(old);
      rejoin();
    }
  }

  private void rejoin() {
    if (standby == null) {
      emptyStandby();
    }
  }

  /** A worker has seen what the leader does not have: the operator goes on without that. */
  void outdated(RuntimeException why) {
    String message = String.valueOf(why.getMessage());
    timeline.note("the leader ends: " + message);
    counts.merge(REWOUND, 1L, Long::sum);
    cluster.crashLeader(false);
    if (message.contains("does not know")) {
      cluster.forgetSeen(message.split(" ", 3)[1]);
    } else {
      LeaderDisk disk = cluster.disk();
      Lineage lineage = disk.lineage();
      rewinds++;
      disk.lineage(
          lineage.rewound(prng.nextLong() | 1, disk.durableLog().size(), 0, "rewind " + rewinds));
    }
    timeline.after(RESTART_NS, "the leader starts", cluster::startLeader);
  }
}
