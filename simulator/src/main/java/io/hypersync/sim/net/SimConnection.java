package io.hypersync.sim.net;

import io.hypersync.sim.world.Host;
import io.hypersync.sim.world.Prng;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import io.hypersync.wire.transport.PathFigures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a worker, with QUIC's guarantees: messages of one stream arrive in order,
 * streams overtake one another, and when the connection breaks, a prefix of each stream has been
 * delivered.
 */
public final class SimConnection {
  private enum Stream {
    CONTROL_UP,
    INTENTS,
    CHUNKS,
    CONTROL_DOWN,
    ACKS,
    LOG,
    BULK
  }

  private static final int LOG_STREAM_MESSAGES = 4;
  private static final int DAMAGED_DATAGRAMS = 400;
  private static final int DOUBLED_DATAGRAMS = 30;
  private static final long PACKETS_MEASURED = 1_000;
  private static final long SMALLEST_WINDOW = 100;
  private static final long LARGEST_WINDOW = 1 << 20;
  private static final int BULK_STREAM_MESSAGES = 8;
  private static final long POLL_NS = 20_000_000;

  private final SimNetwork network;
  private final Prng prng;
  private final Prng datagrams;
  private final WorkerEnd worker;
  private final LeaderEnd leader;
  private final Map<Stream, ArrayDeque<Runnable>> inFlight = new EnumMap<>(Stream.class);
  private final Map<Stream, Integer> stalled = new EnumMap<>(Stream.class);
  private final Map<Stream, Long> arrivalNs = new EnumMap<>(Stream.class);
  private final List<Runnable> unflushedUp = new ArrayList<>();
  private final List<Runnable> unflushedDown = new ArrayList<>();

  /** Whether one symbol comes again and again just now, and no other one; once at most. */
  private boolean isStuck;

  private boolean wasStuck;

  private long packets;
  private boolean workerOpen;
  private boolean leaderOpen;
  private boolean cut;
  private boolean closedByLeader;
  private boolean logBlocked;

  SimConnection(SimNetwork network, Prng prng, WorkerEnd worker, LeaderEnd leader) {
    this.network = network;
    this.prng = prng;
    this.datagrams = prng.split();
    this.worker = worker;
    this.leader = leader;
    for (Stream stream : Stream.values()) {
      inFlight.put(stream, new ArrayDeque<>());
      stalled.put(stream, 0);
      arrivalNs.put(stream, 0L);
    }
  }

  public WorkerEnd worker() {
    return worker;
  }

  public LeaderEnd leader() {
    return leader;
  }

  /** Queues a message of the worker; {@link #flushUp} sends it. */
  public void send(WorkerMessage message) {
    if (workerOpen) {
      unflushedUp.add(() -> enqueue(streamOf(message), () -> deliver(message), leader.host()));
    }
  }

  /** Queues a message of the leader; {@link #flushDown} sends it. */
  public void send(LeaderMessage message) {
    if (leaderOpen) {
      unflushedDown.add(() -> enqueue(streamOf(message), () -> deliver(message), worker.host()));
    }
  }

  /** Queues a symbol of the leader; {@link #flushDown} sends it in a datagram. */
  public void send(ChunkSymbol symbol) {
    if (leaderOpen) {
      unflushedDown.add(() -> datagram(symbol));
    }
  }

  /**
   * A datagram may be lost, come twice, be overtaken, and be damaged, as by a bad leader: QUIC
   * would notice what the network damages.
   */
  private void datagram(ChunkSymbol symbol) {
    if (cut || isStuck || network.isDatagramLost(datagrams)) {
      return;
    }
    ChunkSymbol sent = datagrams.oneIn(DAMAGED_DATAGRAMS) ? damaged(symbol) : symbol;
    if (network.symbolFaults().isLate()) {
      worker
          .host()
          .after(network.symbolFaults().lateNs(), "", () -> worker.receivedLate(this, sent));
      return;
    }
    if (!wasStuck && network.symbolFaults().isStuck()) {
      wasStuck = true;
      isStuck = true;
      worker.repeats();
      repeat(symbol, SymbolFaults.REPEATS);
      return;
    }
    for (int copies = datagrams.oneIn(DOUBLED_DATAGRAMS) ? 2 : 1; copies > 0; copies--) {
      worker
          .host()
          .after(
              network.delayNs(worker, Direction.DOWN),
              "",
              () -> {
                if (!cut && workerOpen && !network.isBlocked(worker, Direction.DOWN)) {
                  worker.received(this, sent);
                }
              });
    }
  }

