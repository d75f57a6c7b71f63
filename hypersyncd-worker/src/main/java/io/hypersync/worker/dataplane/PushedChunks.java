package io.hypersync.worker.dataplane;

import io.hypersync.chunkstore.ChunkStoreException;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.ChunkSymbol;
import io.hypersync.wire.message.WorkerMessage.DecodeProgress;
import io.hypersync.wire.transport.PathFigures;
import io.hypersync.worker.port.LeaderLink;
import io.hypersync.worker.port.WorkerChunks;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SequencedMap;
import java.util.function.Consumer;

/**
 * The chunks that the leader sends to this worker unasked. What does not come is asked for, after a
 * time that follows the round trip. Nothing of it is needed for correctness: an entry is applied
 * when its chunks are verified and stored, however they came (hypersync.md 12.3). On the agent's
 * thread.
 */
public final class PushedChunks {
  private static final long MS = 1_000_000L;

  /** How often the path is measured while symbols arrive. */
  private static final long MEASURED_NS = 100 * MS;

  /** Until the round trip is measured. */
  private static final long FIRST_RTT_NS = 100 * MS;

  /** Beside round trips: the leader reads and encodes, and either side may be busy. */
  private static final long BUSY_NS = 15 * MS;

  /**
   * The same for what is sent to all workers: that waits for a rate, and whoever asks gets it a
   * second time.
   */
  private static final long BUSY_FOR_ALL_NS = 150 * MS;

  /** So long after a symbol that went to all the next ones are expected to go to all. */
  private static final long FOR_ALL_NS = 1_000 * MS;

  /**
   * What is sent on a stream comes, and in order. This is for what the leader cannot read just now,
   * of which it may tell before the entry is here, and for what was removed here meanwhile.
   */
  private static final ExpectedChunks.Patience ON_STREAM =
      new ExpectedChunks.Patience(1_000 * MS, 250 * MS, 10_000 * MS);

  /** No chunk is waited for longer than this, if it comes in datagrams. */
  private static final long LONGEST_NS = 3_000 * MS;

  /** Symbols of a chunk of which no more have come for so long are forgotten. */
  private static final long ABANDONED_NS = 1_000 * MS;

  /** How many chunks may have come before the leader is told. */
  private static final int REPORTED_PUSHES = 4;

  private static final long REPORTED_NS = 2 * MS;

  /** The leader is told when so much less waits here than it knows of. */
  private static final int REPORTED_BYTES = 256 << 10;

  /**
   * Of chunks that are being decoded and stored; on a slow disk they are many. Beyond this they are
   * not taken, whatever the leader sends, and are asked for later.
   */
  private static final long MOST_DECODING_BYTES = 32L << 20;

  /** Of chunks that came to all before their entry; the rest is asked for. */
  private static final long MOST_EARLY_BYTES = 8L << 20;

  /** Heap of a chunk on its way through the decoder besides its bytes. */
  private static final int DECODING_OVERHEAD_BYTES = 1_024;

  private final LeaderLink link;
  private final WorkerChunks chunks;
  private final Consumer<List<ChunkRef>> ask;
  private final SymbolAssemblies assemblies = new SymbolAssemblies();
  private final ExpectedChunks datagrams = new ExpectedChunks();
  private final ExpectedChunks streamed = new ExpectedChunks();

  /** Chunks that are being decoded and stored, and their lengths. */
  private final Map<Hash, Integer> decoding = new HashMap<>();

  /** What came to all, whole, and is not decoded: no entry mentions it yet. The oldest first. */
  private final SequencedMap<Hash, ReceivedBlock> early = new LinkedHashMap<>();

  private long earlyBytes;
  private long decodingBytes;
  private long reportedBytes;
  private long rttNs = FIRST_RTT_NS;
  private long newestPush;
  private long forAllUntilNs = Long.MIN_VALUE / 2;
  private long reportedPush;
  private long nextReportNs;
  private long nextMeasureNs;

  /** Whether something has come of which the leader is told. */
  private boolean isReported;

  private long decoded;
  private long asked;
  private long notDecoded;

  /**
   * Nothing is expected yet.
   *
   * @param ask asks the leader for chunks
   */
  public PushedChunks(LeaderLink link, WorkerChunks chunks, Consumer<List<ChunkRef>> ask) {
    this.link = link;
    this.chunks = chunks;
    this.ask = ask;
  }

  /** Entries need these chunks, which come in this way; those on request are asked for now. */
  public void needed(List<ChunkRef> missing, ChunkDelivery delivery, long nowNs) {
    if (missing.isEmpty()) { // as with almost all messages of a worker that writes itself
      return;
    }
    List<ChunkRef> wanted = new ArrayList<>(missing.size());
    for (ChunkRef chunk : missing) {
      if (!decodeEarly(chunk.hash())) {
        wanted.add(chunk);
      }
    }
    if (wanted.isEmpty()) {
      return;
    }
    switch (delivery) {
      case ON_REQUEST -> ask.accept(wanted);
      case STREAM -> streamed.expect(wanted, nowNs);
      case DATAGRAMS -> datagrams.expect(wanted, nowNs);
    }
  }

  private boolean decodeEarly(Hash chunk) {
    ReceivedBlock block = early.remove(chunk);
    if (block == null) {
      return false;
    }
    earlyBytes -= block.block().dataBytes();
    return decode(block);
  }

  /**
   * Keeps a chunk until an entry mentions it. Every worker can send to all, so what came to all is
   * not stored before: nobody can fill this disk with it.
   */
  private void keepEarly(ReceivedBlock block) {
    early.put(block.chunk(), block);
    earlyBytes += block.block().dataBytes();
    while (earlyBytes > MOST_EARLY_BYTES) {
      ReceivedBlock oldest = early.pollFirstEntry().getValue();
      earlyBytes -= oldest.block().dataBytes();
      assemblies.failed(oldest.chunk());
    }
  }

