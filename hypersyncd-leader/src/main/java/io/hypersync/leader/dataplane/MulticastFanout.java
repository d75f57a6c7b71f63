package io.hypersync.leader.dataplane;

import io.hypersync.leader.port.MulticastPort;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.admission.TokenBucket;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.multicast.MulticastPackets;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Sends chunks to all workers at once, each one once, as fast as a rate allows: nothing else slows
 * multicast down. Whoever hears nothing of it gets chunks in another way. On the agent's thread.
 */
final class MulticastFanout {
  /** How long a chunk that went to all is not sent again. */
  private static final long LATELY_NS = 3_000_000_000L;

  /** How many of these are remembered, and how many may wait. */
  private static final int MOST_CHUNKS = 16_384;

  /** Entries so far behind the newest one are sent again only to those that lack them. */
  private static final int OLD_ENTRIES = 1_024;

  /** Of chunks that wait; they are kept as references. */
  private static final long MOST_WAITING_BYTES = 32L << 20;

  /** So long nothing else is sent before there is a beacon. */
  private static final long BEACON_NS = 200_000_000L;

  /** Packets that are being made have this part of what may be on its way to one worker. */
  private static final int SENDING_PER_WINDOW = 2;

  private final MulticastPort port;
  private final DataPlaneSettings settings;
  private final int symbolBytes;
  private final long waitingLimit;
  private final long sendingLimit;
  private final TokenBucket rate;
  private final Map<SessionId, MulticastHearing> workers = new HashMap<>();
  private final ArrayDeque<ChunkRef> waiting = new ArrayDeque<>();

  /** What was taken for all, and when, the oldest first. */
  private final Map<Hash, Long> lately = new LinkedHashMap<>();

  /** The newest entry whose chunks went to all. */
  private long newestIndex;

  private long waitingBytes;
  private long sendingBytes;
  private long lastSentNs;
  private long chunks;
  private long packets;
  private long bytes;
  private long refused;

  /** Nothing was sent, and nobody hears. */
  MulticastFanout(MulticastPort port, DataPlaneSettings settings, long nowNs) {
    this.port = port;
    this.settings = settings;
    // A multiple of eight, so that vectors of the code fit.
    this.symbolBytes = Math.min(settings.symbolBytes(), port.maxSymbolBytes()) & ~7;
    this.sendingLimit = settings.limits().leastWindowBytes() / SENDING_PER_WINDOW;
    // No more than what is sent within a second: a worker asks for what it waits for longer.
    this.waitingLimit =
        Math.min(
            Math.min(MOST_WAITING_BYTES, settings.limits().waitingBytes()),
            settings.multicastBytesPerSecond());
    this.rate =
        new TokenBucket(settings.multicastBytesPerSecond(), settings.multicastBurstBytes(), nowNs);
    this.lastSentNs = nowNs - BEACON_NS;
  }

  /** A worker that understands it has begun a session; what it needs to hear, or null. */
  @Nullable MulticastGroup established(SessionId session, long nowNs) {
    MulticastGroup group = port.group();
    if (group != null) {
      workers.put(session, new MulticastHearing(nowNs));
    }
    return group;
  }

  /** A session has ended. */
  void ended(SessionId session) {
    workers.remove(session);
  }

  /** A worker tells what it has heard. */
  void heard(SessionId session, MulticastHeard report, long nowNs) {
    MulticastHearing hearing = workers.get(session);
    MulticastGroup group = port.group();
    if (hearing != null && group != null && report.epoch() == group.epoch()) {
      hearing.heard(report, nowNs);
    }
  }

  /** Whether a worker hears what is sent to all; null if it was not told of the group. */
  @Nullable MulticastHearing hearing(SessionId session) {
    return workers.get(session);
  }

