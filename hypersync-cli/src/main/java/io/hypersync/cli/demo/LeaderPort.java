package io.hypersync.cli.demo;

import io.hypersync.cli.config.HostPort;
import io.hypersync.wire.admin.UserError;
import java.io.Closeable;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * A UDP port of 127.0.0.1 for a leader that may be ended and started again: nobody who asks for any
 * port gets it meanwhile.
 *
 * <p>It is none that the kernel gives away by itself, if there is one beside those: else a worker
 * that looks for its leader could get that leader's own port, and the leader could not listen
 * again. And the TCP port of the same number is held until this is closed: so two that look for
 * such a port, in whatever processes, never find the same one.
 */
public final class LeaderPort implements Closeable {
  private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final String HOST = "127.0.0.1";

  /** Those below are of well-known services. */
  private static final int FIRST = 10_000;

  private static final int LAST = 65_535;

  private final ServerSocket reservation;

  private LeaderPort(ServerSocket reservation) {
    this.reservation = reservation;
  }

  /**
   * A port that is free now, and stays so for a leader.
   *
   * @throws UserError if there is none
   * @throws IOException if no socket can be made, or the kernel's own ports cannot be read
   */
  public static LeaderPort reserve() throws IOException {
    // Line by line, so with one large read: the kernel ends such a file after the first.
    String[] range = Files.readAllLines(EPHEMERAL).getFirst().split("\\s+", -1);
    return reserve(Integer.parseInt(range[0]), Integer.parseInt(range[1]));
  }

  /** The same where the kernel gives these ports away, both ends included. */
  static LeaderPort reserve(int ephemeralFirst, int ephemeralLast) throws IOException {
    InetAddress loopback = InetAddress.ofLiteral(HOST);
    for (int port : candidates(ephemeralFirst, ephemeralLast)) {
      ServerSocket reservation = new ServerSocket();
      InetSocketAddress address = new InetSocketAddress(loopback, port);
      try {
        reservation.bind(address);
        new DatagramSocket(address).close();
        return new LeaderPort(reservation);
      } catch (BindException taken) {
        reservation.close();
      } catch (IOException noSocket) {
        reservation.close();
        throw noSocket;
      }
    }
    throw new UserError(
        "no UDP port of " + HOST + " from " + FIRST + " on is free", "What has them: ss -ulnp");
  }

  /** In any order, but the kernel's own last: where nearly all are its own they have to do. */
  private static List<Integer> candidates(int ephemeralFirst, int ephemeralLast) {
    List<Integer> reserved = new ArrayList<>();
    List<Integer> givenAway = new ArrayList<>();
    for (int port = FIRST; port <= LAST; port++) {
      boolean ephemeral = port >= ephemeralFirst && port <= ephemeralLast;
      (ephemeral ? givenAway : reserved).add(port);
    }
    Collections.shuffle(reserved);
    Collections.shuffle(givenAway);
    reserved.addAll(givenAway);
    return reserved;
  }

  /** Where the leader is to listen, and where workers find it. */
  public HostPort address() {
    return new HostPort(HOST, reservation.getLocalPort());
  }

  /** Lets others have it. */
  @Override
  public void close() throws IOException {
    reservation.close();
  }
}
