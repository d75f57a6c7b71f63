package io.hypersync.leader.dataplane;

import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.codec.SymbolFrames;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.WorkerMessage.DecodeProgress;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayDeque;
import java.util.Iterator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What is sent unasked to one worker. Bounded in two ways: so much waits here, as references; and
 * so much is on its way in datagrams that the worker has not told of. A worker that is slow, or cut
 * off, has its own queue filled and nobody else's (hypersync.md 12.4).
 */
final class WorkerPushes {
  /**
   * So much may be on the stream, or on its way there, where what the worker asks for goes first.
   */
  private static final long MOST_STREAMED_BYTES = 8L << 20;

  /** So many chunks may wait, or be on the stream, however small they are. */
  private static final int MOST_CHUNKS = 4_096;

  /** So many datagrams may be on their way; QUIC has room for twice as many. */
  private static final int MOST_SYMBOLS = 4_096;

  /** The numbers of pushes have 32 bits on the wire. */
  private static final long LAST_PUSH = 0xffff_ffffL;

  /** The network holds as much as the congestion window, and as much again may wait before it. */
  private static final int WINDOWS = 2;

  /** Entries are sent until this part of a window waits: little enough to be sent soon. */
  private static final int WAITING_PART = 4;

  /** When nothing was heard for so long, what was sent counts as lost. */
  private static final long SILENCE_NS = 1_000_000_000L;

  private final SessionId session;
  private final DataPlaneSettings settings;
  private final ChunkPort chunks;
  private final SessionPort port;
  private final int symbolBytes;
  private final DeliveryChoice choice;
  private final PacketLoss loss = new PacketLoss();

  /** Datagrams: not sent yet, in the order of entries. */
  private final ArrayDeque<Push> waiting = new ArrayDeque<>();

  /** Datagrams: sent, and neither heard of nor applied, in the order of entries. */
  private final ArrayDeque<Push> onTheWay = new ArrayDeque<>();

  /** On the stream, and not applied, in the order of entries. */
  private final ArrayDeque<Push> streamed = new ArrayDeque<>();

  private long waitingBytes;
  private long onTheWayBytes;
  private int onTheWaySymbols;
  private long streamedBytes;

  /** Symbols that are being made. Not even the worker can say that they have arrived. */
  private long encodingBytes;

  /** Whether entries wait until there is room. */
  private boolean isHeldBack;

  private long backlogBytes;
  private long windowBytes;
  private long rttNs;
  private long quicWindowBytes;
  private long lastPush;
  private long heardNs;
  private long pushed;
  private long refused;

  /**
   * A chunk that an entry mentions.
   *
   * @param number counts those that go in datagrams; 0 for others
   * @param bytes of the chunk, and from when it is sent in datagrams on those of its symbols
   */
  private record Push(long number, long index, ChunkRef chunk, long bytes, int symbols) {}

  WorkerPushes(
      SessionId session,
      DataPlaneSettings settings,
      int maxSymbolBytes,
      ChunkPort chunks,
      SessionPort port,
      long nowNs) {
    this.session = session;
    this.settings = settings;
    this.chunks = chunks;
    this.port = port;
    this.heardNs = nowNs;
    this.windowBytes = settings.limits().leastWindowBytes();
    int most = Math.min(settings.symbolBytes(), maxSymbolBytes);
    // A multiple of eight, so that vectors of the code fit.
    this.symbolBytes = most < DataPlaneSettings.MIN_SYMBOL_BYTES ? 0 : most & ~7;
    this.choice = new DeliveryChoice(settings.mode(), symbolBytes > 0, nowNs);
  }

  /** Whether chunks of more entries would be sent soon. */
  boolean hasRoom() {
    isHeldBack = waitingBytes > windowBytes / WAITING_PART;
    return !isHeldBack;
  }

  /** Whether there is room now, and there was none when somebody asked last. */
  boolean hasRoomAgain() {
    return isHeldBack && hasRoom();
  }

  /** So much may be on its way in datagrams. */
  long windowBytes() {
    return windowBytes;
  }

  /**
   * Takes the chunks of entries that are being sent, or none of them.
   *
   * @param bytes of all of them
   * @return how they come
   */
  ChunkDelivery push(List<RecentPayloads.Payload> payloads, long bytes, long nowNs) {
    int count = payloads.stream().mapToInt(payload -> payload.chunks().size()).sum();
    ChunkDelivery how = next(bytes, count);
    boolean isTaken =
        how == ChunkDelivery.DATAGRAMS
            ? inDatagrams(payloads, bytes, count, nowNs)
            : onStream(payloads, bytes, count);
    if (!isTaken) {
      refused += count;
      return ChunkDelivery.ON_REQUEST;
    }
    pushed += count;
    return how;
  }

  private ChunkDelivery next(long bytes, int count) {
    // A few packets are seldom lost, and a share of them are not even one repair symbol.
    return bytes < 4L * symbolBytes || lastPush + count > LAST_PUSH
        ? ChunkDelivery.STREAM
        : choice.chosen();
  }

  private boolean inDatagrams(
      List<RecentPayloads.Payload> payloads, long bytes, int count, long nowNs) {
    if (waitingBytes + bytes > settings.limits().waitingBytes()
        || waiting.size() + count > MOST_CHUNKS) {
      return false;
    }
    if (waiting.isEmpty() && onTheWay.isEmpty()) {
      heardNs = nowNs;
    }
    for (RecentPayloads.Payload payload : payloads) {
      for (ChunkRef chunk : payload.chunks()) {
        lastPush++;
        waiting.addLast(new Push(lastPush, payload.index(), chunk, chunk.length(), 0));
      }
    }
    waitingBytes += bytes;
    send();
    return true;
  }

