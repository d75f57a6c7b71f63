package io.hypersync.sim.net;

import io.hypersync.model.id.WorkerId;
import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The simulated network: delays, lost packets, broken connections, partitions.
 *
 * <p>It stands for QUIC over UDP. Datagrams may be lost, duplicated and reordered, but a stream
 * delivers every byte once and in order. So a lost packet is a delay of one stream here, streams
 * overtake one another, and messages of an old connection may arrive among those of a new one. A
 * duplicate message exists only if its sender has sent it again.
 */
public final class SimNetwork {
  private static final long FASTEST_NS = 50_000;
  private static final long CONNECT_TIMEOUT_NS = 500_000_000;

  /** Upper bound of the additional delay of a slow direction. */
  private static final long SLOW_NS = 400_000_000;

  /** Delay until the first retransmission of a lost packet. */
  private static final long FIRST_RESEND_NS = 25_000_000;

  private record Way(String worker, Direction direction) {}

  private final Timeline timeline;
  private final Prng prng;
  private final NetworkProfile networkProfile;
  private final SymbolFaults symbolFaults;
  private final Function<WorkerEnd, @Nullable LeaderEnd> leader;
  private final List<SimConnection> connections = new ArrayList<>();
  private final Set<Way> blocked = new HashSet<>();
  private final Set<Way> slow = new HashSet<>();

  /**
   * Creates a network without connections.
   *
   * @param leader the end that a worker finds under its leader's address; null while none is there
   */
  public SimNetwork(
      Timeline timeline,
      Prng prng,
      NetworkProfile networkProfile,
      SymbolFaults symbolFaults,
      Function<WorkerEnd, @Nullable LeaderEnd> leader) {
    this.timeline = timeline;
    this.prng = prng;
    this.networkProfile = networkProfile;
    this.symbolFaults = symbolFaults;
    this.leader = leader;
  }

  /**
   * Starts a connection attempt. Calls {@link WorkerEnd#linkUp} or {@link WorkerEnd#linkFailed}.
   *
   * @param stillWanted false once the worker has abandoned this attempt; then neither is called
   */
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
              LeaderEnd end = leader.apply(worker);
              if (end == null
                  || isBlocked(worker, Direction.UP)
                  || isBlocked(worker, Direction.DOWN)) {
                worker.host().after(noticeNs(), "", () -> giveUp(worker, stillWanted));
                return;
              }
              SimConnection connection = new SimConnection(this, prng.split(), worker, end);
              connections.removeIf(SimConnection::isOver);
              connections.add(connection);
              connection.open();
              worker.host().after(CONNECT_TIMEOUT_NS, "", () -> giveUp(worker, stillWanted));
            });
  }

  /** Breaks all connections of this worker. */
  public void breakConnections(WorkerEnd worker) {
    for (SimConnection connection : connections) {
      if (connection.worker().equals(worker)) {
        connection.breakDown();
      }
    }
  }

  /** The worker process has crashed; its connections end. */
  public void crashed(WorkerEnd worker) {
    connections.stream()
        .filter(connection -> connection.worker().equals(worker))
        .forEach(SimConnection::endCrashed);
    forgetDead();
  }

  /** The leader process has crashed; its connections end. */
  public void crashed(LeaderEnd end) {
    connections.stream()
        .filter(connection -> connection.leader().equals(end))
        .forEach(SimConnection::endCrashed);
    forgetDead();
  }

  /** Blocks this direction between the worker and the leader; messages wait. */
  public void block(WorkerId worker, Direction direction) {
    blocked.add(new Way(worker.name(), direction));
  }

  /** Makes this direction between the worker and the leader slow, or normal again. */
  public void slow(WorkerId worker, Direction direction, boolean now) {
    if (now) {
      slow.add(new Way(worker.name(), direction));
    } else {
      slow.remove(new Way(worker.name(), direction));
    }
  }

  /**
   * Unblocks the direction: messages that waited arrive now, unless an end has closed meanwhile.
   */
  public void heal(WorkerId worker, Direction direction) {
    blocked.remove(new Way(worker.name(), direction));
    for (SimConnection connection : connections) {
      if (connection.worker().id().equals(worker)) {
        connection.healed(direction);
      }
    }
  }

  /** Whether the direction is blocked. */
  public boolean isBlocked(WorkerEnd worker, Direction direction) {
    return !blocked.isEmpty() && blocked.contains(new Way(worker.id().name(), direction));
  }

  long nowNs() {
    return timeline.monotonicNs();
  }

  /**
   * Delay of one message, in nanoseconds. Each retransmission doubles the retransmission timeout.
   */
  long delayNs(WorkerEnd worker, Direction direction) {
    long delayNs = prng.scale(FASTEST_NS, networkProfile.slowestNs(direction));
    if (!slow.isEmpty() && slow.contains(new Way(worker.id().name(), direction))) {
      delayNs += prng.scale(FASTEST_NS, SLOW_NS);
    }
    long resendNs = FIRST_RESEND_NS;
    while (networkProfile.lossPercent() > 0 && prng.below(100) < networkProfile.lossPercent()) {
      delayNs += resendNs;
      resendNs *= 2;
    }
    return delayNs;
  }

  /** What else may go wrong with symbols. */
  SymbolFaults symbolFaults() {
    return symbolFaults;
  }

  /** How many in a hundred datagrams are lost. */
  int datagramLossPercent() {
    return networkProfile.lossPercent();
  }

  boolean isDatagramLost(Prng draws) {
    return draws.below(100) < networkProfile.lossPercent();
  }

  /** Time until an end notices that the other end is gone, in nanoseconds. */
  long noticeNs() {
    return prng.scale(FASTEST_NS, networkProfile.latestNoticeNs());
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
