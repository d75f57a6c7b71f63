package io.hypersync.wire.message;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.LockKind;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.op.ChunkRef;
import java.util.List;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** What a worker says to the leader (hypersync.md 9.5). */
public sealed interface WorkerMessage {

  /**
   * The first message of a connection; control stream.
   *
   * @param protocolVersion must be {@link Protocol#VERSION}
   * @param workspace the workspace the worker believes it belongs to
   * @param worker must equal the name in the worker's certificate
   * @param leaderEpochSeen the epoch of the last Welcome, if any
   * @param appliedIndex a_i: the log is wanted from the entry after this one on
   * @param appliedRoot the Merkle root at a_i: a leader which has another root there refuses
   * @param run random, another one after every start of the worker; names the owner of its locks
   * @param revision must be {@link Protocol#REVISION}
   * @param features what the worker can do beyond the base of the protocol
   */
  record Hello(
      String protocolVersion,
      WorkspaceId workspace,
      WorkerId worker,
      OptionalLong leaderEpochSeen,
      long appliedIndex,
      Hash appliedRoot,
      ClientId run,
      int revision,
      Features features)
      implements WorkerMessage {
    /** One of a worker of this version. */
    public Hello(
        WorkspaceId workspace,
        WorkerId worker,
        OptionalLong leaderEpochSeen,
        long appliedIndex,
        Hash appliedRoot,
        ClientId run) {
      this(
          Protocol.VERSION,
          workspace,
          worker,
          leaderEpochSeen,
          appliedIndex,
          appliedRoot,
          run,
          Protocol.REVISION,
          Features.SUPPORTED);
    }
  }

  /**
   * A mutation to commit (WriteIntentHeader and its kin); intents stream.
   *
   * @param intent idempotency key; a retry carries the same one (8.2)
   * @param agent who asks, for people; may be empty
   * @param op canonical bytes of the op ({@code OpCodec})
   * @param inlinePayload bytes of all chunks of the op one after another if they are at most {@link
   *     NegotiatedParams#inlineThreshold} together, else empty (9.2)
   * @param uploading the chunks that the worker sends along unasked, because the leader cannot have
   *     them yet; what is missing beyond them the leader asks for with ChunkNeed (9.3)
   */
  record SubmitIntent(
      IntentId intent, String agent, byte[] op, byte[] inlinePayload, List<Hash> uploading)
      implements WorkerMessage {
    /** Copies the list. */
    public SubmitIntent {
      uploading = List.copyOf(uploading);
    }
  }

  /** What became of this intent? After a reconnect (6.4); intents stream. */
  record IntentStatusRequest(IntentId intent) implements WorkerMessage {}

  /** What is the commit index now? (6.2); control stream. */
  record BarrierRequest(long requestId) implements WorkerMessage {}

  /**
   * Periodic report, which is also the worker's heartbeat; control stream.
   *
   * @param appliedIndex a_i
   * @param appliedRoot Merkle root at a_i
   * @param readOnly whether the mount refuses mutations
   * @param missingChunks how many chunks the worker waits for
   * @param applyError why it stopped, if it did (6.4.1)
   * @param pressure how full its machine is (12.4)
   */
  record WorkerApplied(
      long appliedIndex,
      Hash appliedRoot,
      boolean readOnly,
      int missingChunks,
      @Nullable ApplyError applyError,
      LocalPressure pressure)
      implements WorkerMessage {
    /** One of a worker that does not know how full its machine is. */
    public WorkerApplied(
        long appliedIndex,
        Hash appliedRoot,
        boolean readOnly,
        int missingChunks,
        @Nullable ApplyError applyError) {
      this(appliedIndex, appliedRoot, readOnly, missingChunks, applyError, LocalPressure.NOT_KNOWN);
    }
  }

  /**
   * The op that could not be applied, and why (6.4.1).
   *
   * @param root the Merkle root that comes of the entry here, if the log says another one; the
   *     leader then looks who is right
   */
  record ApplyError(long logIndex, Errno errno, String message, @Nullable Hash root) {
    /** One that is not about a root. */
    public ApplyError(long logIndex, Errno errno, String message) {
      this(logIndex, errno, message, null);
    }
  }

  /**
   * Bytes of one chunk on behalf of an intent; chunks stream, never through protobuf (9.3).
   *
   * @param intent the upload it belongs to (partial uploads are kept per intent, 9.3.1)
   */
  record ChunkPut(IntentId intent, Hash hash, byte[] bytes) implements WorkerMessage {}

  /**
   * Please send these chunks; control stream.
   *
   * @param chunks 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkFetch(List<ChunkRef> chunks) implements WorkerMessage {
    /** Copies the list. */
    public ChunkFetch {
      chunks = List.copyOf(chunks);
    }
  }

  /**
   * Lock, unlock, or ask who is in the way (10.2); control stream.
   *
   * @param intent the client is the run of Hello; numbers only grow, and the leader takes each once
   * @param owner the kernel's lock owner, unique on this worker
   * @param pid the process, to be shown to others of the same worker
   * @param range the whole file for flock
   */
  record LockRequest(
      IntentId intent, NodeId node, LockKind kind, long owner, int pid, LockRange range, Wish wish)
      implements WorkerMessage {
    /** What to do when somebody is in the way. */
    public enum Wish {
      /** Say so at once. */
      TRY,
      /** Wait. */
      WAIT,
      /** Say who it is, and change nothing in any case. */
      TEST
    }
  }

  /**
   * A descriptor was closed: whatever this owner has locked of the file is free; control stream.
   */
  record LockRelease(IntentId intent, NodeId node, LockSpace space, long owner)
      implements WorkerMessage {}

  /**
   * A LockRequest is given up; if it was granted meanwhile, that is undone; control stream.
   *
   * @param requestSeqNo the number of the request's intent, which is less than this one's
   */
  record LockCancel(IntentId intent, long requestSeqNo) implements WorkerMessage {}

  /**
   * All locks of this run are still wanted; control stream.
   *
   * @param answeredThrough LockResponses up to this number have arrived and will not be undone
   */
  record LockRenew(ClientId run, long leaderEpoch, long answeredThrough) implements WorkerMessage {}

  /**
   * Somebody on this worker has these nodes open now: they must not be reaped (6.8); control
   * stream. After a Welcome, and before the first WorkerApplied, everything that is open is said
   * again.
   *
   * @param leaderEpoch whom it is said to: the epoch of the Welcome
   * @param nodes 1 to {@link Protocol#MAX_NODES_PER_MESSAGE}
   */
  record OpenLeaseAcquire(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    /** Copies the list. */
    public OpenLeaseAcquire {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Nobody on this worker has these nodes open any more; control stream.
   *
   * @param leaderEpoch whom it is said to
   * @param nodes 1 to {@link Protocol#MAX_NODES_PER_MESSAGE}
   */
  record OpenLeaseRelease(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    /** Copies the list. */
    public OpenLeaseRelease {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * All leases of this worker go on; control stream, every third of OPEN_LEASE_TTL. A worker's
   * leases live and end together, so those of nodes that have names, which nobody may reap anyway,
   * need not be listed.
   *
   * @param leaderEpoch whom it is said to
   * @param nodes the orphans among them, at most {@link Protocol#MAX_NODES_PER_MESSAGE} in one
   *     message
   */
  record OpenLeaseRenew(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    /** Copies the list. */
    public OpenLeaseRenew {
      nodes = List.copyOf(nodes);
    }
  }
}
