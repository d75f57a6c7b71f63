package io.hypersync.worker.daemon;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.text.HostPorts;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.multicast.MulticastPackets;
import io.hypersync.wire.multicast.PacketOpener;
import io.hypersync.worker.WorkerAgent;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what the leader sends to all workers, on a thread of its own, and hands symbols to the
 * agent through a bounded queue. Anybody on the network can send to the group: what is not the
 * leader's is counted and forgotten, and if it is too much the group is left for a while. That
 * costs only speed.
 */
final class MulticastReceiver {
  private static final Logger LOG = LoggerFactory.getLogger(MulticastReceiver.class);

  /** Linux gives less where {@code net.core.rmem_max} is lower. */
  private static final int BUFFER_BYTES = 4 << 20;

  /** Symbols that wait for the agent: 5 MiB of them. */
  private static final int MOST_WAITING = 4_096;

  /** More rejected packets in a second than this are a flood. */
  private static final int FLOOD = 10_000;

  private static final long SECOND_NS = 1_000_000_000L;
  private static final long AWAY_MS = 30_000;

  /** Least time between two log lines about packets of strangers. */
  private static final long TOLD_NS = 60 * SECOND_NS;

  private final Consumer<Consumer<WorkerAgent>> post;
  private final String interfaceName;

  /** Written by the one thread that listens. */
  private final AtomicLong heard = new AtomicLong();

  private final AtomicLong rejected = new AtomicLong();
  private final AtomicLong replayed = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong floods = new AtomicLong();

  /** Used on the agent's thread. */
  private @Nullable Listening listening;

  /** What is in use; kept when the connection ends, so that nothing is taken twice. */
  private @Nullable Opened opened;

  private volatile String where = "";
  private volatile String problem = "";

  /** The leader's packets of one key. */
  private static final class Opened {
    private final MulticastGroup group;
    private final PacketOpener opener;
    private long received;
    private long rejected;

    Opened(MulticastGroup group) {
      this.group = group;
      this.opener = new PacketOpener(group.epoch(), group.key());
    }

    boolean isFor(MulticastGroup other) {
      return group.epoch() == other.epoch() && Arrays.equals(group.key(), other.key());
    }
  }

  /**
   * Nothing is heard yet.
   *
   * @param post runs a call of the agent on its thread
   * @param interfaceName the interface to listen on; empty for the one that reaches the leader
   */
  MulticastReceiver(Consumer<Consumer<WorkerAgent>> post, String interfaceName) {
    this.post = post;
    this.interfaceName = interfaceName;
  }

  /** Begins to listen; on the agent's thread. */
  void join(MulticastGroup group, InetSocketAddress leader) {
    leave();
    Opened mine = opened;
    if (mine == null || !mine.isFor(group)) {
      mine = new Opened(group);
      opened = mine;
    }
    listening = new Listening(group, leader, mine);
    listening.thread.start();
  }

  /** Ends listening; on the agent's thread. Waits for the thread, which does not block. */
  void leave() {
    Listening last = listening;
    listening = null;
    if (last != null) {
      last.end();
    }
  }

  /** For reports; any thread. */
  ObjectNode status() {
    ObjectNode node = JsonNodeFactory.instance.objectNode();
    node.put("joined", !where.isEmpty());
    node.put("interface", where.isEmpty() ? null : where);
    node.put("problem", where.isEmpty() && !problem.isEmpty() ? problem : null);
    node.put("packets_heard", heard.get());
    node.put("packets_rejected", rejected.get());
    node.put("packets_replayed", replayed.get());
    node.put("symbols_dropped", dropped.get());
    node.put("floods", floods.get());
    return node;
  }

  /** From one connection's begin to its end. */
  private final class Listening {
    private final MulticastGroup group;
    private final InetSocketAddress leader;
    private final Opened packets;
    private final Queue<ChunkSymbol> waiting = new ArrayBlockingQueue<>(MOST_WAITING);
    private final AtomicBoolean isPosted = new AtomicBoolean();
    private final CountDownLatch ended = new CountDownLatch(1);
    private final Thread thread =
        Thread.ofPlatform().name("worker-multicast").daemon().unstarted(this::run);
    private final byte[] packet = new byte[MulticastPackets.MAX_BYTES_IPV4 + 1];
    private final ByteBuffer buffer = ByteBuffer.wrap(packet);
    private volatile @Nullable DatagramChannel channel;
    private long secondNs;
    private int rejectedInSecond;
    private @Nullable Long toldNs;

    /** What the agent is told; the last one is the newest. */
    private volatile @Nullable MulticastHeard counts;

    Listening(MulticastGroup group, InetSocketAddress leader, Opened packets) {
      this.group = group;
      this.leader = leader;
      this.packets = packets;
    }

    void end() {
      ended.countDown();
      close();
      try {
        thread.join();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
      }
    }

    private boolean isEnded() {
      return ended.getCount() == 0;
    }

