package io.hypersync.wire.message;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkspaceId;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What the leader says to a worker (hypersync.md 9.5). */
public sealed interface LeaderMessage {

  /**
   * The Hello was accepted; control stream. The log follows from {@code Hello.appliedIndex + 1}.
   *
   * @param leaderEpoch random, another one after every start of the leader
   * @param commitIndex the newest durable entry
   * @param heartbeatMs how often the leader will be heard from at least
   * @param inlineThreshold payloads up to this many bytes travel inside the intent
   */
  record Welcome(
      WorkspaceId workspace,
      long leaderEpoch,
      long commitIndex,
      int heartbeatMs,
      int inlineThreshold)
      implements LeaderMessage {}

  /** The Hello was not accepted; the connection ends. Retrying without a change is useless. */
  record Refused(Reason reason, String message) implements LeaderMessage {
    /** Why; the code travels. */
    public enum Reason {
      /** Another protocol version. */
      PROTOCOL_VERSION,
      /** Another workspace. */
      WORKSPACE,
      /** The certificate is for another worker. */
      IDENTITY,
      /** The worker is ahead of the log, or has another root at its index: its state is foreign. */
      DIVERGED,
      /** Another connection of the same worker_id is alive. */
      DUPLICATE,
      /** A message that makes no sense here. */
      PROTOCOL_ERROR
    }
  }

  /** I am alive; control stream. */
  record Heartbeat(long leaderEpoch, long commitIndex) implements LeaderMessage {}

  /** Answer to a BarrierRequest; control stream. */
  record BarrierResponse(long requestId, long commitIndex) implements LeaderMessage {}

  /** Answer to an IntentStatusRequest; acks stream. */
  record IntentStatusResponse(IntentId intent, Status status, @Nullable Committed committed)
      implements LeaderMessage {
    /** What became of the intent. */
    public enum Status {
      /** It is in the log; {@code committed} says where. */
      COMMITTED,
      /** Nothing is known of it: it was never received, or it failed. */
      NOT_FOUND,
      /** It is being worked on; its CommitAck will follow. */
      IN_FLIGHT
    }
  }

  /**
   * These chunks are missing; acks stream (9.3).
   *
   * @param missing 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkNeed(IntentId intent, List<Hash> missing) implements LeaderMessage {
    /** Copies the list. */
    public ChunkNeed {
      missing = List.copyOf(missing);
    }
  }

  /**
   * The end of an intent; acks stream.
   *
   * @param errno null on success
   * @param committed where it is in the log; null exactly when errno is not
   * @param asOfIndex an error was decided on the state after this entry: the worker applies up to
   *     here before it answers the caller; on success the entry's own index
   */
  record CommitAck(
      IntentId intent, @Nullable Errno errno, @Nullable Committed committed, long asOfIndex)
      implements LeaderMessage {}

  /**
   * A place in the log.
   *
   * @param appliedOffset the leader-chosen offset of an APPEND, else -1
   */
  record Committed(long logIndex, OpId opId, long committedAtNs, Hash root, long appliedOffset) {}

  /**
   * Committed entries in order, each the canonical bytes of {@code LogEntryCodec}; log stream.
   *
   * @param commitIndex at least the index of the last entry
   * @param entries at least one, none empty; the message must fit in {@link
   *     Protocol#MAX_FRAME_BYTES}
   */
  record LogEntries(long commitIndex, List<byte[]> entries) implements LeaderMessage {
    /** Copies the list. */
    public LogEntries {
      entries = List.copyOf(entries);
    }
  }

  /** Bytes of one chunk; bulk stream, never through protobuf. */
  record ChunkData(Hash hash, byte[] bytes) implements LeaderMessage {}

  /** A ChunkFetch asked for this, and the leader cannot read it; bulk stream. */
  record ChunkUnavailable(Hash hash, Errno errno, String message) implements LeaderMessage {}
}
