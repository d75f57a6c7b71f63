package io.hypersync.wire.message;

import org.jspecify.annotations.Nullable;

/**
 * The six streams of a connection (hypersync.md 12.1). Each begins with its code as one byte.
 * Messages keep their order within a stream; there is no order between streams.
 */
public enum StreamKind {
  /**
   * Both directions, opened by the worker: handshake, heartbeats, barriers, reports, locks, leases.
   */
  CONTROL(1, true),
  /** Worker to leader: mutations, and requests for their status. */
  INTENTS(2, true),
  /** Worker to leader: bytes of chunks. */
  CHUNKS(3, true),
  /** Leader to worker: outcomes of intents. */
  ACKS(4, false),
  /** Leader to worker: log entries. */
  LOG(5, false),
  /** Leader to worker: bytes of chunks. */
  BULK(6, false);

  private final int code;
  private final boolean openedByWorker;

  StreamKind(int code, boolean openedByWorker) {
    this.code = code;
    this.openedByWorker = openedByWorker;
  }

  /** The kind with this code, or null if there is none. */
  public static @Nullable StreamKind ofCode(int code) {
    for (StreamKind kind : values()) {
      if (kind.code == code) {
        return kind;
      }
    }
    return null;
  }

  /** The stream on which this message is sent. */
  public static StreamKind of(WorkerMessage message) {
    return switch (message) {
      case WorkerMessage.Hello _,
          WorkerMessage.BarrierRequest _,
          WorkerMessage.WorkerApplied _,
          WorkerMessage.ChunkFetch _,
          WorkerMessage.LockRequest _,
          WorkerMessage.LockRelease _,
          WorkerMessage.LockCancel _,
          WorkerMessage.LockRenew _,
          WorkerMessage.OpenLeaseAcquire _,
          WorkerMessage.OpenLeaseRelease _,
          WorkerMessage.OpenLeaseRenew _,
          WorkerMessage.ChunkAbsent _,
          WorkerMessage.PastStateRequest _,
          WorkerMessage.PastStateRelease _,
          WorkerMessage.DecodeProgress _,
          WorkerMessage.MulticastHeard _,
          WorkerMessage.WorkerVisible _,
          WorkerMessage.RevocationsKept _ ->
          CONTROL;
      case WorkerMessage.SubmitIntent _, WorkerMessage.IntentStatusRequest _ -> INTENTS;
      case WorkerMessage.ChunkPut _, WorkerMessage.ChunkCopy _ -> CHUNKS;
    };
  }

  /** The stream on which this message is sent. */
  public static StreamKind of(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.Welcome _,
          LeaderMessage.Refused _,
          LeaderMessage.SnapshotOffer _,
          LeaderMessage.Heartbeat _,
          LeaderMessage.BarrierResponse _,
          LeaderMessage.LockResponse _,
          LeaderMessage.LockExpiryWarning _,
          LeaderMessage.ChunkWanted _,
          LeaderMessage.PastState _,
          LeaderMessage.PastStateRefused _,
          LeaderMessage.MulticastGroup _,
          LeaderMessage.SessionRenewed _,
          LeaderMessage.Notice _,
          LeaderMessage.VisibilityLease _,
          LeaderMessage.Revocations _ ->
          CONTROL;
      case LeaderMessage.IntentStatusResponse _,
          LeaderMessage.ChunkNeed _,
          LeaderMessage.CommitAck _,
          LeaderMessage.RateLimited _ ->
          ACKS;
      case LeaderMessage.LogEntries _ -> LOG;
      case LeaderMessage.ChunkData _, LeaderMessage.ChunkUnavailable _ -> BULK;
    };
  }

  /** The first byte of the stream, 1 to 6. */
  public int code() {
    return code;
  }

  /** Whether the worker opens it; only {@link #CONTROL} is used in both directions. */
  public boolean openedByWorker() {
    return openedByWorker;
  }
}
