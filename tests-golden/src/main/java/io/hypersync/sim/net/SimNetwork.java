package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Chance;
import io.hypersync.sim.world.Timeline;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Delays, connections that break, partitions. */
public final class SimNetwork {
  private static final long FASTEST_NS = 50_000;
  private static final long CONNECT_TIMEOUT_NS = 500_000_000;

  private final Timeline timeline;
  private final Chance chance;
  private final long slowestNs;
  private final long latestNoticeNs;
  private final Supplier<@Nullable LeaderEnd> leader;
  private final List<SimConnection> connections = new ArrayList<>();
  private final Set<String> partitioned = new TreeSet<>();

  /**
   * A network without connections.
   *
   * @param slowestNs the longest delay of a message; short ones are as likely
   * @param latestNoticeNs the longest time until an end notices that its connection is gone
   * @param leader who can be connected to now, if anybody
   */
  public SimNetwork(
      Timeline timeline,
      Chance chance,
      long slowestNs,
      long latestNoticeNs,
      Supplier<@Nullable LeaderEnd> leader) {
    this.timeline = timeline;
    this.chance = chance;
    this.slowestNs = slowestNs;
    this.latestNoticeNs = latestNoticeNs;
    this.leader = leader;
  }

  /** Starts an attempt; the worker is told how it went, unless it gives up before. */
  public void connect(WorkerEnd worker, Supplier<Boolean> stillWanted) {
    worker
        .host()
        .after(
            delayNs() + delayNs(),
            "",
            () -> {
              if (!stillWanted.get()) {
                return;
              }
              LeaderEnd end = leader.get();
              if (end == null || isPartitioned(worker)) {
                worker.host().after(noticeNs(), "", () -> giveUp(worker, stillWanted));
                return;
              }
              SimConnection connection = new SimConnection(this, chance.split(), worker, end);
              connections.removeIf(SimConnection::isOver);
              connections.add(connection);
              connection.open();
              worker.host().after(CONNECT_TIMEOUT_NS, "", () -> giveUp(worker, stillWanted));
            });
  }

  /** Breaks one of the connections of this worker, if it has any. */
  public void breakConnections(WorkerEnd worker) {
    for (SimConnection connection : connections) {
      if (connection.worker().equals(worker)) {
        connection.breakDown();
      }
    }
  }

  /** A process has crashed; its connections end. */
  public void crashed(WorkerEnd worker) {
    connections.stream()
        .filter(connection -> connection.worker().equals(worker))
        .forEach(SimConnection::endCrashed);
    forgetDead();
  }

  /** The leader has crashed; its connections end. */
  public void crashed(LeaderEnd end) {
    connections.stream()
        .filter(connection -> connection.leader().equals(end))
        .forEach(SimConnection::endCrashed);
    forgetDead();
  }

  /** Nothing gets through between this worker and the leader any more. */
  public void partition(WorkerId worker) {
    partitioned.add(worker.name());
  }

  /** It does again: what was on the way arrives now, unless an end has given up meanwhile. */
  public void heal(WorkerId worker) {
    partitioned.remove(worker.name());
    for (SimConnection connection : connections) {
      if (connection.worker().id().equals(worker)) {
        connection.healed();
      }
    }
  }

  /** Whether nothing gets through. */
  public boolean isPartitioned(WorkerEnd worker) {
    return partitioned.contains(worker.id().name());
  }

  long nowNs() {
    return timeline.monotonicNs();
  }

  long delayNs() {
    return chance.scale(FASTEST_NS, slowestNs);
  }

  /** After how long an end finds out that the other one is gone. */
  long noticeNs() {
    return chance.scale(FASTEST_NS, latestNoticeNs);
  }

  private static void giveUp(WorkerEnd worker, Supplier<Boolean> stillWanted) {
    if (stillWanted.get()) {
      worker.linkFailed();
    }
  }

  private void forgetDead() {
    connections.removeIf(
        connection ->
            !connection.worker().host().isAlive() || !connection.leader().host().isAlive());
  }
}