  /** A symbol has arrived, of whatever chunk. */
  public void received(ChunkSymbol symbol, long nowNs) {
    newestPush = Math.max(newestPush, symbol.push());
    datagrams.begun(symbol.chunk(), nowNs);
    if (symbol.push() == ChunkSymbol.TO_ALL) { // one queue for all, whoever needs what is in it
      forAllUntilNs = nowNs + FOR_ALL_NS;
      datagrams.active(nowNs);
    }
    if (assemblies.isUnknown(symbol.chunk()) && isHere(symbol.chunk())) {
      assemblies.complete(symbol.chunk());
    }
    ReceivedBlock block = assemblies.add(symbol, nowNs);
    if (block == null) {
      return;
    }
    if (symbol.push() == ChunkSymbol.TO_ALL && !datagrams.isExpected(block.chunk())) {
      keepEarly(block);
    } else if (decode(block)) {
      datagrams.ended(block.chunk(), nowNs);
    }
  }

  /** What is here need not be made again: it may have been written before, or asked for. */
  private boolean isHere(Hash chunk) {
    try {
      return chunks.presence(chunk) != WorkerChunks.Presence.MISSING;
    } catch (ChunkStoreException e) {
      return false;
    }
  }

  private boolean decode(ReceivedBlock block) {
    int bytes = block.block().dataBytes() + DECODING_OVERHEAD_BYTES;
    if (decodingBytes + bytes > MOST_DECODING_BYTES) {
      assemblies.failed(block.chunk());
      return false;
    }
    decodingBytes += bytes;
    decoding.merge(block.chunk(), bytes, Integer::sum);
    chunks.decode(block);
    return true;
  }

  private void decodingEnded(Hash chunk) {
    Integer bytes = decoding.remove(chunk);
    if (bytes != null) {
      decodingBytes -= bytes;
    }
  }

  /** A chunk is stored, wherever it came from. */
  public void stored(Hash chunk, long nowNs) {
    streamed.ended(chunk, nowNs);
    datagrams.ended(chunk, nowNs);
    assemblies.complete(chunk);
    decodingEnded(chunk);
  }

  /** A chunk cannot be stored. */
  public void notStored(Hash chunk) {
    decodingEnded(chunk);
  }

  /** A block has been decoded, and the result is not stored yet. */
  public void decoded() {
    decoded++;
  }

  /**
   * The symbols of a chunk were not enough, or the result does not match the hash: it is asked for
   * if an entry waits.
   */
  public void notDecoded(ChunkRef chunk, boolean isWaitedFor) {
    notDecoded++;
    decodingEnded(chunk.hash());
    assemblies.failed(chunk.hash());
    if (isWaitedFor) {
      asked++;
      ask.accept(List.of(chunk));
    }
  }

  /** Asks for what does not come, and tells the leader what has come. */
  public void tick(long nowNs) {
    assemblies.expire(nowNs - ABANDONED_NS);
    if (!datagrams.isEmpty()) {
      long busyNs = nowNs - forAllUntilNs < 0 ? BUSY_FOR_ALL_NS : BUSY_NS;
      long silenceNs = rttNs + rttNs / 2 + busyNs;
      long overtakenNs = rttNs / 8 + 2 * MS;
      ask(
          datagrams.overdue(
              new ExpectedChunks.Patience(silenceNs, overtakenNs, LONGEST_NS), nowNs));
    }
    if (!streamed.isEmpty()) {
      ask(streamed.overdue(ON_STREAM, nowNs));
    }
    report(nowNs);
    if ((!datagrams.isEmpty() || isReported) && nowNs - nextMeasureNs >= 0) {
      isReported = false;
      nextMeasureNs = nowNs + MEASURED_NS;
      link.measure(this::measured);
    }
  }

  private void ask(List<ChunkRef> overdue) {
    List<ChunkRef> wanted = new ArrayList<>();
    for (ChunkRef chunk : overdue) {
      ReceivedBlock block = assemblies.take(chunk.hash());
      if (block == null || !decode(block)) { // exactly K symbols mostly suffice
        wanted.add(chunk);
      }
    }
    if (!wanted.isEmpty()) {
      asked += wanted.size();
      ask.accept(wanted);
    }
  }

  private void report(long nowNs) {
    long backlog = assemblies.bytes() + decodingBytes;
    boolean isLess = reportedBytes - backlog >= REPORTED_BYTES;
    if (newestPush == reportedPush && !isLess) {
      return;
    }
    if (isLess || newestPush - reportedPush >= REPORTED_PUSHES || nowNs - nextReportNs >= 0) {
      reportedPush = newestPush;
      reportedBytes = backlog;
      nextReportNs = nowNs + REPORTED_NS;
      link.send(new DecodeProgress(newestPush, (int) backlog));
    }
    isReported = true;
  }

  private void measured(PathFigures path) {
    rttNs = path.rttNs();
  }

  /** The connection has ended. */
  public void leaderLost() {
    assemblies.clear();
    early.clear();
    earlyBytes = 0;
    datagrams.clear();
    streamed.clear();
    newestPush = 0;
    reportedPush = 0;
    reportedBytes = 0;
  }

  /** What has come unasked; for reports. */
  public PushedChunksStatus status() {
    return new PushedChunksStatus(
        decoded,
        asked,
        notDecoded,
        assemblies.bytes() + decodingBytes,
        assemblies.rejected(),
        assemblies.surplus(),
        assemblies.dropped());
  }
}