  private void repeat(ChunkSymbol symbol, int times) {
    isStuck = times > 0;
    if (workerOpen && !cut && isStuck) {
      if (!network.isBlocked(worker, Direction.DOWN)) {
        worker.received(this, symbol);
      }
      worker.host().after(SymbolFaults.REPEATED_NS, "", () -> repeat(symbol, times - 1));
    }
  }

  private ChunkSymbol damaged(ChunkSymbol symbol) {
    byte[] bytes = symbol.bytes().clone();
    bytes[datagrams.below(bytes.length)] ^= (byte) (1 << datagrams.below(Byte.SIZE));
    return new ChunkSymbol(
        symbol.push(),
        symbol.chunk(),
        symbol.chunkBytes(),
        symbol.symbolBytes(),
        symbol.id(),
        bytes);
  }

  /** What QUIC has measured, roughly: the worker's delays, and the losses. */
  public PathFigures measured() {
    packets += PACKETS_MEASURED;
    return new PathFigures(
        network.delayNs(worker, Direction.UP) + network.delayNs(worker, Direction.DOWN),
        datagrams.scale(SMALLEST_WINDOW, LARGEST_WINDOW),
        packets,
        packets * network.datagramLossPercent() / 100);
  }

  /** Sends the queued messages of the worker. */
  public void flushUp() {
    List.copyOf(unflushedUp).forEach(Runnable::run);
    unflushedUp.clear();
  }

  /** Sends the queued messages of the leader. */
  public void flushDown() {
    List.copyOf(unflushedDown).forEach(Runnable::run);
    unflushedDown.clear();
  }

  /** Whether the bulk stream accepts chunks that nobody has asked for. */
  public boolean bulkWritable() {
    return queue(Stream.BULK).size() < BULK_STREAM_MESSAGES;
  }

  /**
   * Whether the log stream accepts messages. If not, {@link LeaderEnd#writable} is called once it
   * does again.
   */
  public boolean logWritable() {
    logBlocked =
        inFlight.getOrDefault(Stream.LOG, new ArrayDeque<>()).size() >= LOG_STREAM_MESSAGES;
    return !logBlocked;
  }

  /** The worker closes the connection; it receives nothing of it any more. */
  public void closeFromWorker() {
    workerOpen = false;
    unflushedUp.clear();
    afterPartition();
  }

  /**
   * The leader closes the connection.
   *
   * @param lastWord the last message, sent before the close; null for none
   */
  public void closeFromLeader(LeaderMessage.@Nullable Refused lastWord) {
    if (lastWord != null) {
      send(lastWord);
    }
    flushDown();
    leaderOpen = false;
    closedByLeader = true;
    enqueue(Stream.CONTROL_DOWN, this::endAtWorker, worker.host());
  }

  /** Breaks the connection: data in flight is lost, and each end notices after a while. */
  public void breakDown() {
    cut = true;
    worker.host().after(network.noticeNs(), "", this::endAtWorker);
    leader.host().after(network.noticeNs(), "", this::endAtLeader);
  }

  /** The process at one end has crashed. The other end notices after a while, or not at all. */
  public void endCrashed() {
    cut = true;
    if (prng.oneIn(2)) {
      worker.host().after(network.noticeNs(), "", this::endAtWorker);
      leader.host().after(network.noticeNs(), "", this::endAtLeader);
    }
  }

  /** Whether the leader has closed the connection. */
  public boolean isClosedByLeader() {
    return closedByLeader;
  }

