package io.hypersync.wire.message;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.hazard.CallContext;
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

/** A message from a worker to the leader (hypersync.md 9.5). */
public sealed interface WorkerMessage {

  /**
   * The first message of a connection; control stream.
   *
   * @param protocolVersion must be {@link Protocol#VERSION}
   * @param workspace the workspace that the worker belongs to, as it was configured
   * @param worker must equal the name in the worker's certificate
   * @param leaderEpochSeen the epoch of the last Welcome, if there was one
   * @param appliedIndex a_i: the leader is to send the log from the next entry on
   * @param appliedRoot the Merkle root at a_i; a leader with another root there refuses
   * @param run random, chosen at every start of the worker; names the owner of its locks
   * @param revision must be {@link Protocol#REVISION}
   * @param features the optional features that the worker supports
   * @param resumeToken the last one that the leader has given; empty if there is none; ASCII, at
   *     most {@link SessionGrant#MAX_TOKEN} characters
   * @param seen the newest state that the worker has ever shown: a leader that does not have it is
   *     not to serve
   * @param noticesSeen the number of the newest notice that was taken in the session which the
   *     token names; 0 if there was none. The leader sends those behind it again
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
      Features features,
      String resumeToken,
      SeenState seen,
      long noticesSeen)
      implements WorkerMessage {
    /** A Hello of a worker that remembers no state, and has taken no notice. */
    public Hello(
        String protocolVersion,
        WorkspaceId workspace,
        WorkerId worker,
        OptionalLong leaderEpochSeen,
        long appliedIndex,
        Hash appliedRoot,
        ClientId run,
        int revision,
        Features features,
        String resumeToken) {
      this(
          protocolVersion,
          workspace,
          worker,
          leaderEpochSeen,
          appliedIndex,
          appliedRoot,
          run,
          revision,
          features,
          resumeToken,
          SeenState.NONE,
          0);
    }

