package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Chance;
import io.hypersync.sim.world.Timeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Delays, lost packets, connections that break, partitions.
 *
 * <p>It stands for QUIC and what is below: UDP datagrams may be lost, doubled and overtake one
 * another, but a stream has every byte once and in order. So a lost packet is a delay of one stream
 * here, streams overtake one another, and messages of an old connection arrive among those of the
 * new one; what arrives twice is what its sender has sent again.
 */
public final class SimNetwork {
  private static final long FASTEST_NS = 50_000;
  private static final long CONNECT_TIMEOUT_NS = 500_000_000;

  /** What a slow way adds. */
  private static final long SLOW_NS = 400_000_000;

  /** When a lost packet is sent again for the first time. */
  private static final long FIRST_RESEND_NS = 25_000_000;

  private record Way(String worker, Direction direction) {}

  private final Timeline timeline;
  private final Chance chance;
  private final Weather weather;
  private final Supplier<@Nullable LeaderEnd> leader;
  private final List<SimConnection> connections = new ArrayList<>();
  private final Set<Way> blocked = new HashSet<>();
  private final Set<Way> slow = new HashSet<>();

  /**
   * A network without connections.
   *
   * @param leader who can be connected to now, if anybody
   */
  public SimNetwork(
      Timeline timeline, Chance chance, Weather weather, Supplier<@Nullable LeaderEnd> leader) {
    this.timeline = timeline;
    this.chance = chance;
    this.weather = weather;
    this.leader = leader;
  }

  /** Starts an attempt; the worker is told how it went, unless it gives up before. */
  public void connect(WorkerEnd worker, Supplier<Boolean> stillWanted) {
    worker
        .host()
        .after(
            delayNs(worker, Direction.UP) + delayNs(worker, Direction.DOWN),
            "",
            () -> {
              if (!stillWanted.get()) {
                return;
              }
              LeaderEnd end = leader.get();
              if (end == null
                  || isBlocked(worker, Direction.UP)
                  || isBlocked(worker, Direction.DOWN)) {
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

  /** Nothing gets through any more between this worker and the leader in that direction. */
  public void block(WorkerId worker, Direction direction) {
    blocked.add(new Way(worker.name(), direction));
  }

  /** What goes that way takes much longer from now on, or as long as ever. */
  public void slow(WorkerId worker, Direction direction, boolean now) {
    if (now) {
      slow.add(new Way(worker.name(), direction));
    } else {
      slow.remove(new Way(worker.name(), direction));
    }
  }

  /** It does again: what was on the way arrives now, unless an end has given up meanwhile. */
  public void heal(WorkerId worker, Direction direction) {
    blocked.remove(new Way(worker.name(), direction));
    for (SimConnection connection : connections) {
      if (connection.worker().id().equals(worker)) {
        connection.healed(direction);
      }
    }
  }

  /** Whether nothing gets through that way. */
  public boolean isBlocked(WorkerEnd worker, Direction direction) {
    return !blocked.isEmpty() && blocked.contains(new Way(worker.id().name(), direction));
  }

  long nowNs() {
    return timeline.monotonicNs();
  }

  /** How long a message is on its way; every loss is noticed after twice the time of the last. */
  long delayNs(WorkerEnd worker, Direction direction) {
    long delayNs = chance.scale(FASTEST_NS, weather.slowestNs(direction));
    if (!slow.isEmpty() && slow.contains(new Way(worker.id().name(), direction))) {
      delayNs += chance.scale(FASTEST_NS, SLOW_NS);
    }
    long resendNs = FIRST_RESEND_NS;
    while (weather.lossPercent() > 0 && chance.below(100) < weather.lossPercent()) {
      delayNs += resendNs;
      resendNs *= 2;
    }
    return delayNs;
  }

  /** After how long an end finds out that the other one is gone. */
  long noticeNs() {
    return chance.scale(FASTEST_NS, weather.latestNoticeNs());
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
