package io.hypersync.sim.node;

import io.hypersync.leader.dataplane.BlockEncoder;
import io.hypersync.leader.dataplane.DataPlaneSettings;
import io.hypersync.leader.dataplane.MulticastStatus;
import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.sim.check.DataPlaneChecker;
import io.hypersync.sim.net.GroupPacket;
import io.hypersync.sim.net.SimGroup;
import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.multicast.MulticastPackets;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Numbers the packets that go to all, and judges how many there are. */
final class SimMulticastSender implements MulticastPort {
  private static final int MAX_SYMBOL_BYTES = 64;
  private static final long FASTEST_NS = 20_000;
  private static final long SLOWEST_NS = 5_000_000;

  private final SimGroup network;
  private final BlockEncoder encoder;
  private final BlockEncoder.Source source;
  private final Host host;
  private final Prng prng;
  private final DataPlaneSettings settings;
  private final Supplier<@Nullable MulticastStatus> status;
  private final long startedNs;
  private final long epoch;
  private long number;
  private long sentBytes;

  SimMulticastSender(
      SimGroup network,
      BlockEncoder encoder,
      BlockEncoder.Source source,
      Host host,
      DataPlaneSettings settings,
      Supplier<@Nullable MulticastStatus> status) {
    this.network = network;
    this.encoder = encoder;
    this.source = source;
    this.host = host;
    this.settings = settings;
    this.status = status;
    this.startedNs = host.nowNs();
    this.epoch = network.isOn() ? network.nextEpoch() : 0;
    this.prng = new Prng(startedNs ^ epoch);
  }

  @Override
  public @Nullable MulticastGroup group() {
    return !network.isOn()
        ? null
        : new MulticastGroup(
            new byte[] {(byte) 239, 0, 0, 1}, 1, new byte[] {10, 0, 0, 1}, epoch, new byte[32]);
  }

  @Override
  public int maxSymbolBytes() {
    return MAX_SYMBOL_BYTES;
  }

  @Override
  public void sendSymbols(ChunkRef chunk, int symbolBytes, int repair, Sent then) {
    MulticastStatus now = status.get();
    if (now != null) {
      DataPlaneChecker.sendingToAll(settings, now, sentBytes, host.nowNs() - startedNs);
    }
    int symbolCount = (chunk.length() + symbolBytes - 1) / symbolBytes + repair;
    sentBytes += (long) symbolCount * (symbolBytes + MulticastPackets.OVERHEAD_BYTES);
    host.after(
        prng.scale(FASTEST_NS, SLOWEST_NS),
        "",
        () -> {
          List<byte[]> symbols = encoder.symbols(chunk.hash(), symbolBytes, repair, source);
          for (int id = 0; id < symbols.size(); id++) {
            send(
                new ChunkSymbol(
                    ChunkSymbol.TO_ALL,
                    chunk.hash(),
                    chunk.length(),
                    symbolBytes,
                    id,
                    symbols.get(id)));
          }
          host.execute(() -> then.sent(symbols.size(), chunk.length()));
        });
  }

  @Override
  public void beacon() {
    host.after(prng.scale(FASTEST_NS, SLOWEST_NS), "", () -> send(null));
  }

  private void send(@Nullable ChunkSymbol symbol) {
    number++;
    network.send(new GroupPacket(epoch, number, symbol));
  }
}
