package io.hypersync.sim.check;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.log.LogEntry;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

/**
 * Judges how long a worker waits for chunks that the leader sends unasked: what does not come is
 * asked for within the limits of decision 033. That it is applied in the end says nothing of that.
 *
 * <p>It counts what arrives and what is asked for, and none of the worker's own tables. Times are
 * without the pauses of the worker's process. In doubt it lets a worker wait.
 */
public final class ChunkWaitChecker {
  private static final long MS = 1_000_000;
  private static final long FIRST_RTT_NS = 100 * MS;

  /** So long after something that went to all more patience is right. */
  private static final long FOR_ALL_NS = 1_000 * MS;

  /** So many chunks are asked for at a time. */
  private static final int AT_ONCE = 16;

  private final String worker;
  private final LongSupplier awakeNs;
  private final long tickNs;
  private final Way streamed = new Way("on the stream");
  private final Way datagrams = new Way("in datagrams");

  /** What was asked for before an entry said that it comes, and has not come. */
  private final Set<Hash> onRequest = new HashSet<>();

  private long rttNs = FIRST_RTT_NS;
  private long measuredNs;
  private long forAllUntilNs = Long.MIN_VALUE / 2;

  private static final class Wait {
    private final long index;
    private final long order;
    private final long sinceNs;
    private long overtakenNs = Long.MAX_VALUE;
    private boolean isAsked;

    Wait(long index, long order, long sinceNs) {
      this.index = index;
      this.order = order;
      this.sinceNs = sinceNs;
    }
  }

  /** The limits, in nanoseconds. */
  private record Limits(long silenceNs, long overtakenNs, long longestNs) {}

  private static final class Way {
    private final String name;
    private final Map<Hash, Wait> waits = new LinkedHashMap<>();
    private long orders;
    private long activeNs;

    Way(String name) {
      this.name = name;
    }

    void expect(Hash chunk, long index, long nowNs) {
      if (waits.values().stream().allMatch(wait -> wait.isAsked)) {
        activeNs = nowNs;
      }
      orders++;
      waits.putIfAbsent(chunk, new Wait(index, orders, nowNs));
    }

    void arrived(Hash chunk, long nowNs) {
      Wait arrived = waits.get(chunk);
      if (arrived != null) {
        activeNs = nowNs;
        for (Wait wait : waits.values()) {
          if (wait.order < arrived.order) {
            wait.overtakenNs = Math.min(wait.overtakenNs, nowNs);
          }
        }
      }
    }

    void asked(Hash chunk, long nowNs) {
      Wait wait = waits.get(chunk);
      if (wait != null && !wait.isAsked) {
        wait.isAsked = true;
        activeNs = nowNs;
      }
    }
  }

  /**
   * Nothing is waited for yet.
   *
   * @param worker its name
   * @param awakeNs monotonic time without the pauses of its process
   * @param tickNs how often it looks for what does not come
   */
  public ChunkWaitChecker(String worker, LongSupplier awakeNs, long tickNs) {
    this.worker = worker;
    this.awakeNs = awakeNs;
    this.tickNs = tickNs;
  }

  /**
   * Entries have arrived.
   *
   * @param delivery how the leader says that their chunks come
   * @param isHere whether a chunk is stored
   */
  public void received(List<LogEntry> entries, ChunkDelivery delivery, Predicate<Hash> isHere) {
    for (LogEntry entry : entries) {
      for (ChunkRef chunk : entry.op().chunks()) {
        if (chunk.length() > 0 && entry.inlinePayload().length == 0 && !isHere.test(chunk.hash())) {
          expected(chunk.hash(), entry.index(), delivery);
        }
      }
    }
  }

  private void expected(Hash chunk, long index, ChunkDelivery delivery) {
    if (isExpected(chunk) || onRequest.contains(chunk)) {
      return;
    }
    switch (delivery) {
      case ON_REQUEST -> {
        // asked for at once, or it would never be applied
      }
      case STREAM -> streamed.expect(chunk, index, awakeNs.getAsLong());
      case DATAGRAMS -> datagrams.expect(chunk, index, awakeNs.getAsLong());
    }
  }