  /** Whether the connection is broken, or closed by both ends. */
  boolean isOver() {
    return cut || (!workerOpen && !leaderOpen);
  }

  void open() {
    leaderOpen = true;
    leader.opened(this);
    workerOpen = true;
    enqueue(Stream.CONTROL_DOWN, () -> worker.linkUp(this), worker.host());
  }

  /** The direction is no longer blocked: delayed messages are scheduled again. */
  void healed(Direction direction) {
    for (Stream stream : Stream.values()) {
      if (direction(stream) != direction) {
        continue;
      }
      int count = stalled.getOrDefault(stream, 0);
      stalled.put(stream, 0);
      for (int i = 0; i < count; i++) {
        schedule(stream, direction == Direction.UP ? leader.host() : worker.host());
      }
    }
  }

  private void enqueue(Stream stream, Runnable delivery, Host receiver) {
    if (!cut) {
      queue(stream).addLast(delivery);
      schedule(stream, receiver);
    }
  }

  /** Schedules the delivery of the oldest message that the stream has at that time. */
  private void schedule(Stream stream, Host receiver) {
    long now = network.nowNs();
    long at =
        Math.max(
            now + network.delayNs(worker, direction(stream)), arrivalNs.getOrDefault(stream, 0L));
    arrivalNs.put(stream, at);
    receiver.after(
        at - now,
        "",
        () -> {
          if (cut) {
            return;
          }
          if (network.isBlocked(worker, direction(stream))) {
            stalled.merge(stream, 1, Integer::sum);
            return;
          }
          Runnable delivery = queue(stream).pollFirst();
          if (delivery != null) {
            delivery.run();
          }
          if (stream == Stream.LOG
              && logBlocked
              && queue(stream).size() < LOG_STREAM_MESSAGES / 2) {
            logBlocked = false;
            leader
                .host()
                .after(network.delayNs(worker, Direction.UP), "", () -> leader.writable(this));
          }
        });
  }

  /** Ends the connection at the leader once the direction to it is not blocked. */
  private void afterPartition() {
    leader
        .host()
        .after(
            network.delayNs(worker, Direction.UP) + POLL_NS,
            "",
            () -> {
              if (network.isBlocked(worker, Direction.UP)) {
                afterPartition();
              } else {
                endAtLeader();
              }
            });
  }

  private void deliver(WorkerMessage message) {
    if (leaderOpen) {
      leader.received(this, message);
    }
  }

  private void deliver(LeaderMessage message) {
    if (workerOpen) {
      worker.received(this, message);
    }
  }

  private void endAtWorker() {
    if (workerOpen) {
      workerOpen = false;
      worker.linkDown(this);
    }
  }

  private void endAtLeader() {
    if (leaderOpen) {
      leaderOpen = false;
      leader.closed(this);
    }
  }

  private ArrayDeque<Runnable> queue(Stream stream) {
    return inFlight.computeIfAbsent(stream, _ -> new ArrayDeque<>());
  }

  private static Direction direction(Stream stream) {
    return switch (stream) {
      case CONTROL_UP, INTENTS, CHUNKS -> Direction.UP;
      case CONTROL_DOWN, ACKS, LOG, BULK -> Direction.DOWN;
    };
  }

  private static Stream streamOf(WorkerMessage message) {
    StreamKind kind = StreamKind.of(message);
    return switch (kind) {
      case CONTROL -> Stream.CONTROL_UP;
      case INTENTS -> Stream.INTENTS;
      case CHUNKS -> Stream.CHUNKS;
      case ACKS, LOG, BULK -> throw new IllegalStateException(kind + " is the leader's");
    };
  }

  private static Stream streamOf(LeaderMessage message) {
    StreamKind kind = StreamKind.of(message);
    return switch (kind) {
      case CONTROL -> Stream.CONTROL_DOWN;
      case ACKS -> Stream.ACKS;
      case LOG -> Stream.LOG;
      case BULK -> Stream.BULK;
      case INTENTS, CHUNKS -> throw new IllegalStateException(kind + " is the worker's");
    };
  }
}
