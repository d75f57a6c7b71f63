package io.hypersync.sim;

import io.hypersync.sim.net.Direction;
import io.hypersync.sim.node.SimLeader;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.util.List;

/** Injects random faults and repairs each one after a while (hypersync.md 22.3). */
final class Faults {
  private static final long SHORTEST_NS = 10 * Timeline.MS;
  private static final long LONGEST_PARTITION_NS = 8_000 * Timeline.MS;
  private static final long LONGEST_OUTAGE_NS = 3_000 * Timeline.MS;
  private static final long LONGEST_FULL_NS = 500 * Timeline.MS;

  private static final List<Direction> DIRECTIONS = List.of(Direction.values());

  private final Cluster cluster;
  private final Timeline timeline;
  private final Prng prng;
  private final long meanNs;
  private final List<FaultKind> kinds;
  private final long[] nextPauseNs = new long[Cluster.WORKERS];
  private boolean over;
  private long count;

  Faults(Cluster cluster, Timeline timeline, Prng prng, SwarmOptions swarmOptions) {
    this.cluster = cluster;
    this.timeline = timeline;
    this.prng = prng;
    this.meanNs = swarmOptions.meanFaultNs();
    this.kinds = swarmOptions.faults();
    if (meanNs != Long.MAX_VALUE) {
      scheduleNext();
    }
  }

  long count() {
    return count;
  }

  /** Ends fault injection and repairs everything that is broken. */
  void end() {
    over = true;
    timeline.note("faults end");
    cluster.disk().logFull(false);
    cluster.disk().writesFail(false);
    cluster.disk().nextSyncFails(false);
    cluster.disk().chunks().nextSyncFails(false);
    cluster.disk().repair();
    cluster.disk().chunks().full(false);
    cluster.startLeader();
    for (int i = 0; i < Cluster.WORKERS; i++) {
      for (Direction way : DIRECTIONS) {
        cluster.network().heal(cluster.worker(i).id(), way);
        cluster.network().slow(cluster.worker(i).id(), way, false);
      }
      cluster.store(i).full(false);
      cluster.store(i).repair();
    }
    cluster.restartStuckWorkers();
  }

  private void scheduleNext() {
    timeline.after(
        prng.scale(Math.max(1, meanNs / 10), 3 * meanNs),
        "",
        () -> {
          if (!over) {
            count++;
            injectFault();
            scheduleNext();
          }
        });
  }

  private void injectFault() {
    int worker = prng.below(Cluster.WORKERS);
    switch (prng.pick(kinds)) {
      case BREAK -> breakConnections(worker);
      case PARTITION -> partition(worker);
      case ONE_WAY_PARTITION -> block(worker, prng.pick(DIRECTIONS));
      case SLOW_WAY -> slow(worker, prng.pick(DIRECTIONS));
      case TOTAL_PARTITION -> {
        partition(0);
        partition(1);
      }
      case LEADER_CRASH -> crashLeader();
      case WORKER_CRASH -> crashWorker(worker);
      case FULL_LOG -> fullLog();
      case LOG_EIO -> writesFail();
      case LOG_SYNC_FAILS -> {
        timeline.note("fault: the next sync of the log fails");
        cluster.disk().nextSyncFails(true);
      }
      case CHUNK_SYNC_FAILS -> {
        timeline.note("fault: the next sync of the leader's chunks fails");
        cluster.disk().chunks().nextSyncFails(true);
      }
      case LOG_ROT -> rotLog();
      case CHUNK_ROT -> rotChunk();
      case WORKER_ROT -> rotChunk(worker);
      case FULL_CHUNKS -> fullChunks();
      case FULL_WORKER -> fullWorker(worker);
      case WORKER_PAUSE -> pause(worker);
      case LEADER_PAUSE -> pauseLeader();
      case CLOCK_JUMP -> {
        timeline.note("fault: the wall clock jumps");
        timeline.skewEpoch(prng.between(-5_000, 5_000) * Timeline.MS);
      }
    }
  }

  private void breakConnections(int worker) {
    timeline.note("fault: the connections of worker " + (worker + 1) + " break");
    cluster.breakConnections(worker);
  }

  private void partition(int worker) {
    long ns = prng.scale(SHORTEST_NS, LONGEST_PARTITION_NS);
    timeline.note("fault: worker " + (worker + 1) + " is cut off for " + ns / Timeline.MS + " ms");
    DIRECTIONS.forEach(way -> cluster.network().block(cluster.worker(worker).id(), way));
    timeline.after(
        ns,
        "worker " + (worker + 1) + " is no longer cut off",
        () -> DIRECTIONS.forEach(way -> cluster.network().heal(cluster.worker(worker).id(), way)));
  }

  private void block(int worker, Direction way) {
    long ns = prng.scale(SHORTEST_NS, LONGEST_PARTITION_NS);
    String what = "between worker " + (worker + 1) + " and the leader goes " + way;
    timeline.note("fault: nothing " + what + " for " + ns / Timeline.MS + " ms");
    cluster.network().block(cluster.worker(worker).id(), way);
    timeline.after(
        ns, "all " + what, () -> cluster.network().heal(cluster.worker(worker).id(), way));
  }

