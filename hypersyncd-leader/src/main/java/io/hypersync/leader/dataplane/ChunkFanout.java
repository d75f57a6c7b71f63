package io.hypersync.leader.dataplane;

import io.hypersync.leader.port.ChunkPort;
import io.hypersync.leader.port.SessionPort;
import io.hypersync.leader.sequencer.BoundedMap;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.ChunkDelivery;
import io.hypersync.wire.message.Feature;
import io.hypersync.wire.message.Features;
import io.hypersync.wire.message.LeaderMessage.MulticastGroup;
import io.hypersync.wire.message.WorkerMessage.DecodeProgress;
import io.hypersync.wire.message.WorkerMessage.MulticastHeard;
import io.hypersync.wire.transport.SessionId;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Sends the chunks of new entries to all workers that did not write them, unasked, so that a worker
 * need not ask first and wait for a round trip. Whatever is not sent, or lost, the worker asks for:
 * nothing here is needed for correctness. On the agent's thread.
 */
public final class ChunkFanout {
  /** How often the paths to the workers are measured. */
  private static final long MEASURED_NS = 100_000_000L;

  /** Of 64 KiB each they would be 1 GiB. */
  private static final int MOST_UPLOADED = 16_384;

  private final DataPlaneSettings settings;
  private final ChunkPort chunks;
  private final SessionPort port;
  private final MulticastFanout multicast;
  private final RecentPayloads payloads;
  private final Map<SessionId, WorkerPushes> workers = new HashMap<>();

  /** Chunks that workers have sent lately. */
  private final Map<Hash, Boolean> uploaded = new BoundedMap<>(MOST_UPLOADED);

  private long nextNs;

  /**
   * Nothing is sent yet.
   *
   * @param nextIndex of the first entry that will be logged
   * @param nowNs monotonic
   */
  public ChunkFanout(
      DataPlaneSettings settings, ChunkPort chunks, SessionPort port, long nextIndex, long nowNs) {
    this.settings = settings;
    this.chunks = chunks;
    this.port = port;
    this.multicast = new MulticastFanout(chunks.multicast(), settings, nowNs);
    this.payloads = new RecentPayloads(nextIndex);
    this.nextNs = nowNs;
  }

  /** A worker has sent this chunk: others do not have it, or not for long. */
  public void uploaded(Hash chunk) {
    uploaded.put(chunk, true);
  }

  /**
   * An entry is in the log.
   *
   * @param writer who has sent its chunks
   * @param mentioned the chunks that it mentions and does not carry
   */
  public void sequenced(long index, WorkerId writer, List<ChunkRef> mentioned) {
    if (mentioned.isEmpty()) {
      return;
    }
    List<ChunkRef> filled = mentioned.stream().filter(chunk -> chunk.length() > 0).toList();
    if (!filled.isEmpty()) {
      boolean isNew = filled.stream().allMatch(chunk -> uploaded.containsKey(chunk.hash()));
      payloads.add(new RecentPayloads.Payload(index, writer, filled, isNew));
    }
  }

  /**
   * A worker has begun a session.
   *
   * @param features what it understands: without symbols in datagrams it gets streams
   */
  public void established(SessionId session, Features features, long nowNs) {
    boolean takesSymbols = features.has(Feature.QUIC_DATAGRAM) && features.has(Feature.RAPTORQ);
    int most = takesSymbols ? port.maxSymbolBytes(session) : 0;
    workers.put(session, new WorkerPushes(session, settings, most, chunks, port, nowNs));
    if (features.has(Feature.MULTICAST) && features.has(Feature.RAPTORQ)) {
      MulticastGroup group = multicast.established(session, nowNs);
      if (group != null) {
        port.send(session, group);
      }
    }
  }

  /** A session has ended. */
  public void ended(SessionId session) {
    workers.remove(session);
    multicast.ended(session);
  }

  /**
   * Whether entries may be sent to a worker now. If not, chunks of earlier ones wait until more may
   * be on its way, and it could not apply later ones before. A worker that knew of them would wait
   * for their chunks meanwhile, and ask for them in the end.
   */
  public boolean hasRoom(SessionId session) {
    WorkerPushes pushes = workers.get(session);
    return pushes == null || pushes.hasRoom();
  }

  /** Whether there is room for a worker for which there was none: its entries can be sent now. */
  public boolean hasRoomAgain() {
    boolean again = false;
    for (WorkerPushes pushes : workers.values()) {
      again |= pushes.hasRoomAgain();
    }
    return again;
  }

