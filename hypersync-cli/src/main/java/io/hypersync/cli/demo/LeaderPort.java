package io.hypersync.cli.demo;

import java.io.Closeable;
import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ThreadLocalRandom;

/**
 * A UDP port of the loopback address for a leader that may be ended and started again: nobody else
 * has it meanwhile.
 *
 * <p>It is none that the kernel gives to whoever asks for any port: else a worker that looks for
 * its leader could get that leader's own port, and the leader could not listen again. And the TCP
 * port of the same number is held until this is closed: so two that look for such a port, in
 * whatever processes, never find the same one.
 */
public final class LeaderPort implements Closeable {
  private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final int FIRST = 10_000;
  private static final int END = 65_536;
  private static final int ATTEMPTS = 1_000;

  private final ServerSocket reservation;

  private LeaderPort(ServerSocket reservation) {
    this.reservation = reservation;
  }

  /**
   * A port that is free now, and stays so for a leader.
   *
   * @throws IOException if there is none
   */
  public static LeaderPort reserve() throws IOException {
    // Line by line, so with one large read: the kernel ends such a file after the first.
    String[] range = Files.readAllLines(EPHEMERAL).getFirst().split("\\s+", -1);
    int ephemeralFirst = Integer.parseInt(range[0]);
    int ephemeralLast = Integer.parseInt(range[1]);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      int port = ThreadLocalRandom.current().nextInt(FIRST, END);
      if (port >= ephemeralFirst && port <= ephemeralLast) {
        continue;
      }
      ServerSocket reservation = new ServerSocket();
      try {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        reservation.bind(address);
        new DatagramSocket(address).close();
        return new LeaderPort(reservation);
      } catch (IOException taken) {
        reservation.close();
      }
    }
    throw new IOException(
        "no free UDP port is left beside those that the kernel gives to anybody, "
            + ephemeralFirst
            + " to "
            + ephemeralLast
            + " (sysctl net.ipv4.ip_local_port_range)");
  }

  /** Its number. */
  public int number() {
    return reservation.getLocalPort();
  }

  /** Lets others have it. */
  @Override
  public void close() throws IOException {
    reservation.close();
  }
}
