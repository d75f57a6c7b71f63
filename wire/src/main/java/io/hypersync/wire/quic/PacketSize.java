package io.hypersync.wire.quic;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The size limit of a connection's UDP payloads. Within one host packets can be ten times as large
 * as on a network and cost little more each: a small write is then one packet instead of four. The
 * worker chooses, since it knows whether its leader is on the same host, and announces the size to
 * the leader in the handshake (max_udp_payload_size, RFC 9000 18.2).
 *
 * @param bytes the most bytes of one UDP payload
 */
record PacketSize(int bytes) {
  /** With headers 1,280 bytes, the least MTU that IPv6 allows; tunnels often offer little more. */
  static final PacketSize NETWORK = new PacketSize(1_232);

  /** The largest packet that the QUIC library makes. */
  static final PacketSize LARGEST = new PacketSize(16_383);

  /** Limit of a datagram before the kernel cuts it into packets: IPv4's limit less the headers. */
  private static final int MAX_DATAGRAM_BYTES = 65_507;

  private static final int MAX_SEGMENTS = 32;

  private static final Logger LOG = LoggerFactory.getLogger(PacketSize.class);

  /**
   * Makes packets within one host as small as on a network; for measurements through a relay that
   * stands for one.
   */
  private static final boolean ALWAYS_SMALL = Boolean.getBoolean("hypersync.quic.smallPackets");

  /** The size for packets to this address. */
  static PacketSize towards(InetAddress peer) {
    return isThisMachine(peer) && !ALWAYS_SMALL ? LARGEST : NETWORK;
  }

  /**
   * The size that a worker has announced, which can be any number, brought into the valid range.
   */
  static PacketSize announced(long maxUdpPayloadSize) {
    return new PacketSize(Math.clamp(maxUdpPayloadSize, 1, LARGEST.bytes));
  }

  /** The most packets that are handed to the kernel as one datagram for it to cut up. */
  int segments() {
    return Math.min(MAX_SEGMENTS, MAX_DATAGRAM_BYTES / bytes);
  }

  /** Whether packets to this address go over the loopback interface. */
  private static boolean isThisMachine(InetAddress peer) {
    try {
      return peer.isLoopbackAddress() || NetworkInterface.getByInetAddress(peer) != null;
    } catch (SocketException e) {
      LOG.debug("cannot tell whether {} is this machine", peer, e);
      return false;
    }
  }
}