  /**
   * How many entries may be sent to a worker in one message: their chunks all come unasked, or none
   * of them does; and they are no more than may be on their way at a time.
   *
   * @param from the first entry
   * @param through the last one that may be sent
   * @return the last entry of the message
   */
  public long oneMessage(SessionId session, WorkerId worker, long from, long through) {
    WorkerPushes pushes = workers.get(session);
    if (pushes == null || !payloads.hasAny(from)) {
      return through;
    }
    RecentPayloads.Payload first = null;
    long bytes = 0;
    for (long index = from; index <= through; index++) {
      RecentPayloads.Payload payload = payloads.get(index);
      if (payload == null) {
        continue;
      }
      bytes += bytes(payload);
      if (first == null) {
        first = payload;
      } else if (isPushed(first, worker) != isPushed(payload, worker)
          || (isPushed(first, worker) && bytes > pushes.windowBytes())) {
        return index - 1;
      }
    }
    return through;
  }

  /**
   * Not what the worker has written itself, nor what was not uploaded lately, as by a copy or a
   * restore: most workers have that, and each asks for what it lacks.
   */
  private static boolean isPushed(RecentPayloads.Payload payload, WorkerId worker) {
    return payload.isNew() && !worker.equals(payload.writer());
  }

  /**
   * Entries are about to be sent to a worker, as {@link #oneMessage} allows: sends their chunks,
   * too, or none of them.
   *
   * @return how the chunks come
   */
  public ChunkDelivery push(
      SessionId session, WorkerId worker, long from, long through, long nowNs) {
    WorkerPushes pushes = workers.get(session);
    if (pushes == null || !payloads.hasAny(from)) {
      return ChunkDelivery.ON_REQUEST;
    }
    List<RecentPayloads.Payload> wanted = new ArrayList<>();
    long bytes = 0;
    for (long index = from; index <= through; index++) {
      RecentPayloads.Payload payload = payloads.get(index);
      if (payload != null && isPushed(payload, worker)) {
        wanted.add(payload);
        bytes += bytes(payload);
      }
    }
    if (wanted.isEmpty()) {
      return ChunkDelivery.ON_REQUEST;
    }
    if (multicast.push(session, wanted, nowNs)) {
      pushes.pushedToAll(wanted.stream().mapToInt(payload -> payload.chunks().size()).sum());
      return ChunkDelivery.DATAGRAMS;
    }
    return pushes.push(wanted, bytes, nowNs);
  }

  private static long bytes(RecentPayloads.Payload payload) {
    return payload.chunks().stream().mapToLong(ChunkRef::length).sum();
  }

  /** A worker has asked for chunks: they need not be sent otherwise. */
  public void asked(SessionId session, List<ChunkRef> chunksAsked) {
    WorkerPushes pushes = workers.get(session);
    if (pushes != null) {
      pushes.asked(chunksAsked);
    }
  }

  /** A worker tells what has come of the symbols. */
  public void progress(SessionId session, DecodeProgress progress, long nowNs) {
    WorkerPushes pushes = workers.get(session);
    if (pushes != null) {
      pushes.progress(progress, nowNs);
    }
  }

  /** A worker tells what it has heard of what is sent to all. */
  public void heard(SessionId session, MulticastHeard report, long nowNs) {
    multicast.heard(session, report, nowNs);
  }

  /** A worker has applied all entries up to this one. */
  public void applied(SessionId session, long index, long nowNs) {
    WorkerPushes pushes = workers.get(session);
    if (pushes != null) {
      pushes.applied(index, nowNs);
    }
  }

  /** Sends what waits, measures the paths now and then, and gives up what was lost. */
  public void tick(long nowNs) {
    multicast.tick(nowNs);
    if (nowNs - nextNs < 0) {
      return;
    }
    nextNs = nowNs + MEASURED_NS;
    workers.forEach(
        (session, pushes) -> {
          pushes.expire(nowNs);
          port.measure(session, figures -> pushes.measured(figures, nowNs));
        });
  }

  /** How chunks go to a worker, for reports; null if the session has ended. */
  public @Nullable DataPlaneStatus status(SessionId session) {
    WorkerPushes pushes = workers.get(session);
    return pushes == null ? null : pushes.status(multicast.hearing(session));
  }

  /** What is sent to all workers at once, for reports; null if nothing is. */
  public @Nullable MulticastStatus multicast() {
    return multicast.status();
  }
}
