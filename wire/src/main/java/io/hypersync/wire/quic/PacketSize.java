package io.hypersync.wire.quic;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * How large the UDP payloads of a connection are. Between processes of one machine they can be ten
 * times as large as on a network, and cost little more each: a small write is one packet then
 * instead of four. The worker decides, knowing where its leader is, and QUIC's handshake tells the
 * leader (max_udp_payload_size, RFC 9000 18.2).
 *
 * @param bytes of one UDP payload at most
 */
record PacketSize(int bytes) {
  /** With its headers 1,280 bytes, the least that IPv6 allows; tunnels have little more. */
  static final PacketSize NETWORK = new PacketSize(1_232);

  /** The most that the QUIC library puts into a packet. */
  static final PacketSize LARGEST = new PacketSize(16_383);

  /** Of one datagram before it is cut into packets: IPv4's limit without the headers. */
  private static final int MAX_DATAGRAM_BYTES = 65_507;

  private static final int MAX_SEGMENTS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(PacketSize.class);

  /** What suits the way to this address. */
  static PacketSize towards(InetAddress peer) {
    return isThisMachine(peer) ? LARGEST : NETWORK;
  }

  /** What a worker takes that has said so; it may have said anything. */
  static PacketSize announced(long maxUdpPayloadSize) {
    return new PacketSize(Math.clamp(maxUdpPayloadSize, 1, LARGEST.bytes));
  }

  /** How many of them at most the kernel is handed as one datagram, for it to cut up. */
  int segments() {
    return Math.min(MAX_SEGMENTS, MAX_DATAGRAM_BYTES / bytes);
  }

  /** Whether packets to it go over the loopback interface. */
  private static boolean isThisMachine(InetAddress peer) {
    try {
      return peer.isLoopbackAddress() || NetworkInterface.getByInetAddress(peer) != null;
    } catch (SocketException e) {
      LOG.debug("cannot tell whether {} is this machine", peer, e);
      return false;
    }
  }
}