    private void run() {
      while (!isEnded()) {
        try {
          open();
          listen();
        } catch (IOException | RuntimeException e) {
          if (isEnded()) {
            break;
          }
          String why = String.valueOf(e.getMessage());
          if (!why.equals(problem)) {
            problem = why;
            LOG.warn("no multicast packets are heard; chunks come one by one: {}", why);
          }
        } finally {
          where = "";
          close();
        }
        pause();
      }
    }

    private void pause() {
      try {
        boolean _ = ended.await(AWAY_MS, TimeUnit.MILLISECONDS);
      } catch (InterruptedException e) {
        ended.countDown(); // nobody interrupts it but who ends this process
      }
    }

    private void open() throws IOException {
      InetAddress address = InetAddress.getByAddress(group.group());
      NetworkInterface on = networkInterface();
      boolean isIpv4 = address instanceof Inet4Address;
      DatagramChannel open =
          DatagramChannel.open(isIpv4 ? StandardProtocolFamily.INET : StandardProtocolFamily.INET6);
      channel = open;
      open.setOption(StandardSocketOptions.SO_REUSEADDR, true) // other workers on this host
          .setOption(StandardSocketOptions.SO_RCVBUF, BUFFER_BYTES)
          .bind(new InetSocketAddress(address, group.port()));
      var _ = open.join(address, on, InetAddress.getByAddress(group.source()));
      if (isEnded()) {
        throw new IOException("ended meanwhile");
      }
      LOG.info(
          "listens to what the leader sends to all, {} on {}",
          HostPorts.numeric(new InetSocketAddress(address, group.port())),
          on.getName());
      where = on.getName();
      problem = "";
      secondNs = System.nanoTime();
      rejectedInSecond = 0;
    }

    private NetworkInterface networkInterface() throws IOException {
      if (!interfaceName.isEmpty()) {
        NetworkInterface named = NetworkInterface.getByName(interfaceName);
        if (named == null) {
          throw new IOException("there is no interface " + interfaceName);
        }
        return named;
      }
      try (DatagramChannel probe = DatagramChannel.open()) {
        probe.connect(leader); // sends nothing, and finds the way
        if (probe.getLocalAddress() instanceof InetSocketAddress local) {
          NetworkInterface found = NetworkInterface.getByInetAddress(local.getAddress());
          if (found != null) {
            return found;
          }
        }
      }
      throw new IOException("no interface is known that reaches the leader");
    }

    /** Returns after a flood, or when listening is to end. */
    private void listen() throws IOException {
      DatagramChannel open = channel;
      while (open != null && !isEnded()) {
        buffer.clear();
        var _ = open.receive(buffer);
        PacketOpener.Verdict verdict = packets.opener.open(packet, buffer.position());
        if (verdict.isTaken()) {
          taken();
        } else if (isFlood(verdict)) {
          floods.incrementAndGet();
          problem = "too many packets of strangers";
          LOG.warn(
              "{} packets of strangers came to the multicast group within a second; it is left for"
                  + " {} s, and chunks come one by one meanwhile",
              rejectedInSecond,
              AWAY_MS / 1_000);
          return;
        }
      }
    }

    private void taken() {
      heard.incrementAndGet();
      ChunkSymbol symbol = packets.opener.symbol();
      if (symbol == null || waiting.offer(symbol)) {
        packets.received++;
      } else {
        dropped.incrementAndGet(); // is told as lost: who cannot follow is left out
      }
      counts =
          new MulticastHeard(
              group.epoch(), packets.opener.newest(), packets.received, packets.rejected);
      if (isPosted.compareAndSet(false, true)) {
        post.accept(this::handOver);
      }
    }

    private boolean isFlood(PacketOpener.Verdict verdict) {
      packets.rejected++;
      (verdict == PacketOpener.Verdict.REPLAYED ? replayed : rejected).incrementAndGet();
      long now = System.nanoTime();
      if (now - secondNs >= SECOND_NS) {
        secondNs = now;
        rejectedInSecond = 0;
      }
      rejectedInSecond++;
      if (toldNs == null || now - toldNs >= TOLD_NS) {
        toldNs = now;
        LOG.info(
            "a packet in the multicast group is not taken ({}); others are counted in status",
            verdict);
      }
      return rejectedInSecond > FLOOD;
    }

    /** On the agent's thread. */
    private void handOver(WorkerAgent agent) {
      isPosted.set(false); // first: what comes from now on is handed over by another call
      if (listening != this) {
        return;
      }
      for (int i = 0; i < MOST_WAITING; i++) {
        ChunkSymbol symbol = waiting.poll();
        if (symbol == null) {
          break;
        }
        agent.received(symbol);
      }
      MulticastHeard newest = counts;
      if (newest != null) {
        agent.heard(newest);
      }
    }

    private void close() {
      DatagramChannel open = channel;
      channel = null;
      try {
        if (open != null) {
          open.close();
        }
      } catch (IOException e) {
        LOG.debug("a socket cannot be closed", e);
      }
    }
  }
}