    /** A Hello of this version's revision and features, of a worker without a session. */
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
          Features.SUPPORTED,
          "",
          SeenState.NONE,
          0);
    }
  }

  /**
   * A mutation to commit (WriteIntentHeader and its kin); intents stream.
   *
   * @param intent idempotency key; a retry carries the same one (8.2)
   * @param agent the name of the agent that made the call, for reports; empty if it is not known
   * @param op canonical bytes of the op ({@code OpCodec})
   * @param inlinePayload the concatenated bytes of all chunks of the op if they are at most {@link
   *     NegotiatedParams#inlineThreshold} together, else empty (9.2)
   * @param uploading the chunks that the worker sends without being asked, because the leader
   *     cannot have them yet; others that are missing are requested with ChunkNeed (9.3)
   * @param context of the call, for reports of hazards (11)
   * @param lockSession the lock session in which the locks were granted that the call's descriptor
   *     or process holds, or has lost; the leader refuses the intent with EIO if another one has
   *     begun (10.2). 0 if it holds none
   */
  record SubmitIntent(
      IntentId intent,
      String agent,
      byte[] op,
      byte[] inlinePayload,
      List<Hash> uploading,
      CallContext context,
      long lockSession)
      implements WorkerMessage {
    public SubmitIntent {
      uploading = List.copyOf(uploading);
    }

    /** An intent of whose call nothing is known, and which no lock covers. */
    public SubmitIntent(
        IntentId intent, String agent, byte[] op, byte[] inlinePayload, List<Hash> uploading) {
      this(intent, agent, op, inlinePayload, uploading, CallContext.NONE, 0);
    }
  }

  /** Asks for the outcome of an intent after a reconnect (6.4); intents stream. */
  record IntentStatusRequest(IntentId intent) implements WorkerMessage {}

  /** Asks for the present commit index (6.2); control stream. */
  record BarrierRequest(long requestId) implements WorkerMessage {}

  /**
   * Periodic report, also the worker's heartbeat; control stream.
   *
   * @param visibleIndex the newest entry that is visible on the mount, v, not a_i: the leader reaps
   *     orphans by it (6.8)
   * @param visibleRoot the Merkle root of S_v
   * @param readOnly whether the mount refuses mutations
   * @param missingChunks how many chunks the worker is waiting for
   * @param applyError why apply has stopped, or null if it has not (6.4.1)
   * @param pressure how loaded its host is (12.4)
   * @param syncedIndex of a standby: all entries up to this one, and all that they need, are on its
   *     disk; 0 while something is missing there. {@link #NO_STANDBY} of a worker
   */
  record WorkerApplied(
      long visibleIndex,
      Hash visibleRoot,
      boolean readOnly,
      int missingChunks,
      @Nullable ApplyError applyError,
      LocalPressure pressure,
      long syncedIndex)
      implements WorkerMessage {
    /** Of a worker, which keeps no log. */
    public static final long NO_STANDBY = -1;

    /** Whether it is a standby that reports. */
    public boolean isStandby() {
      return syncedIndex != NO_STANDBY;
    }

    /** A report of a worker. */
    public WorkerApplied(
        long visibleIndex,
        Hash visibleRoot,
        boolean readOnly,
        int missingChunks,
        @Nullable ApplyError applyError,
        LocalPressure pressure) {
      this(visibleIndex, visibleRoot, readOnly, missingChunks, applyError, pressure, NO_STANDBY);
    }

    /** A report without the load of the host. */
    public WorkerApplied(
        long visibleIndex,
        Hash visibleRoot,
        boolean readOnly,
        int missingChunks,
        @Nullable ApplyError applyError) {
      this(visibleIndex, visibleRoot, readOnly, missingChunks, applyError, LocalPressure.NOT_KNOWN);
    }
  }

  /**
   * The entry that could not be applied, and why (6.4.1).
   *
   * @param root the Merkle root that this worker computed after the entry, if it differs from the
   *     log's, else null; the leader then audits its log to find out which one is right
   */
  record ApplyError(long logIndex, Errno errno, String message, @Nullable Hash root) {
    /** An error other than a differing root. */
    public ApplyError(long logIndex, Errno errno, String message) {
      this(logIndex, errno, message, null);
    }
  }

  /**
   * The bytes of one chunk, sent for an intent; chunks stream, with a fixed header instead of
   * protobuf (9.3).
   *
   * @param intent the upload it belongs to; incomplete uploads are kept per intent (9.3.1)
   */
  record ChunkPut(IntentId intent, Hash hash, byte[] bytes) implements WorkerMessage {}

  /**
   * Requests chunks; control stream.
   *
   * @param chunks 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkFetch(List<ChunkRef> chunks) implements WorkerMessage {
    public ChunkFetch {
      chunks = List.copyOf(chunks);
    }
  }

  /**
   * The bytes of a chunk that the leader has asked for with {@link LeaderMessage.ChunkWanted};
   * chunks stream, with a fixed header instead of protobuf.
   */
  record ChunkCopy(Hash hash, byte[] bytes) implements WorkerMessage {}

  /**
   * Answers {@link LeaderMessage.ChunkWanted}: these are not here, or damaged; control stream.
   *
   * @param hashes 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkAbsent(List<Hash> hashes) implements WorkerMessage {
    public ChunkAbsent {
      hashes = List.copyOf(hashes);
    }
  }

  /**
   * Asks for a state of the past, and holds it at the leader until {@link PastStateRelease} or the
   * end of this run; answered with {@link LeaderMessage.PastState} or {@link
   * LeaderMessage.PastStateRefused}; control stream. Only if {@link Feature#PAST_STATES} was
   * negotiated. After a reconnect it is sent again for each state that is mounted.
   *
   * @param requestId repeated in the answer
   * @param moment a snapshot's name, an index, a time, how long ago, or {@code head}; 1 to {@link
   *     Protocol#MAX_MOMENT_BYTES} bytes
   */
  record PastStateRequest(long requestId, String moment) implements WorkerMessage {}

  /** A state of the past is not mounted here any more; control stream. */
  record PastStateRelease(long index) implements WorkerMessage {}

  /**
   * What has come of the symbols of this connection; control stream, while symbols arrive
   * (hypersync.md 12.4).
   *
   * @param push the newest push of which a symbol has arrived ({@link ChunkSymbol#push}), 1 or more
   * @param backlogBytes symbols here of chunks that are not complete, and chunks that are not
   *     stored yet, in bytes
   */
  record DecodeProgress(long push, int backlogBytes) implements WorkerMessage {}

  /**
   * What has come of the leader's multicast packets since this worker began to listen; control
   * stream. Sent when the first one is heard, and then while more come.
   *
   * @param epoch the one of the MulticastGroup
   * @param newestPacket the highest packet number heard, from 1 on
   * @param received how many different packets of the leader's were heard, from 1 on
   * @param rejected how many others came: of strangers, of an older run, forged, repeated
   */
  record MulticastHeard(long epoch, long newestPacket, long received, long rejected)
      implements WorkerMessage {}

  /**
   * What the processes of this host see by now, from the daemon and from their kernel's caches;
   * control stream. Sent only while a {@link LeaderMessage.VisibilityLease} is needed: when more
   * entries of others are settled, once in a turn of the agent, and to renew the lease.
   *
   * @param settledIndex the newest entry whose invalidations the kernel has completed
   * @param sentNs when it was sent, in nanoseconds of the worker's own monotonic clock, from 1;
   *     only the worker makes something of it
   */
  record WorkerVisible(long settledIndex, long sentNs) implements WorkerMessage {}

  /**
   * What the leader said last of revoked certificates is on the disk of this standby; control
   * stream.
   *
   * @param count how many revocations that were, 0 to {@link Revocation#MAX}
   */
  record RevocationsKept(int count) implements WorkerMessage {}

  /**
   * Locks, unlocks or tests for a conflict (10.2); control stream.
   *
   * @param intent its client is the run of Hello; its numbers only grow, and the leader executes
   *     each once
   * @param owner the kernel's lock owner, unique on this worker
   * @param pid the process, shown to others of the same worker
   * @param range the whole file for flock
   */
  record LockRequest(
      IntentId intent, NodeId node, LockKind kind, long owner, int pid, LockRange range, Wish wish)
      implements WorkerMessage {
    /** What the leader does if there is a conflicting lock. */
    public enum Wish {
      /** Deny at once. */
      TRY,
      /** Wait until the lock can be granted. */
      WAIT,
      /** Report the holder; change nothing in any case. */
      TEST
    }
  }

  /** Releases all locks of an owner on a file, because a descriptor was closed; control stream. */
  record LockRelease(IntentId intent, NodeId node, LockSpace space, long owner)
      implements WorkerMessage {}

  /**
   * Cancels a LockRequest: ends its wait, or undoes its grant, which restores what the owner held
   * before; control stream.
   *
   * @param requestSeqNo the {@code seqNo} of the request's intent, less than that of this one
   */
  record LockCancel(IntentId intent, long requestSeqNo) implements WorkerMessage {}

  /**
   * Renews all locks of this run; control stream.
   *
   * @param answeredThrough LockResponses up to this number have arrived and will not be undone
   */
  record LockRenew(ClientId run, long leaderEpoch, long answeredThrough) implements WorkerMessage {}

  /**
   * Acquires open-leases: these nodes are open on this worker's host and must not be reaped (6.8);
   * control stream. After a Welcome, and before the first WorkerApplied, it is sent again for all
   * open nodes.
   *
   * @param leaderEpoch the epoch of the Welcome; the leader ignores the message if it is not its
   *     own
   * @param nodes 1 to {@link Protocol#MAX_NODES_PER_MESSAGE}
   */
  record OpenLeaseAcquire(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    public OpenLeaseAcquire {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Releases open-leases: these nodes are not open on this worker's host any more; control stream.
   *
   * @param leaderEpoch the epoch of the Welcome
   * @param nodes 1 to {@link Protocol#MAX_NODES_PER_MESSAGE}
   */
  record OpenLeaseRelease(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    public OpenLeaseRelease {
      nodes = List.copyOf(nodes);
    }
  }

  /**
   * Renews all open-leases of this worker; control stream, every third of OPEN_LEASE_TTL. The
   * leases of a worker are renewed and expire together, so nodes that have names, and therefore
   * cannot be reaped, need not be listed.
   *
   * @param leaderEpoch the epoch of the Welcome
   * @param nodes the orphans among the open nodes, at most {@link Protocol#MAX_NODES_PER_MESSAGE}
   *     in one message
   */
  record OpenLeaseRenew(long leaderEpoch, List<NodeId> nodes) implements WorkerMessage {
    public OpenLeaseRenew {
      nodes = List.copyOf(nodes);
    }
  }
}