  /**
   * Takes the chunks of entries that are being sent to a worker, or none of them. Those that went
   * to all just now, as the entries were sent to another worker, are not sent again.
   *
   * @return whether all of them come, or have come, to all workers that hear
   */
  boolean push(SessionId session, List<RecentPayloads.Payload> payloads, long nowNs) {
    MulticastHearing hearing = workers.get(session);
    if (hearing == null || !hearing.isHearing()) {
      return false;
    }
    forgetOld(nowNs);
    Set<ChunkRef> fresh = new LinkedHashSet<>();
    long freshBytes = 0;
    for (RecentPayloads.Payload payload : payloads) {
      for (ChunkRef chunk : payload.chunks()) {
        Long taken = lately.get(chunk.hash());
        if (taken == null && payload.index() <= newestIndex - OLD_ENTRIES) {
          return false; // for a worker that catches up: the others have it
        } else if (taken == null) {
          freshBytes += fresh.add(chunk) ? chunk.length() : 0;
        } else if (taken - hearing.sinceNs() < 0) {
          return false; // sent before this worker heard anything
        }
      }
    }
    if (isFull(fresh.size(), freshBytes)) {
      refused += fresh.size();
      return false;
    }
    newestIndex = Math.max(newestIndex, payloads.getLast().index());
    for (ChunkRef chunk : fresh) {
      lately.put(chunk.hash(), nowNs);
      waiting.addLast(chunk);
    }
    waitingBytes += freshBytes;
    chunks += fresh.size();
    send(nowNs);
    return true;
  }

  private boolean isFull(int count, long freshBytes) {
    return (count > 0 && waitingBytes + freshBytes > waitingLimit)
        || lately.size() + count > MOST_CHUNKS
        || waiting.size() + count > MOST_CHUNKS;
  }

  private void forgetOld(long nowNs) {
    for (Iterator<Long> taken = lately.values().iterator(); taken.hasNext(); ) {
      if (nowNs - taken.next() < LATELY_NS) {
        return;
      }
      taken.remove();
    }
  }

  /** Sends what the rate allows, or a beacon, and leaves out who hears nothing. */
  void tick(long nowNs) {
    workers.values().forEach(each -> each.tick(nowNs));
    if (workers.values().stream().noneMatch(MulticastHearing::isHearing)) {
      waiting.clear(); // whoever waits for it asks
      waitingBytes = 0;
    }
    if (workers.isEmpty()) {
      return;
    }
    send(nowNs);
    if (nowNs - lastSentNs >= BEACON_NS) {
      lastSentNs = nowNs;
      port.beacon();
    }
  }

  private void send(long nowNs) {
    while (!waiting.isEmpty()) {
      ChunkRef next = waiting.getFirst();
      int source = (next.length() + symbolBytes - 1) / symbolBytes;
      int repair = RepairSymbols.count(source, settings.repairOverhead(), worstLoss());
      long size = (long) (source + repair) * (symbolBytes + MulticastPackets.OVERHEAD_BYTES);
      boolean isBusy = sendingBytes > 0 && sendingBytes + size > sendingLimit;
      if (isBusy || rate.waitNs(size, nowNs) > 0) {
        return;
      }
      rate.take(size, nowNs);
      waiting.removeFirst();
      waitingBytes -= next.length();
      sendingBytes += size;
      lastSentNs = nowNs;
      port.sendSymbols(
          next,
          symbolBytes,
          repair,
          (sentPackets, sentBytes) -> {
            sendingBytes -= size;
            packets += sentPackets;
            bytes += sentBytes;
          });
    }
  }

  /** Of those that hear: the others get chunks in another way. */
  private double worstLoss() {
    double worst = 0;
    for (MulticastHearing hearing : workers.values()) {
      if (hearing.isHearing()) {
        worst = Math.max(worst, hearing.loss());
      }
    }
    return worst;
  }

  /** For reports; null if this leader sends nothing to all. */
  @Nullable MulticastStatus status() {
    if (port.group() == null) {
      return null;
    }
    int hearing = 0;
    for (MulticastHearing each : workers.values()) {
      hearing += each.isHearing() ? 1 : 0;
    }
    return new MulticastStatus(
        workers.size(), hearing, worstLoss(), waitingBytes, chunks, packets, bytes, refused);
  }
}
