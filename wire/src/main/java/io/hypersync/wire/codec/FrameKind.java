package io.hypersync.wire.codec;

import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.op.ChunkRef;
import io.hypersync.wire.message.LeaderMessage;
import io.hypersync.wire.message.Protocol;
import io.hypersync.wire.message.Revocation;
import io.hypersync.wire.message.StreamKind;
import io.hypersync.wire.message.WorkerMessage;
import org.jspecify.annotations.Nullable;

/**
 * The kind byte of a frame, with the stream it is sent on and the length limit of its body. The
 * codes are part of the wire format; those from 0x40 on are the leader's.
 */
enum FrameKind {
  HELLO(0x01, StreamKind.CONTROL, FrameKind.SMALL),
  BARRIER_REQUEST(0x02, StreamKind.CONTROL, FrameKind.SMALL),
  WORKER_APPLIED(0x03, StreamKind.CONTROL, FrameKind.SMALL),
  CHUNK_FETCH(0x04, StreamKind.CONTROL, FrameKind.HASHES),
  LOCK_REQUEST(0x05, StreamKind.CONTROL, FrameKind.SMALL),
  LOCK_RELEASE(0x06, StreamKind.CONTROL, FrameKind.SMALL),
  LOCK_CANCEL(0x07, StreamKind.CONTROL, FrameKind.SMALL),
  LOCK_RENEW(0x08, StreamKind.CONTROL, FrameKind.SMALL),
  OPEN_LEASE_ACQUIRE(0x09, StreamKind.CONTROL, FrameKind.NODES),
  OPEN_LEASE_RELEASE(0x0a, StreamKind.CONTROL, FrameKind.NODES),
  OPEN_LEASE_RENEW(0x0b, StreamKind.CONTROL, FrameKind.NODES),
  CHUNK_ABSENT(0x0c, StreamKind.CONTROL, FrameKind.HASHES),
  PAST_STATE_REQUEST(0x0d, StreamKind.CONTROL, FrameKind.SMALL),
  PAST_STATE_RELEASE(0x0e, StreamKind.CONTROL, FrameKind.SMALL),
  DECODE_PROGRESS(0x0f, StreamKind.CONTROL, FrameKind.SMALL),
  SUBMIT_INTENT(0x10, StreamKind.INTENTS, FrameKind.INTENT),
  INTENT_STATUS_REQUEST(0x11, StreamKind.INTENTS, FrameKind.SMALL),
  MULTICAST_HEARD(0x12, StreamKind.CONTROL, FrameKind.SMALL),
  WORKER_VISIBLE(0x13, StreamKind.CONTROL, FrameKind.SMALL),
  REVOCATIONS_KEPT(0x14, StreamKind.CONTROL, FrameKind.SMALL),
  CHUNK_PUT(0x20, StreamKind.CHUNKS, ClientId.BYTES + 8 + Hash.BYTES + ChunkRef.MAX_LENGTH),
  CHUNK_COPY(0x21, StreamKind.CHUNKS, Hash.BYTES + ChunkRef.MAX_LENGTH),

  WELCOME(0x41, StreamKind.CONTROL, FrameKind.SMALL),
  REFUSED(0x42, StreamKind.CONTROL, FrameKind.SMALL),
  HEARTBEAT(0x43, StreamKind.CONTROL, FrameKind.SMALL),
  BARRIER_RESPONSE(0x44, StreamKind.CONTROL, FrameKind.SMALL),
  LOCK_RESPONSE(0x45, StreamKind.CONTROL, FrameKind.SMALL),
  LOCK_EXPIRY_WARNING(0x46, StreamKind.CONTROL, FrameKind.SMALL),
  SNAPSHOT_OFFER(0x47, StreamKind.CONTROL, FrameKind.MANIFEST),
  CHUNK_WANTED(0x48, StreamKind.CONTROL, FrameKind.HASHES),
  PAST_STATE(0x49, StreamKind.CONTROL, FrameKind.MANIFEST),
  PAST_STATE_REFUSED(0x4a, StreamKind.CONTROL, FrameKind.SMALL),
  MULTICAST_GROUP(0x4b, StreamKind.CONTROL, FrameKind.SMALL),
  REVOCATIONS(0x4c, StreamKind.CONTROL, FrameKind.REVOKED),
  SESSION_RENEWED(0x4d, StreamKind.CONTROL, FrameKind.SMALL),
  NOTICE(0x4e, StreamKind.CONTROL, FrameKind.SMALL),
  VISIBILITY_LEASE(0x4f, StreamKind.CONTROL, FrameKind.SMALL),
  COMMIT_ACK(0x50, StreamKind.ACKS, FrameKind.SMALL),
  CHUNK_NEED(0x51, StreamKind.ACKS, FrameKind.HASHES),
  INTENT_STATUS_RESPONSE(0x52, StreamKind.ACKS, FrameKind.SMALL),
  RATE_LIMITED(0x53, StreamKind.ACKS, FrameKind.SMALL),
  LOG_ENTRIES(0x58, StreamKind.LOG, Protocol.MAX_FRAME_BYTES - FrameCodec.HEADER_BYTES),
  CHUNK_DATA(0x60, StreamKind.BULK, Hash.BYTES + ChunkRef.MAX_LENGTH),
  CHUNK_UNAVAILABLE(0x61, StreamKind.BULK, FrameKind.SMALL);

  /** Codes from this one on are of messages from the leader. */
  private static final int FIRST_LEADER_CODE = 0x40;

