package io.hypersync.wire.quic;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Arrays;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Relays datagrams between one worker and the leader until it is cut; then neither receives
 * anything. Each datagram can be delayed, as if the hosts were busy.
 */
final class CutRelay implements AutoCloseable {
  private static final int MAX_DATAGRAM = 65_535;

  private final DatagramSocket socket;
  private final InetSocketAddress leader;
  private final long delayMs;
  private final ScheduledExecutorService later =
      Executors.newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().factory());
  private volatile boolean cut;

  CutRelay(InetSocketAddress leader) throws IOException {
    this(leader, 0);
  }

  CutRelay(InetSocketAddress leader, long delayMs) throws IOException {
    this.leader = leader;
    this.delayMs = delayMs;
    socket = new DatagramSocket(Loopback.ANY_PORT);
    var _ = Thread.ofPlatform().daemon().name("relay").start(this::pass);
  }

  InetSocketAddress address() {
    return new InetSocketAddress(InetAddress.getLoopbackAddress(), socket.getLocalPort());
  }

  void cut() {
    cut = true;
  }

  private void pass() {
    byte[] buffer = new byte[MAX_DATAGRAM];
    @Nullable SocketAddress worker = null;
    try {
      while (true) {
        DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
        socket.receive(packet);
        boolean fromLeader = packet.getSocketAddress().equals(leader);
        if (!fromLeader) {
          worker = packet.getSocketAddress();
        }
        SocketAddress target = fromLeader ? worker : leader;
        if (!cut && target != null) {
          byte[] bytes = Arrays.copyOf(packet.getData(), packet.getLength());
          DatagramPacket copy = new DatagramPacket(bytes, bytes.length, target);
          var _ = later.schedule(() -> send(copy), delayMs, TimeUnit.MILLISECONDS);
        }
      }
    } catch (IOException e) {
      // The socket is closed: the test is over.
    }
  }

  private void send(DatagramPacket packet) {
    try {
      socket.send(packet);
    } catch (IOException e) {
      // The socket is closed: the test is over.
    }
  }

  @Override
  public void close() {
    later.shutdownNow();
    socket.close();
  }
}