  private boolean onStream(List<RecentPayloads.Payload> payloads, long bytes, int count) {
    if ((streamedBytes > 0 && streamedBytes + bytes > MOST_STREAMED_BYTES)
        || streamed.size() + count > MOST_CHUNKS
        || !port.bulkWritable(session)) {
      return false;
    }
    for (RecentPayloads.Payload payload : payloads) {
      for (ChunkRef chunk : payload.chunks()) {
        streamed.addLast(new Push(0, payload.index(), chunk, chunk.length(), 0));
      }
      chunks.push(session, payload.chunks());
    }
    streamedBytes += bytes;
    return true;
  }

  private void send() {
    while (!waiting.isEmpty()) {
      Push next = waiting.getFirst();
      int source = (next.chunk.length() + symbolBytes - 1) / symbolBytes;
      int repair = RepairSymbols.count(source, settings.repairOverhead(), loss.rate());
      int symbols = source + repair;
      long bytes = (long) symbols * (symbolBytes + SymbolFrames.HEADER_BYTES);
      boolean isFull =
          onTheWayBytes + bytes + backlogBytes > windowBytes
              || onTheWaySymbols + symbols > MOST_SYMBOLS;
      boolean isBusy = encodingBytes > 0 && encodingBytes + bytes > windowBytes;
      if (isBusy || (onTheWayBytes > 0 && isFull)) {
        return;
      }
      waiting.removeFirst();
      waitingBytes -= next.bytes;
      onTheWay.addLast(new Push(next.number, next.index, next.chunk, bytes, symbols));
      onTheWayBytes += bytes;
      onTheWaySymbols += symbols;
      encodingBytes += bytes;
      chunks.sendSymbols(
          session, next.number, next.chunk, symbolBytes, repair, () -> handedOver(bytes));
    }
  }

  private void handedOver(long bytes) {
    encodingBytes -= bytes;
    send();
  }

  /** The worker tells what has come of the symbols. */
  void progress(DecodeProgress progress, long nowNs) {
    heardNs = nowNs;
    backlogBytes = Math.min(progress.backlogBytes(), settings.limits().mostWindowBytes());
    while (!onTheWay.isEmpty() && onTheWay.getFirst().number <= progress.push()) {
      ended(onTheWay.removeFirst());
    }
    send();
  }

  /** The worker has applied all entries up to this one, so it has their chunks. */
  void applied(long index, long nowNs) {
    while (!streamed.isEmpty() && streamed.getFirst().index <= index) {
      streamedBytes -= streamed.removeFirst().bytes;
    }
    while (!onTheWay.isEmpty() && onTheWay.getFirst().index <= index) {
      heardNs = nowNs;
      ended(onTheWay.removeFirst());
    }
    while (!waiting.isEmpty() && waiting.getFirst().index <= index) { // it had them already
      waitingBytes -= waiting.removeFirst().bytes;
    }
    send();
  }

  /** The worker has asked for these: they come on the stream. */
  void asked(List<ChunkRef> wanted) {
    if (waiting.isEmpty()) {
      return;
    }
    Set<Hash> hashes = wanted.stream().map(ChunkRef::hash).collect(Collectors.toSet());
    for (Iterator<Push> each = waiting.iterator(); each.hasNext(); ) {
      Push push = each.next();
      if (hashes.contains(push.chunk.hash())) {
        waitingBytes -= push.bytes;
        each.remove();
      }
    }
  }

  private void ended(Push push) {
    onTheWayBytes -= push.bytes;
    onTheWaySymbols -= push.symbols;
  }

  /** Gives up what was not heard of for long: the worker asks for it. */
  void expire(long nowNs) {
    if (!onTheWay.isEmpty() && nowNs - heardNs >= SILENCE_NS) {
      heardNs = nowNs;
      backlogBytes = 0;
      onTheWay.forEach(this::ended);
      onTheWay.clear();
      send();
    }
  }

  /** Takes what the connection has measured. */
  void measured(PathFigures figures, long nowNs) {
    rttNs = figures.rttNs();
    quicWindowBytes = figures.windowBytes();
    loss.measured(figures);
    choice.measured(loss, rttNs, nowNs);
    DataPlaneSettings.Limits limits = settings.limits();
    windowBytes =
        Math.clamp(
            WINDOWS * figures.windowBytes(), limits.leastWindowBytes(), limits.mostWindowBytes());
  }

  /** So many chunks are sent to all workers, of which this is one. */
  void pushedToAll(int count) {
    pushed += count;
  }

  /**
   * For reports.
   *
   * @param hearing whether what is sent to all reaches it; null if it was not told of that
   */
  DataPlaneStatus status(@Nullable MulticastHearing hearing) {
    boolean isMulticast = hearing != null && hearing.isHearing();
    String reason = choice.reason();
    if (hearing != null) {
      reason = isMulticast ? hearing.reason() : hearing.reason() + "; " + reason;
    }
    return new DataPlaneStatus(
        choice.chosen(),
        isMulticast,
        reason,
        loss.rate(),
        rttNs,
        quicWindowBytes,
        windowBytes,
        symbolBytes,
        onTheWay.size(),
        onTheWayBytes,
        waitingBytes,
        backlogBytes,
        pushed,
        refused);
  }
}
