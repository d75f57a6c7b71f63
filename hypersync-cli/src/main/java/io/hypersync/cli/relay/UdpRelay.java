package io.hypersync.cli.relay;

import io.hypersync.cli.config.HostPort;
import io.hypersync.cli.relay.NetworkConditions.Direction;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.DatagramChannel;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The network between a worker and its leader: forwards UDP packets according to {@link
 * NetworkConditions}. The seed and the order of arrival determine which packets are lost.
 *
 * <p>One thread forwards all packets; the methods may be called from any thread.
 */
public final class UdpRelay implements AutoCloseable {
  private static final int MAX_DATAGRAM = 65_535;
  private static final int SOCKET_BYTES = 4 * 1024 * 1024;
  private static final long MS = 1_000_000;
  private static final long IDLE_NS = 1_000 * MS;
  private static final long SHORT_NS = MS / 10;

  /**
   * A worker uses a new port for each connection attempt; the least recently used ports are
   * dropped.
   */
  private static final int MAX_WAYS = 64;

  private final SplittableRandom random;
  private final InetSocketAddress leader;
  private final Selector selector = Selector.open();
  private final DatagramChannel front = DatagramChannel.open();
  private final Map<SocketAddress, Way> ways = new LinkedHashMap<>(16, 0.75f, true);
  private final PriorityQueue<Late> late =
      new PriorityQueue<>(Comparator.comparingLong(Late::dueNs).thenComparingLong(Late::order));
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(MAX_DATAGRAM);
  private final AtomicLong passed = new AtomicLong();
  private final AtomicLong dropped = new AtomicLong();
  private final AtomicLong doubled = new AtomicLong();
  private final AtomicLong delayed = new AtomicLong();
  private final AtomicLong bytesToWorkers = new AtomicLong();
  private final RandomLoss toLeader;
  private final RandomLoss toWorker;
  private long order;
  private final Thread thread;
  private volatile CurrentConditions current =
      new CurrentConditions(NetworkConditions.GOOD, System.nanoTime());
  private volatile @Nullable Throwable failure;
  private volatile boolean closed;

  /** The present conditions, and when they began. */
  private record CurrentConditions(NetworkConditions conditions, long sinceNs) {}

  /**
   * The path between one port of a worker and the leader; {@code socket} is what the leader sees as
   * the peer.
   */
  private record Way(SocketAddress worker, DatagramChannel socket) {}

  /** A packet that is to be sent later. */
  private record Late(long dueNs, long order, Direction direction, Way way, byte[] bytes) {}

  private UdpRelay(InetSocketAddress leader, long seed) throws IOException {
    this.leader = leader;
    this.random = new SplittableRandom(seed);
    this.toLeader = new RandomLoss(random);
    this.toWorker = new RandomLoss(random);
    front.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
    prepare(front, null);
    thread = Thread.ofPlatform().daemon().name("udp-relay").unstarted(this::run);
  }

  /** Starts a relay that forwards everything. */
  public static UdpRelay start(InetSocketAddress leader, long seed) throws IOException {
    UdpRelay relay = new UdpRelay(leader, seed);
    relay.thread.start();
    return relay;
  }

  /** The address at which workers reach the leader through the relay. */
  public HostPort address() throws IOException {
    return new HostPort("127.0.0.1", ((InetSocketAddress) front.getLocalAddress()).getPort());
  }

  /** Changes the conditions; returns the time of the change, by {@link System#nanoTime}. */
  public long become(NetworkConditions conditions) {
    long now = System.nanoTime();
    current = new CurrentConditions(conditions, now);
    return now;
  }

  /**
   * Counts of packets.
   *
   * @param passed packets that were forwarded; a duplicated one counts once
   * @param dropped packets that were not forwarded
   * @param disordered how many of the forwarded ones were delayed or duplicated
   */
  public record Fate(long passed, long dropped, long disordered) {
    public Fate since(Fate before) {
      return new Fate(
          passed - before.passed, dropped - before.dropped, disordered - before.disordered);
    }
  }

  /** The counts since the relay was started. */
  public Fate fate() {
    return new Fate(passed.get(), dropped.get(), delayed.get() + doubled.get());
  }

  @Override
  public String toString() {
    return "%d packets passed, %d were dropped, %d came late and %d twice"
        .formatted(passed.get(), dropped.get(), delayed.get(), doubled.get());
  }