  private void slow(int worker, Direction way) {
    long ns = prng.scale(SHORTEST_NS, LONGEST_PARTITION_NS);
    String what = "between worker " + (worker + 1) + " and the leader what goes " + way;
    timeline.note("fault: " + what + " takes long for " + ns / Timeline.MS + " ms");
    cluster.network().slow(cluster.worker(worker).id(), way, true);
    timeline.after(
        ns,
        what + " is fast again",
        () -> cluster.network().slow(cluster.worker(worker).id(), way, false));
  }

  private void crashLeader() {
    boolean powerLost = prng.oneIn(2);
    timeline.note("fault: the leader " + (powerLost ? "loses power" : "is killed"));
    cluster.crashLeader(powerLost);
    timeline.after(
        prng.scale(SHORTEST_NS, LONGEST_OUTAGE_NS), "the leader starts", cluster::startLeader);
  }

  /** One in the leader's process ends with that. */
  private void crashWorker(int worker) {
    if (cluster.isBesideLeader(worker)) {
      crashLeader();
      return;
    }
    timeline.note("fault: worker " + (worker + 1) + " crashes and starts again");
    cluster.crashWorker(worker, prng.oneIn(2));
  }

  private void fullLog() {
    timeline.note("fault: the log's disk is full");
    cluster.disk().logFull(true);
    timeline.after(
        prng.scale(SHORTEST_NS, LONGEST_FULL_NS),
        "the log's disk has room",
        () -> cluster.disk().logFull(false));
  }

  private void writesFail() {
    timeline.note("fault: writes to the log fail");
    cluster.disk().writesFail(true);
    timeline.after(
        prng.scale(SHORTEST_NS, LONGEST_FULL_NS),
        "the log can be written",
        () -> cluster.disk().writesFail(false));
  }

  /**
   * In half of the cases the leader has to recover from the damaged log; otherwise the damage is
   * found when a worker asks for the entry.
   */
  private void rotLog() {
    if (cluster.disk().rotLog()) {
      timeline.note("fault: a bit of the log turns over");
      if (prng.oneIn(2)) {
        crashLeader();
      }
    }
  }

  private void rotChunk() {
    if (cluster.disk().chunks().rot(prng)) {
      timeline.note("fault: a chunk of the leader rots");
      timeline.after(
          prng.scale(SHORTEST_NS, LONGEST_OUTAGE_NS),
          "the leader's chunks are restored",
          () -> {
            cluster.disk().chunks().repair();
            cluster.restartStuckWorkers();
          });
    }
  }

  private void rotChunk(int worker) {
    if (cluster.store(worker).rot(prng)) {
      timeline.note("fault: a chunk of worker " + (worker + 1) + " rots");
      timeline.after(
          prng.scale(SHORTEST_NS, LONGEST_OUTAGE_NS),
          "the chunks of worker " + (worker + 1) + " are restored",
          () -> cluster.store(worker).repair());
    }
  }

  private void fullChunks() {
    timeline.note("fault: the leader's chunk disk is full");
    cluster.disk().chunks().full(true);
    timeline.after(
        prng.scale(SHORTEST_NS, LONGEST_FULL_NS),
        "the leader's chunk disk has room",
        () -> cluster.disk().chunks().full(false));
  }

  /**
   * Pauses a worker, but at most once within the longest time of a mutation: otherwise pauses alone
   * could make a call miss its deadline.
   */
  private void pause(int worker) {
    long now = timeline.monotonicNs();
    if (now < nextPauseNs[worker]) {
      return;
    }
    nextPauseNs[worker] = now + SwarmOptions.longestMutationNs();
    long ns = prng.scale(SHORTEST_NS, SwarmOptions.LONGEST_PAUSE_NS);
    timeline.note(
        "fault: worker " + (worker + 1) + " stands still for " + ns / Timeline.MS + " ms");
    cluster.pauseWorker(worker, ns);
  }

  private void pauseLeader() {
    if (cluster.isBesideLeader(0)) {
      pause(0);
      return;
    }
    SimLeader leader = cluster.leader();
    if (leader != null) {
      long ns = prng.scale(SHORTEST_NS, SwarmOptions.LONGEST_PAUSE_NS);
      timeline.note("fault: the leader stands still for " + ns / Timeline.MS + " ms");
      leader.host().pause(ns);
    }
  }

  private void fullWorker(int worker) {
    timeline.note("fault: the chunk disk of worker " + (worker + 1) + " is full");
    cluster.store(worker).full(true);
    timeline.after(
        prng.scale(SHORTEST_NS, LONGEST_FULL_NS),
        "the chunk disk of worker " + (worker + 1) + " has room",
        () -> {
          cluster.store(worker).full(false);
          cluster.restartStuckWorkers();
        });
  }
}