  private boolean isExpected(Hash chunk) {
    return streamed.waits.containsKey(chunk) || datagrams.waits.containsKey(chunk);
  }

  /** A symbol of a chunk has arrived. */
  public void arrived(ChunkSymbol symbol) {
    long nowNs = awakeNs.getAsLong();
    datagrams.arrived(symbol.chunk(), nowNs);
    if (symbol.push() == ChunkSymbol.TO_ALL) { // one queue for all workers, at a rate
      forAllUntilNs = nowNs + FOR_ALL_NS;
      datagrams.activeNs = nowNs;
    }
  }

  /** A chunk is being made of its symbols, or is stored. */
  public void settled(Hash chunk) {
    long nowNs = awakeNs.getAsLong();
    onRequest.remove(chunk);
    for (Way way : List.of(streamed, datagrams)) {
      way.arrived(chunk, nowNs);
      way.waits.remove(chunk);
    }
  }

  /** The worker asks for chunks, for whatever reason, or cannot store them. */
  public void asked(Hash chunk) {
    if (!isExpected(chunk)) {
      onRequest.add(chunk);
    }
    long nowNs = awakeNs.getAsLong();
    streamed.asked(chunk, nowNs);
    datagrams.asked(chunk, nowNs);
  }

  /** The worker has measured its path. */
  public void measured(long newRttNs) {
    rttNs = newRttNs;
    measuredNs = awakeNs.getAsLong();
  }

  /** The connection has ended: nothing more comes of it, and nobody can be asked. */
  public void disconnected() {
    streamed.waits.clear();
    datagrams.waits.clear();
    onRequest.clear();
  }

  /**
   * Fails if a chunk should have been asked for.
   *
   * @param visible the newest entry that the worker shows: it waits for those behind it
   */
  public void check(long visible) {
    if (!datagrams.waits.isEmpty()) {
      long busyNs = awakeNs.getAsLong() < forAllUntilNs ? 150 * MS : 15 * MS;
      check(
          datagrams,
          new Limits(rttNs + rttNs / 2 + busyNs, rttNs / 8 + 2 * MS, 3_000 * MS),
          visible);
    }
    if (!streamed.waits.isEmpty()) {
      check(streamed, new Limits(1_000 * MS, 250 * MS, 10_000 * MS), visible);
    }
  }

  private void check(Way way, Limits limits, long visible) {
    long nowNs = awakeNs.getAsLong();
    long slackNs = tickNs * (3 + way.waits.size() / AT_ONCE);
    boolean isForAll = nowNs < forAllUntilNs;
    if (nowNs - measuredNs <= slackNs || (!isForAll && nowNs - forAllUntilNs <= slackNs)) {
      return; // the limits have just become other ones
    }
    boolean isFirst = true;
    for (Map.Entry<Hash, Wait> each : way.waits.entrySet()) {
      Wait wait = each.getValue();
      if (wait.isAsked || wait.index <= visible) {
        continue;
      }
      String why = null;
      if (nowNs - wait.sinceNs > limits.longestNs + slackNs) {
        why = "whatever else has come";
      } else if (wait.overtakenNs != Long.MAX_VALUE
          && nowNs - wait.overtakenNs > limits.overtakenNs + slackNs) {
        why = "a later one has begun " + (nowNs - wait.overtakenNs) / MS + " ms ago";
      } else if (isFirst && nowNs - way.activeNs > limits.silenceNs + slackNs) {
        why = "nothing has come for " + (nowNs - way.activeNs) / MS + " ms";
      }
      if (why != null) {
        throw new Violation(
            worker
                + " waits for chunk "
                + each.getKey()
                + " of entry "
                + wait.index
                + " since "
                + (nowNs - wait.sinceNs) / MS
                + " ms, which was to come "
                + way.name
                + ", and does not ask for it: "
                + why);
      }
      isFirst = false;
    }
  }
}
