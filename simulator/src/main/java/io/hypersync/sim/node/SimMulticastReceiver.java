package io.hypersync.sim.node;

import io.hypersync.sim.check.Violation;
import io.hypersync.sim.disk.SnapshotDisk;
import io.hypersync.sim.net.GroupEnd;
import io.hypersync.sim.net.GroupPacket;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.multicast.ReplayWindow;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The worker's ear: what the thread does that hears packets, and what is never to come twice. */
final class SimMulticastReceiver implements GroupEnd {
  private final SimWorker worker;
  private final SimGroup network;
  private final SnapshotDisk disk;
  private final Set<Long> taken = new HashSet<>();
  private ReplayWindow window = new ReplayWindow();
  private @Nullable MulticastGroup group;
  private long epoch;
  private long received;
  private long rejected;

  SimMulticastReceiver(SimWorker worker, SimGroup network, SnapshotDisk disk) {
    this.worker = worker;
    this.network = network;
    this.disk = disk;
  }

  void join(MulticastGroup told) {
    if (told.epoch() != epoch) {
      epoch = told.epoch();
      window = new ReplayWindow();
      received = 0;
      rejected = 0;
      taken.clear();
    }
    group = told;
    network.join(worker, this);
  }

  void leave() {
    group = null;
    network.leave(worker);
  }

  @Override
  public void received(GroupPacket packet, boolean isDamaged) {
    if (group == null) {
      return;
    }
    if (packet.epoch() != epoch || isDamaged || !window.isNew(packet.number())) {
      rejected++;
      disk.count(SnapshotDisk.UNHEARD);
      return;
    }
    window.add(packet.number());
    received++;
    disk.count(SnapshotDisk.HEARD);
    if (!taken.add(packet.number())) {
      throw new Violation("packet " + packet.number() + " is taken for the second time");
    }
    MulticastHeard counts = new MulticastHeard(epoch, window.newest(), received, rejected);
    ChunkSymbol symbol = packet.symbol();
    worker
        .host()
        .execute(
            () -> {
              if (group != null && group.epoch() == counts.epoch()) {
                if (symbol != null) {
                  worker.take(symbol);
                }
                worker.agent().heard(counts);
              }
            });
  }
}
