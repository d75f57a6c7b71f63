package io.hypersync.leader.daemon;

import io.hypersync.leader.MulticastOptions;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.multicast.MulticastPackets;
import io.hypersync.wire.multicast.PacketSealer;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.DatagramChannel;
import java.security.SecureRandom;
import java.util.Collections;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Seals packets and sends them to the group, with a key of its own that exists as long as this
 * object. They do not leave the network. After the start it is used by one thread.
 */
final class MulticastSender implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(MulticastSender.class);
  private static final String SETTING = "hypersync.replication.multicast_interface";

  /** Least time between two log lines about packets that cannot be sent. */
  private static final long TOLD_NS = 60_000_000_000L;

  /**
   * Packets leave at most so many times as fast as the rate. The agent lets them go in bursts,
   * which would not fit into the sockets of workers.
   */
  private static final long PEAK = 2;

  /** It is not worth while to wait for less. */
  private static final long SHORTEST_PAUSE_NS = 200_000;

  private static final long SECOND_NS = 1_000_000_000;

  private final DatagramChannel channel;
  private final InetSocketAddress address;
  private final MulticastGroup group;
  private final PacketSealer sealer;
  private final byte[] packet = new byte[MulticastPackets.MAX_BYTES_IPV4];
  private final ByteBuffer buffer = ByteBuffer.wrap(packet);
  private final long bytesPerSecond;
  private @Nullable Long toldNs;

  /** When the next packet may leave. */
  private long nextNs = System.nanoTime();

  private MulticastSender(
      DatagramChannel channel,
      InetSocketAddress address,
      InetAddress source,
      long bytesPerSecond,
      SecureRandom random) {
    this.bytesPerSecond = bytesPerSecond;
    byte[] key = new byte[MulticastGroup.KEY_BYTES];
    random.nextBytes(key);
    long epoch = random.nextLong();
    this.channel = channel;
    this.address = address;
    this.group =
        new MulticastGroup(
            address.getAddress().getAddress(), address.getPort(), source.getAddress(), epoch, key);
    this.sealer = new PacketSealer(epoch, key);
  }

  /**
   * Opens a socket on the interface that the workers are behind.
   *
   * @param bindAddress where the leader listens; its interface is used unless another one is named
   * @param bytesPerSecond the most that is sent
   * @throws UserError if there is no such interface, or it cannot send to the group
   */
  static MulticastSender open(
      MulticastOptions options, InetAddress bindAddress, long bytesPerSecond) {
    NetworkInterface on = networkInterface(options, bindAddress);
    InetAddress source = source(options, bindAddress, on);
    boolean isIpv4 = source instanceof Inet4Address;
    DatagramChannel channel = null;
    try {
      channel =
          DatagramChannel.open(isIpv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
      channel
          .setOption(StandardSocketOptions.IP_MULTICAST_IF, on)
          .setOption(StandardSocketOptions.IP_MULTICAST_TTL, 1)
          .setOption(StandardSocketOptions.IP_MULTICAST_LOOP, true)
          .bind(new InetSocketAddress(source, 0));
      LOG.info("chunks for all workers go to {} on {}", options.group().getAddress(), on.getName());
      return new MulticastSender(
          channel, options.group(), source, bytesPerSecond, new SecureRandom());
    } catch (IOException e) {
      closeQuietly(channel);
      throw new UserError(
          "cannot send to the multicast group on " + on.getName() + ": " + e.getMessage(),
          "Name another interface: --set " + SETTING + "=<name>");
    }
  }

  private static NetworkInterface networkInterface(MulticastOptions options, InetAddress bind) {
    String name = options.networkInterface();
    try {
      NetworkInterface found =
          name.isEmpty()
              ? NetworkInterface.getByInetAddress(bind)
              : NetworkInterface.getByName(name);
      if (found != null) {
        return found;
      }
    } catch (IOException e) {
      LOG.debug("no interface is found", e);
    }
    throw new UserError(
        name.isEmpty()
            ? "no interface has the address " + bind.getHostAddress()
            : SETTING + ": there is no interface " + name,
        "Name the one that the workers are behind: --set " + SETTING + "=<name>");
  }

  /** The address on which the leader listens, or the first one of the interface. */
  private static InetAddress source(
      MulticastOptions options, InetAddress bind, NetworkInterface on) {
    boolean isIpv4 = options.group().getAddress() instanceof Inet4Address;
    if (!bind.isAnyLocalAddress() && bind instanceof Inet4Address == isIpv4) {
      for (InetAddress each : Collections.list(on.getInetAddresses())) {
        if (each.equals(bind)) {
          return each;
        }
      }
    }
    for (InetAddress each : Collections.list(on.getInetAddresses())) {
      if (each instanceof Inet4Address == isIpv4) {
        return each;
      }
    }
    throw new UserError(
        on.getName() + " has no address of the kind of the multicast group's",
        "Name another interface: --set " + SETTING + "=<name>");
  }

  /** What a worker needs to hear the packets. */
  MulticastGroup group() {
    return group;
  }

  /** The most bytes of a symbol in one packet. */
  int maxSymbolBytes() {
    int most =
        address.getAddress() instanceof Inet4Address
            ? MulticastPackets.MAX_BYTES_IPV4
            : MulticastPackets.MAX_BYTES_IPV6;
    return most - MulticastPackets.OVERHEAD_BYTES;
  }

  /**
   * Sends a packet; waits for its turn.
   *
   * @param symbol null for a beacon
   * @return its bytes; 0 if it cannot be sent
   */
  int send(@Nullable ChunkSymbol symbol) {
    if (!sealer.canSeal()) {
      tell("all packet numbers are used; the leader must be started again");
      return 0;
    }
    int length = sealer.seal(symbol, packet);
    pace(length);
    try {
      return channel.send(buffer.clear().limit(length), address);
    } catch (ClosedChannelException e) {
      return 0; // the leader stops
    } catch (IOException e) {
      tell(String.valueOf(e.getMessage()));
      return 0;
    }
  }

  private void pace(int bytes) {
    long now = System.nanoTime();
    if (nextNs - now >= SHORTEST_PAUSE_NS) {
      LockSupport.parkNanos(nextNs - now);
    }
    nextNs = Math.max(nextNs, now) + bytes * SECOND_NS / (PEAK * bytesPerSecond);
  }

  private void tell(String why) {
    long now = System.nanoTime();
    if (toldNs == null || now - toldNs >= TOLD_NS) {
      toldNs = now;
      LOG.warn("nothing is sent to the multicast group; workers get chunks one by one: {}", why);
    }
  }

  @Override
  public void close() {
    closeQuietly(channel);
  }

  private static void closeQuietly(@Nullable DatagramChannel channel) {
    try {
      if (channel != null) {
        channel.close();
      }
    } catch (IOException e) {
      LOG.debug("a socket cannot be closed", e);
    }
  }
}
