package io.hypersync.sim.net;

import io.hypersync.sim.world.Prng;
import io.hypersync.sim.world.Timeline;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The part of the simulated network that carries packets to all workers. Each worker loses packets
 * of its own, and hears nothing at all for some time. Packets come twice, late, damaged, and again
 * long after they were sent, also those of an earlier run of the leader.
 */
public final class SimGroup {
  /** One history in so many has a group. */
  private static final int GROUPS_ONE_IN = 3;

  private static final long FASTEST_NS = 50_000;
  private static final long SLOWEST_RATE = 2_000;
  private static final long FASTEST_RATE = 1 << 24;
  private static final int DAMAGED_ONE_IN = 300;
  private static final int DOUBLED_ONE_IN = 30;
  private static final int REPLAYED_ONE_IN = 30;
  private static final int KEPT = 200;
  private static final long SHORTEST_DEAF_NS = 100 * Timeline.MS;
  private static final long LONGEST_DEAF_NS = 6_000 * Timeline.MS;
  private static final List<Integer> LOSS_PERCENT = List.of(0, 0, 2, 10, 40);

  private final Timeline timeline;
  private final Prng prng;
  private final SimNetwork network;
  private final long slowestNs;
  private final boolean isOn;
  private final long bytesPerSecond;
  private final Map<WorkerEnd, GroupEnd> ears = new LinkedHashMap<>();

  /** What each worker, by name, loses. */
  private final Map<String, Integer> lossPercent = new LinkedHashMap<>();

  /** Until when each hears nothing. */
  private final Map<String, Long> deafUntilNs = new LinkedHashMap<>();

  private final ArrayDeque<GroupPacket> old = new ArrayDeque<>();
  private boolean isOver;
  private long epochs;

  /**
   * A group, or none: the first draw decides.
   *
   * @param slowestNs the longest delay of a packet
   */
  public SimGroup(Timeline timeline, Prng prng, SimNetwork network, long slowestNs) {
    this.timeline = timeline;
    this.prng = prng;
    this.network = network;
    this.slowestNs = slowestNs;
    this.isOn = prng.oneIn(GROUPS_ONE_IN);
    this.bytesPerSecond = prng.scale(SLOWEST_RATE, FASTEST_RATE);
  }

  /** Whether there is a group in this history. */
  public boolean isOn() {
    return isOn;
  }

  /** How much a leader may send. */
  public long bytesPerSecond() {
    return bytesPerSecond;
  }

  /** The name of another run of a leader. */
  public long nextEpoch() {
    epochs++;
    return epochs;
  }

  /** A worker begins to listen. */
  public void join(WorkerEnd worker, GroupEnd ear) {
    ears.put(worker, ear);
  }

  /** A worker does not listen any more. */
  public void leave(WorkerEnd worker) {
    ears.remove(worker);
  }

  /** From now on everybody hears everything. */
  public void end() {
    isOver = true;
  }

  /** Sends a packet to all that listen. */
  public void send(GroupPacket packet) {
    old.addLast(packet);
    if (old.size() > KEPT) {
      old.removeFirst();
    }
    for (Map.Entry<WorkerEnd, GroupEnd> ear : List.copyOf(ears.entrySet())) {
      send(ear.getKey(), ear.getValue(), packet);
      if (!isOver && prng.oneIn(REPLAYED_ONE_IN)) {
        deliver(ear.getKey(), ear.getValue(), prng.pick(new ArrayList<>(old)), false);
      }
    }
  }

  private void send(WorkerEnd worker, GroupEnd ear, GroupPacket packet) {
    if (!isOver && isLost(worker.id().name())) {
      return;
    }
    boolean isDamaged = !isOver && prng.oneIn(DAMAGED_ONE_IN);
    for (int copies = prng.oneIn(DOUBLED_ONE_IN) ? 2 : 1; copies > 0; copies--) {
      deliver(worker, ear, packet, isDamaged);
    }
  }

  private boolean isLost(String worker) {
    long now = timeline.monotonicNs();
    long deafUntil = deafUntilNs.computeIfAbsent(worker, _ -> now + deafNs());
    if (now - deafUntil > prng.scale(SHORTEST_DEAF_NS, LONGEST_DEAF_NS)) {
      deafUntilNs.put(worker, now + deafNs());
    }
    return now < deafUntil || prng.below(100) < lossPercent.computeIfAbsent(worker, _ -> loss());
  }

  private int loss() {
    return prng.pick(LOSS_PERCENT);
  }

  private long deafNs() {
    return prng.oneIn(2) ? 0 : prng.scale(SHORTEST_DEAF_NS, LONGEST_DEAF_NS);
  }

  private void deliver(WorkerEnd worker, GroupEnd ear, GroupPacket packet, boolean isDamaged) {
    worker
        .host()
        .after(
            prng.scale(FASTEST_NS, slowestNs),
            "",
            () -> {
              if (!network.isBlocked(worker, Direction.DOWN)) {
                ear.received(packet, isDamaged);
              }
            });
  }
}
