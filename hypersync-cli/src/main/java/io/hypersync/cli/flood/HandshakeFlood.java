package io.hypersync.cli.flood;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.wire.pki.PkiException;
import io.hypersync.wire.pki.WorkspaceAuthority;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Sends first packets of handshakes, and now and then garbage, to a leader on this machine at a
 * steady rate, as an unauthenticated peer. What the leader does with them is in its status, {@code
 * handshakes}. Sends over the loopback interface only, from its own thread.
 */
public final class HandshakeFlood implements AutoCloseable {
  /** More than a leader keeps connections that are not established. */
  private static final int RECORDED = 400;

  private static final int GARBAGE_EVERY = 5;
  private static final int GARBAGE_BYTES = 1_300;
  private static final long TICK_NS = 1_000_000;
  private static final long NS_PER_S = 1_000_000_000;
  private static final long SEED = 24;

  /** RFC 9000 17.2: offset of the destination connection id's length; the id follows. */
  private static final int ID_LENGTH_OFFSET = 5;

  /** Which first packets are sent. */
  public enum Kind {
    /** The same few over and over, as from somebody who has observed workers connecting. */
    COPIES,
    /** Each with a new connection id, as from somebody who knows QUIC: no two are the same. */
    MADE_UP
  }

  private final Kind kind;
  private final List<byte[]> firstPackets;
  private final InetSocketAddress leader;
  private final int perSecond;
  private final DatagramSocket socket;
  private final Thread thread;
  private volatile boolean stopped;
  private final AtomicLong sent = new AtomicLong();

  private HandshakeFlood(Kind kind, List<byte[]> firstPackets, int port, int perSecond)
      throws IOException {
    this.kind = kind;
    this.firstPackets = firstPackets;
    this.leader = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
    this.perSecond = perSecond;
    this.socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    this.thread = Thread.ofPlatform().daemon().name("handshake-flood").unstarted(this::run);
  }

  /**
   * Records the packets to send, which takes a second or two.
   *
   * @param folder for a throw-away certificate authority; must not contain one
   */
  public static List<byte[]> record(Path folder) throws IOException, InterruptedException {
    WorkspaceId nobody = new WorkspaceId(SEED, SEED);
    try {
      return FirstPackets.record(
          RECORDED,
          WorkspaceAuthority.create(folder, nobody).issueWorker(new WorkerId("unauthenticated")),
          nobody);
    } catch (PkiException e) {
      throw new UserError("cannot make a certificate for the flood: " + e.getMessage(), "");
    }
  }

  /**
   * Starts sending.
   *
   * @param kind which first packets
   * @param firstPackets from {@link #record}
   * @param port of the leader, on this machine
   * @param perSecond packets per second
   */
  public static HandshakeFlood start(Kind kind, List<byte[]> firstPackets, int port, int perSecond)
      throws IOException {
    HandshakeFlood flood = new HandshakeFlood(kind, firstPackets, port, perSecond);
    flood.thread.start();
    return flood;
  }

  /** Returns how many packets have been sent. */
  public long sent() {
    return sent.get();
  }

  /** Stops sending; blocks until the thread has ended, for at most 10 s. */
  @Override
  public void close() {
    stopped = true;
    try {
      thread.join(TimeUnit.SECONDS.toMillis(10));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
    socket.close();
  }

  /**
   * Sends at the given rate. If the machine was too busy, at most the packets of 20 ms are made up
   * for, so that there is no burst.
   */
  private void run() {
    Random random = new Random(SEED);
    long beganNs = System.nanoTime();
    long due = 0;
    while (!stopped) {
      long now = (System.nanoTime() - beganNs) * perSecond / NS_PER_S;
      due = Math.max(due, now - perSecond / 50);
      while (due < now && !stopped) {
        send(packet(due, random));
        due++;
      }
      LockSupport.parkNanos(TICK_NS);
    }
  }

  private byte[] packet(long number, Random random) {
    if (number % GARBAGE_EVERY == 0) {
      byte[] garbage = new byte[random.nextInt(1, GARBAGE_BYTES)];
      random.nextBytes(garbage);
      return garbage;
    }
    byte[] recorded = firstPackets.get(random.nextInt(firstPackets.size()));
    return switch (kind) {
      case COPIES -> recorded;
      case MADE_UP -> withFreshId(recorded, random);
    };
  }

  /**
   * Replaces the connection id. The payload cannot be decrypted any more, which a leader notices
   * only if it starts a handshake.
   */
  private static byte[] withFreshId(byte[] recorded, Random random) {
    byte[] packet = recorded.clone();
    byte[] id = new byte[packet[ID_LENGTH_OFFSET]];
    random.nextBytes(id);
    System.arraycopy(id, 0, packet, ID_LENGTH_OFFSET + 1, id.length);
    return packet;
  }

  private void send(byte[] packet) {
    try {
      socket.send(new DatagramPacket(packet, packet.length, leader));
      sent.incrementAndGet();
    } catch (IOException e) {
      LockSupport.parkNanos(TICK_NS); // the socket's buffer is full, or no process listens
    }
  }
}
