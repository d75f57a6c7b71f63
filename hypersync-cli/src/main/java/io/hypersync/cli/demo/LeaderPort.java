package io.hypersync.cli.demo;

import io.hypersync.cli.config.HostPort;
import io.hypersync.runtime.admin.UserError;
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
 * A reserved UDP port of 127.0.0.1 for a leader that may be stopped and started again. While it is
 * reserved, no program that asks for any free port gets it.
 *
 * <p>The port is outside the kernel's ephemeral range if one is free there: otherwise a worker that
 * looks for its leader could be given that leader's own port, and the leader could not listen
 * again. The TCP port of the same number stays bound until {@link #close}, so that two callers of
 * {@link #reserve}, in whatever processes, never get the same port.
 */
public final class LeaderPort implements Closeable {
  private static final Path EPHEMERAL = Path.of("/proc/sys/net/ipv4/ip_local_port_range");
  private static final String HOST = "127.0.0.1";

  /** Ports below belong to well-known services. */
  private static final int FIRST = 10_000;

  private static final int LAST = 65_535;

  private final ServerSocket reservation;

  private LeaderPort(ServerSocket reservation) {
    this.reservation = reservation;
  }

  /**
   * Reserves a port that is free now.
   *
   * @throws UserError if there is none
   * @throws IOException if no socket can be made, or the ephemeral range cannot be read
   */
  public static LeaderPort reserve() throws IOException {
    // Read by lines, which takes one large read: the kernel ends this file after the first read.
    String[] range = Files.readAllLines(EPHEMERAL).getFirst().split("\\s+", -1);
    return reserve(Integer.parseInt(range[0]), Integer.parseInt(range[1]));
  }

  /** The same with a given ephemeral range, both ends inclusive. */
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

  /**
   * All ports in random order, ephemeral ones last: they are used only if no other port is free.
   */
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

  /** Returns the address that the leader listens on and workers connect to. */
  public HostPort address() {
    return new HostPort(HOST, reservation.getLocalPort());
  }

  @Override
  public void close() throws IOException {
    reservation.close();
  }
}