  /** Limit for a few fields and a text, in bytes. */
  private static final int SMALL = 64 * 1024;

  /** Limit for {@link Protocol#MAX_HASHES_PER_MESSAGE} hashes with their lengths, in bytes. */
  private static final int HASHES = 256 * 1024;

  /** Limit for a manifest with its index and root, in bytes. */
  private static final int MANIFEST = Protocol.MAX_MANIFEST_BYTES + 64;

  /** Limit for {@link Protocol#MAX_NODES_PER_MESSAGE} node ids, in bytes. */
  private static final int NODES = 80 * 1024;

  /** Limit for {@link Revocation#MAX} revocations, in bytes. */
  private static final int REVOKED = 512 * 1024;

  /** Limit for an op with its chunk references and an inline payload, in bytes. */
  private static final int INTENT = 1024 * 1024;

  private static final @Nullable FrameKind[] BY_CODE = new FrameKind[256];

  static {
    for (FrameKind kind : values()) {
      BY_CODE[kind.code] = kind;
    }
  }

  private final int code;
  private final StreamKind stream;
  private final int maxBodyBytes;

  FrameKind(int code, StreamKind stream, int maxBodyBytes) {
    this.code = code;
    this.stream = stream;
    this.maxBodyBytes = maxBodyBytes;
  }

  static @Nullable FrameKind ofCode(int code) {
    return BY_CODE[code & 0xff];
  }

  static FrameKind of(WorkerMessage message) {
    return switch (message) {
      case WorkerMessage.Hello _ -> HELLO;
      case WorkerMessage.BarrierRequest _ -> BARRIER_REQUEST;
      case WorkerMessage.WorkerApplied _ -> WORKER_APPLIED;
      case WorkerMessage.ChunkFetch _ -> CHUNK_FETCH;
      case WorkerMessage.LockRequest _ -> LOCK_REQUEST;
      case WorkerMessage.LockRelease _ -> LOCK_RELEASE;
      case WorkerMessage.LockCancel _ -> LOCK_CANCEL;
      case WorkerMessage.LockRenew _ -> LOCK_RENEW;
      case WorkerMessage.OpenLeaseAcquire _ -> OPEN_LEASE_ACQUIRE;
      case WorkerMessage.OpenLeaseRelease _ -> OPEN_LEASE_RELEASE;
      case WorkerMessage.OpenLeaseRenew _ -> OPEN_LEASE_RENEW;
      case WorkerMessage.SubmitIntent _ -> SUBMIT_INTENT;
      case WorkerMessage.IntentStatusRequest _ -> INTENT_STATUS_REQUEST;
      case WorkerMessage.ChunkPut _ -> CHUNK_PUT;
      case WorkerMessage.ChunkCopy _ -> CHUNK_COPY;
      case WorkerMessage.ChunkAbsent _ -> CHUNK_ABSENT;
      case WorkerMessage.PastStateRequest _ -> PAST_STATE_REQUEST;
      case WorkerMessage.PastStateRelease _ -> PAST_STATE_RELEASE;
      case WorkerMessage.DecodeProgress _ -> DECODE_PROGRESS;
      case WorkerMessage.MulticastHeard _ -> MULTICAST_HEARD;
      case WorkerMessage.WorkerVisible _ -> WORKER_VISIBLE;
      case WorkerMessage.RevocationsKept _ -> REVOCATIONS_KEPT;
    };
  }

  static FrameKind of(LeaderMessage message) {
    return switch (message) {
      case LeaderMessage.Welcome _ -> WELCOME;
      case LeaderMessage.Refused _ -> REFUSED;
      case LeaderMessage.SnapshotOffer _ -> SNAPSHOT_OFFER;
      case LeaderMessage.Heartbeat _ -> HEARTBEAT;
      case LeaderMessage.BarrierResponse _ -> BARRIER_RESPONSE;
      case LeaderMessage.LockResponse _ -> LOCK_RESPONSE;
      case LeaderMessage.LockExpiryWarning _ -> LOCK_EXPIRY_WARNING;
      case LeaderMessage.ChunkWanted _ -> CHUNK_WANTED;
      case LeaderMessage.PastState _ -> PAST_STATE;
      case LeaderMessage.PastStateRefused _ -> PAST_STATE_REFUSED;
      case LeaderMessage.MulticastGroup _ -> MULTICAST_GROUP;
      case LeaderMessage.Revocations _ -> REVOCATIONS;
      case LeaderMessage.SessionRenewed _ -> SESSION_RENEWED;
      case LeaderMessage.Notice _ -> NOTICE;
      case LeaderMessage.VisibilityLease _ -> VISIBILITY_LEASE;
      case LeaderMessage.CommitAck _ -> COMMIT_ACK;
      case LeaderMessage.ChunkNeed _ -> CHUNK_NEED;
      case LeaderMessage.IntentStatusResponse _ -> INTENT_STATUS_RESPONSE;
      case LeaderMessage.RateLimited _ -> RATE_LIMITED;
      case LeaderMessage.LogEntries _ -> LOG_ENTRIES;
      case LeaderMessage.ChunkData _ -> CHUNK_DATA;
      case LeaderMessage.ChunkUnavailable _ -> CHUNK_UNAVAILABLE;
    };
  }

  int code() {
    return code;
  }

  StreamKind stream() {
    return stream;
  }

  int maxBodyBytes() {
    return maxBodyBytes;
  }

  boolean fromLeader() {
    return code >= FIRST_LEADER_CODE;
  }
}
