package io.hypersync.wire.quic;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.admission.HandshakeCounts;
import io.hypersync.wire.admission.HandshakeLimits;
import io.hypersync.wire.codec.SampleMessages;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.function.Predicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** How the leader treats unauthenticated peers. */
@Tag("slow")
class UnauthenticatedPeersTest {
  private static final HandshakeLimits DEFAULTS = HandshakeLimits.defaults();
  private static final int MAX_DATAGRAM = 65_535;

  /** An idle timeout so long that no connection is given up on a busy host. */
  private static final QuicOptions PATIENT =
      QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(30));

  @TempDir Path dir;

  /** With this limit every address must be proven first, as in a flood. */
  @Test
  void aWorkerProvesItsAddressWithoutAWord() throws Exception {
    QuicOptions options = PATIENT.withHandshakes(unproven(0));
    try (Loopback net = new Loopback(dir, options)) {
      Loopback.Joined worker = net.join("w1");
      net.assertAlive(worker, 1);
      HandshakeCounts counts = counts(net);
      assertTrue(counts.asked() >= 1, counts::toString);
      assertEquals(1, counts.begun(), counts::toString);
      assertEquals(1, counts.opened(), counts::toString);
      assertEquals(0, counts.badTokens() + counts.refused(), counts::toString);
    }
  }

  @Test
  void aWorkerThatComesAloneIsLetInAtOnce() throws Exception {
    try (Loopback net = new Loopback(dir, PATIENT)) {
      Loopback.Joined worker = net.join("w1");
      net.assertAlive(worker, 1);
      assertEquals(new HandshakeCounts(1, 1, 0, 0, 0, 0, 0), counts(net));
    }
  }

  /** Many copies of one initial packet begin one handshake, which is given up. */
  @Test
  void whoseHandshakeDoesNotEndIsNotKept() throws Exception {
    QuicOptions options = QuicOptions.defaults().withIdleTimeout(Duration.ofSeconds(4));
    try (WarnLines log = new WarnLines();
        Loopback net = new Loopback(dir, options);
        DatagramSocket peer = new DatagramSocket(Loopback.ANY_PORT)) {
      byte[] first = firstPacket(net);
      for (int i = 0; i < 20; i++) {
        send(peer, net, first);
      }
      HandshakeCounts counts = await(net, c -> c.failed() >= 1);
      assertEquals(new HandshakeCounts(1, 0, 1, 0, 0, 0, 0), counts);
      log.assertOne("WARN connection from", "its handshake did not end within 3000 ms");
    }
  }

  @Test
  void whatNoWorkerSendsIsNotAnswered() throws Exception {
    try (Loopback net = new Loopback(dir, PATIENT);
        DatagramSocket peer = new DatagramSocket(Loopback.ANY_PORT)) {
      byte[] otherVersion = new byte[1_200];
      otherVersion[0] = (byte) 0xc0;
      Arrays.fill(otherVersion, 1, 5, (byte) 0x1a);
      send(peer, net, otherVersion);
      byte[] tooShort = Arrays.copyOf(firstPacket(net), 1_199);
      send(peer, net, tooShort);
      await(net, counts -> counts.stray() == 2);
      Loopback.Joined worker = net.join("w1");
      net.assertAlive(worker, 1);
      assertEquals(new HandshakeCounts(1, 1, 0, 0, 0, 0, 2), counts(net));
    }
  }

  @Test
  void aTokenOfNobodyBeginsNothing() throws Exception {
    try (Loopback net = new Loopback(dir, PATIENT);
        DatagramSocket peer = new DatagramSocket(Loopback.ANY_PORT)) {
      send(peer, net, withToken(firstPacket(net), new byte[40]));
      HandshakeCounts counts = await(net, c -> c.badTokens() == 1);
      assertEquals(new HandshakeCounts(0, 0, 0, 0, 0, 1, 0), counts);
    }
  }

  private static HandshakeLimits unproven(int unopened) {
    return new HandshakeLimits(
        unopened,
        DEFAULTS.unprovenPerSecond(),
        DEFAULTS.unprovenBurst(),
        DEFAULTS.perSecond(),
        DEFAULTS.burst(),
        DEFAULTS.perSourcePerSecond(),
        DEFAULTS.perSourceBurst(),
        DEFAULTS.maxSources(),
        DEFAULTS.retriesPerSecond(),
        DEFAULTS.retriesBurst(),
        DEFAULTS.tokenLifeMs());
  }

  /** The initial packet that a worker sends to a leader that does not answer. */
  private static byte[] firstPacket(Loopback net) throws Exception {
    try (DatagramSocket mute = new DatagramSocket(Loopback.ANY_PORT)) {
      mute.setSoTimeout((int) RecordingListeners.PATIENCE_MS);
      QuicWorkerClient client =
          net.client(
              net.authority.issueWorker(new WorkerId("victim")),
              SampleMessages.WORKSPACE,
              new RecordingListeners.Worker());
      InetSocketAddress there = (InetSocketAddress) mute.getLocalSocketAddress();
      RecordingListeners.run(client.executor(), () -> client.connect(there));
      DatagramPacket packet = new DatagramPacket(new byte[MAX_DATAGRAM], MAX_DATAGRAM);
      mute.receive(packet);
      RecordingListeners.run(client.executor(), client::disconnect);
      return Arrays.copyOf(packet.getData(), packet.getLength());
    }
  }

  /**
   * The same initial packet with a token (RFC 9000 17.2.2), whose length is the one byte before it.
   */
  private static byte[] withToken(byte[] first, byte[] token) {
    int at = 6 + first[5]; // after the destination connection id
    at += 1 + first[at]; // after the source connection id
    assertEquals(0, first[at], "it brings no token");
    byte[] result = new byte[first.length + token.length];
    System.arraycopy(first, 0, result, 0, at);
    result[at] = (byte) token.length;
    System.arraycopy(token, 0, result, at + 1, token.length);
    System.arraycopy(first, at + 1, result, at + 1 + token.length, first.length - at - 1);
    return result;
  }

  private static void send(DatagramSocket peer, Loopback net, byte[] bytes) throws Exception {
    peer.send(new DatagramPacket(bytes, bytes.length, net.server.localAddress()));
  }

  private static HandshakeCounts counts(Loopback net) throws InterruptedException {
    return RecordingListeners.on(net.server.executor(), net.server::handshakes);
  }

  private static HandshakeCounts await(Loopback net, Predicate<HandshakeCounts> condition)
      throws InterruptedException {
    long deadlineNs = System.nanoTime() + RecordingListeners.PATIENCE_MS * 1_000_000;
    HandshakeCounts counts = counts(net);
    while (!condition.test(counts)) {
      HandshakeCounts last = counts;
      assertTrue(System.nanoTime() - deadlineNs < 0, () -> "still " + last);
      Thread.sleep(5);
      counts = counts(net);
    }
    return counts;
  }
}