  /**
   * Stops the relay.
   *
   * @throws IOException if it had stopped before because of a failure
   */
  @Override
  public void close() throws IOException {
    closed = true;
    selector.wakeup();
    try {
      thread.join();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
    for (Way way : ways.values()) {
      way.socket.close();
    }
    front.close();
    selector.close();
    if (failure != null) {
      throw new IOException("the relay had failed", failure);
    }
  }

  private void prepare(DatagramChannel socket, @Nullable Way way) throws IOException {
    socket.configureBlocking(false);
    socket.setOption(StandardSocketOptions.SO_RCVBUF, SOCKET_BYTES);
    socket.setOption(StandardSocketOptions.SO_SNDBUF, SOCKET_BYTES);
    socket.register(selector, SelectionKey.OP_READ, way);
  }

  private void run() {
    try {
      while (!closed) {
        awaitPackets();
        sendDue();
      }
    } catch (IOException | RuntimeException | Error broken) {
      failure = broken;
    }
  }

  /** A selector waits for whole milliseconds, and packets of a short path for less. */
  private void awaitPackets() throws IOException {
    Late next = late.peek();
    long waitNs = next == null ? IDLE_NS : next.dueNs - System.nanoTime();
    if (waitNs >= 2 * MS) {
      selector.select(this::readAll, TimeUnit.NANOSECONDS.toMillis(waitNs) - 1);
    } else if (selector.selectNow(this::readAll) == 0 && waitNs > 0) {
      LockSupport.parkNanos(Math.min(waitNs, SHORT_NS));
    }
  }

  private void readAll(SelectionKey key) {
    try {
      if (key.attachment() instanceof Way way) {
        readFromLeader(way);
      } else {
        readFromWorkers();
      }
    } catch (IOException broken) {
      throw new IllegalStateException("cannot pass packets", broken);
    }
  }

  private void readFromWorkers() throws IOException {
    while (true) {
      buffer.clear();
      SocketAddress worker = front.receive(buffer);
      if (worker == null) {
        return;
      }
      Way way = ways.get(worker);
      if (way == null) {
        way = open(worker);
      }
      pass(Direction.TO_LEADER, way);
    }
  }

  private void readFromLeader(Way way) throws IOException {
    while (way.socket.isOpen()) {
      buffer.clear();
      try {
        if (way.socket.read(buffer) < 0 || buffer.position() == 0) {
          return;
        }
      } catch (PortUnreachableException noLeader) {
        return; // the leader's process is gone; between hosts that would be silence, too
      }
      pass(Direction.TO_WORKER, way);
    }
  }

  private Way open(SocketAddress worker) throws IOException {
    if (ways.size() >= MAX_WAYS) {
      Way eldest = ways.values().iterator().next();
      ways.remove(eldest.worker);
      eldest.socket.close();
    }
    DatagramChannel socket = DatagramChannel.open();
    Way way = new Way(worker, socket);
    socket.connect(leader);
    prepare(socket, way);
    ways.put(worker, way);
    return way;
  }

  /** Applies the conditions to the packet in the buffer. */
  private void pass(Direction direction, Way way) throws IOException {
    buffer.flip();
    if (direction == Direction.TO_WORKER) {
      bytesToWorkers.addAndGet(buffer.remaining());
    }
    CurrentConditions now = current;
    NetworkConditions conditions = now.conditions;
    if (conditions.cut().contains(direction)
        || conditions.dropsAll(System.nanoTime() - now.sinceNs)
        || (direction == Direction.TO_LEADER ? toLeader : toWorker)
            .isLost(conditions, System.nanoTime())) {
      dropped.incrementAndGet();
      return;
    }
    passed.incrementAndGet();
    if (random.nextDouble() < conditions.doubled()) {
      doubled.incrementAndGet();
      later(direction, way);
    }
    if (random.nextDouble() < conditions.late()) {
      delayed.incrementAndGet();
      later(direction, way);
    } else if (conditions.delay().isZero()) {
      send(direction, way, buffer);
    } else {
      later(direction, way, conditions.delay().toNanos());
    }
  }

  private void later(Direction direction, Way way) {
    long delayNs = random.nextLong(NetworkConditions.MAX_DELAY.toNanos());
    later(direction, way, current.conditions.delay().toNanos() + delayNs);
  }

  private void later(Direction direction, Way way, long delayNs) {
    byte[] bytes = new byte[buffer.remaining()];
    buffer.get(buffer.position(), bytes);
    order++;
    late.add(new Late(System.nanoTime() + delayNs, order, direction, way, bytes));
  }

  /** Bytes in packets that the leader has sent to workers since the start, lost ones as well. */
  public long bytesToWorkers() {
    return bytesToWorkers.get();
  }

  private void sendDue() throws IOException {
    long now = System.nanoTime();
    while (!late.isEmpty() && late.peek().dueNs - now <= 0) {
      Late next = late.remove();
      if (next.way.socket.isOpen()) {
        send(next.direction, next.way, ByteBuffer.wrap(next.bytes));
      }
    }
  }

  private void send(Direction direction, Way way, ByteBuffer packet) throws IOException {
    try {
      switch (direction) {
        case TO_LEADER -> way.socket.write(packet);
        case TO_WORKER -> front.send(packet, way.worker);
      }
    } catch (PortUnreachableException gone) {
      dropped.incrementAndGet();
    }
  }
}
