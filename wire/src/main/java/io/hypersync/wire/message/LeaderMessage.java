package io.hypersync.wire.message;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.hash.Hash;
import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.OpId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.id.WorkspaceId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockSpace;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A message from the leader to a worker (hypersync.md 9.5). */
public sealed interface LeaderMessage {

  /**
   * Accepts a Hello; control stream. Log entries follow from {@code Hello.appliedIndex + 1} on, or
   * a {@link SnapshotOffer} follows.
   *
   * @param leaderEpoch random, chosen at every start of the leader
   * @param commitIndex the newest durable entry
   * @param heartbeatMs the longest interval between two messages of the leader, 1 or more
   * @param params how the worker is to send
   * @param lockSession random; a value other than in the last Welcome means that all locks of this
   *     run are lost (10.2)
   * @param openLeaseTtlMs OPEN_LEASE_TTL: leases are renewed three times in it (6.8)
   * @param revision must be {@link Protocol#REVISION}
   * @param collectedThrough the leader may have collected chunks that entries up to this one
   *     mention and that its head does not have (14.2); 0 if not. These entries are applied without
   *     theirs
   * @param grant the worker's session
   * @param lineage of this leader's state; 0 if it was never rewound ({@link SeenState})
   * @param term grows with each takeover within a lineage: a leader of a lower one was deposed
   */
  record Welcome(
      WorkspaceId workspace,
      long leaderEpoch,
      long commitIndex,
      int heartbeatMs,
      NegotiatedParams params,
      long lockSession,
      int openLeaseTtlMs,
      int revision,
      long collectedThrough,
      SessionGrant grant,
      long lineage,
      long term)
      implements LeaderMessage {
    /** A Welcome of a leader whose state was never rewound, nor taken over. */
    public Welcome(
        WorkspaceId workspace,
        long leaderEpoch,
        long commitIndex,
        int heartbeatMs,
        NegotiatedParams params,
        long lockSession,
        int openLeaseTtlMs,
        int revision,
        long collectedThrough,
        SessionGrant grant) {
      this(
          workspace,
          leaderEpoch,
          commitIndex,
          heartbeatMs,
          params,
          lockSession,
          openLeaseTtlMs,
          revision,
          collectedThrough,
          grant,
          0,
          0);
    }

    /**
     * A Welcome of this version's revision, of a leader that has collected nothing and knows no
     * sessions.
     */
    public Welcome(
        WorkspaceId workspace,
        long leaderEpoch,
        long commitIndex,
        int heartbeatMs,
        NegotiatedParams params,
        long lockSession,
        int openLeaseTtlMs) {
      this(
          workspace,
          leaderEpoch,
          commitIndex,
          heartbeatMs,
          params,
          lockSession,
          openLeaseTtlMs,
          Protocol.REVISION,
          0,
          SessionGrant.NONE);
    }
  }

  /** Rejects a Hello; the connection ends. Retrying without a change is useless. */
  record Refused(Reason reason, String message) implements LeaderMessage {
    /** The reason; its code is part of the wire format. */
    public enum Reason {
      /** The worker uses another version of the protocol. */
      PROTOCOL_VERSION,
      /** The worker belongs to another workspace. */
      WORKSPACE,
      /** The certificate is for another worker id. */
      IDENTITY,
      /**
       * The worker is ahead of the log, or has another root at its index: its state is not this
       * log's.
       */
      DIVERGED,
      /** Another connection with the same worker id is alive. */
      DUPLICATE,
      /** A message that is invalid at this point. */
      PROTOCOL_ERROR,
      /** Another connection has taken up this session by its token. */
      SESSION_REPLACED,
      /** The certificate was revoked. */
      REVOKED
    }
  }

  /**
   * A new resume token for the session, in place of the one before; control stream. Sent three
   * times in the time of a lease.
   *
   * @param token 1 to {@link SessionGrant#MAX_TOKEN} ASCII characters
   */
  record SessionRenewed(String token) implements LeaderMessage {
    /** Does not contain the token, which is a secret. */
    @Override
    public String toString() {
      return "SessionRenewed[token=" + token.length() + " characters]";
    }
  }

  /**
   * Tells a standby which certificates are revoked, so that it knows when it is promoted; control
   * stream. Sent when it has reported as a standby, and at each change; answered with {@link
   * WorkerMessage.RevocationsKept}.
   *
   * @param all at most {@link Revocation#MAX}
   */
  record Revocations(List<Revocation> all) implements LeaderMessage {
    /** A copy that nobody changes. */
    public Revocations {
      all = List.copyOf(all);
    }
  }

  /**
   * Tells a worker what no entry of the log tells; control stream. What is for a worker that has no
   * connection waits in its session, and is sent behind the next Welcome.
   *
   * @param number counts the notices of a session, from 1; the worker takes each number once, and a
   *     gap is what the leader had no room for
   * @param atNs when, in nanoseconds since 1970
   * @param about the worker that it is about, which may be the one that is told
   * @param text for a person, at most {@link #MAX_TEXT} characters; untrusted
   */
  record Notice(long number, long atNs, Kind kind, WorkerId about, String text)
      implements LeaderMessage {
    /** The longest text, in characters. */
    public static final int MAX_TEXT = 1_000;

    /** What has happened. */
    public enum Kind {
      /** Somebody at the leader's host says something to the people of this host. */
      MESSAGE,
      /** The leader has freed locks that this worker had not renewed in time (10.2). */
      LOCKS_LOST,
      /** Another worker's presence lease has begun. */
      WORKER_JOINED,
      /** Another worker's presence lease has ended. */
      WORKER_LEFT
    }
  }

  /**
   * With {@code visibility = "everywhere"}: acknowledgements wait for what this worker shows, for
   * as long as it holds this lease; without it the mount is read-only. Control stream: before each
   * Welcome, when the mode is turned on or off, and in answer to {@link
   * WorkerMessage.WorkerVisible}.
   *
   * @param leaseMs how long the lease is, from {@code sentNs} on; 0 if none is needed, at most
   *     {@link #MAX_LEASE_MS}
   * @param sentNs of the WorkerVisible that this answers; 0 if this grants nothing
   */
  record VisibilityLease(int leaseMs, long sentNs) implements LeaderMessage {
    /** The longest lease, in milliseconds. */
    public static final int MAX_LEASE_MS = 600_000;
  }

  /**
   * Follows a Welcome at once, instead of log entries: the worker needs entries that the log does
   * not hold any more, or too many of them (13.2); control stream. The worker fetches the pages
   * that it does not have with ChunkFetch, and connects again when it has the snapshot.
   *
   * @param index the last entry that the snapshot has, above {@code Hello.appliedIndex}
   * @param root the root after that entry
   * @param manifest at most {@link Protocol#MAX_MANIFEST_BYTES}
   */
  record SnapshotOffer(long index, Hash root, byte[] manifest) implements LeaderMessage {}

  /**
   * A state of the past, which the leader holds for this worker; control stream. Its pages and
   * chunks are fetched with ChunkFetch.
   *
   * @param requestId that of the PastStateRequest
   * @param index its last entry
   * @param root the root after that entry
   * @param manifest 1 to {@link Protocol#MAX_MANIFEST_BYTES} bytes
   */
  record PastState(long requestId, long index, Hash root, byte[] manifest)
      implements LeaderMessage {}

  /**
   * The leader cannot hold the state that was asked for; control stream.
   *
   * @param requestId that of the PastStateRequest
   * @param message why, for a person
   * @param hint what to do; may be empty
   */
  record PastStateRefused(long requestId, String message, String hint) implements LeaderMessage {}

  /**
   * The leader's store has lost these chunks: the worker answers each with ChunkCopy or
   * ChunkAbsent; control stream.
   *
   * @param hashes 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkWanted(List<Hash> hashes) implements LeaderMessage {
    public ChunkWanted {
      hashes = List.copyOf(hashes);
    }
  }

  /**
   * Says that the leader is alive; control stream.
   *
   * @param freeBytes how many bytes the leader's filesystem of log and chunks can still take, or
   *     {@link #UNKNOWN}
   * @param standing how this standby stands, if the leader waits for it; else null
   */
  record Heartbeat(
      long leaderEpoch, long commitIndex, long freeBytes, @Nullable StandbyStanding standing)
      implements LeaderMessage {
    /** The leader does not say how much space it has. */
    public static final long UNKNOWN = -1;

    /** A Heartbeat to somebody whom nobody waits for. */
    public Heartbeat(long leaderEpoch, long commitIndex, long freeBytes) {
      this(leaderEpoch, commitIndex, freeBytes, null);
    }

    /** A Heartbeat without the free space. */
    public Heartbeat(long leaderEpoch, long commitIndex) {
      this(leaderEpoch, commitIndex, UNKNOWN);
    }
  }

  /** Response to a BarrierRequest; control stream. */
  record BarrierResponse(long requestId, long commitIndex) implements LeaderMessage {}

  /**
   * Response to an IntentStatusRequest; acks stream. {@code committed} is null unless COMMITTED.
   */
  record IntentStatusResponse(IntentId intent, Status status, @Nullable Committed committed)
      implements LeaderMessage {
    /** The outcome of the intent so far. */
    public enum Status {
      /** It is in the log, at {@code committed}. */
      COMMITTED,
      /** The leader has no record of it: it was never received, or it failed. */
      NOT_FOUND,
      /** It is being processed; its CommitAck will follow. */
      IN_FLIGHT
    }
  }

  /**
   * Asks for the chunks that an intent lacks; acks stream (9.3).
   *
   * @param missing 1 to {@link Protocol#MAX_HASHES_PER_MESSAGE}
   */
  record ChunkNeed(IntentId intent, List<Hash> missing) implements LeaderMessage {
    public ChunkNeed {
      missing = List.copyOf(missing);
    }
  }

  /**
   * The outcome of an intent; acks stream.
   *
   * @param errno null on success
   * @param committed the entry's place in the log; null exactly when {@code errno} is not
   * @param asOfIndex for an error, the index of the state that it was decided on: the worker
   *     applies the log up to it before it returns the error to the caller. On success, the entry's
   *     own index. All entries up to it are durable
   */
  record CommitAck(
      IntentId intent, @Nullable Errno errno, @Nullable Committed committed, long asOfIndex)
      implements LeaderMessage {}

  /**
   * RATE_LIMITED: this worker sends faster than allowed (12.5); acks stream. The leader has not
   * accepted the intent and keeps no record of it, as after a CommitAck with EAGAIN.
   *
   * @param retryAfterMs an earlier retry would be refused again; 1 or more
   */
  record RateLimited(IntentId intent, int retryAfterMs) implements LeaderMessage {}

  /**
   * The place of an entry in the log.
   *
   * @param committedAtNs the entry's time, in nanoseconds since 1970
   * @param root the Merkle root after the entry
   * @param appliedOffset the offset that the leader chose for an APPEND, else -1
   */
  record Committed(long logIndex, OpId opId, long committedAtNs, Hash root, long appliedOffset) {}

  /**
   * Consecutive log entries, each the canonical bytes of {@code LogEntryCodec}; log stream. A
   * worker receives its own entries, and those before them, possibly before they are durable.
   *
   * @param commitIndex the newest durable entry. Later ones may never become durable; then the next
   *     connection brings others in their place
   * @param entries at least one, none empty; the message must fit in {@link
   *     Protocol#MAX_FRAME_BYTES}
   * @param delivery how chunks come that these entries mention and do not carry
   */
  record LogEntries(long commitIndex, List<byte[]> entries, ChunkDelivery delivery)
      implements LeaderMessage {
    public LogEntries {
      entries = List.copyOf(entries);
    }

    /** Entries whose chunks come on request. */
    public LogEntries(long commitIndex, List<byte[]> entries) {
      this(commitIndex, entries, ChunkDelivery.ON_REQUEST);
    }
  }

  /**
   * Where the leader sends symbols to all workers at once, and the key of these packets ({@code
   * wire.multicast}); control stream, after a Welcome with the feature. All packets of a run of the
   * leader have the same key, so who has it can forge packets to others: what comes in them is
   * never believed before it matches its hash.
   *
   * @param group the multicast address, 4 or 16 bytes
   * @param port UDP, 1 to 65535
   * @param source the address from which the packets come, as long as the group's
   * @param epoch names this run of the sender; random
   * @param key for AES-256-GCM, {@link #KEY_BYTES}; never logged
   */
  record MulticastGroup(byte[] group, int port, byte[] source, long epoch, byte[] key)
      implements LeaderMessage {
    /** Length of the key. */
    public static final int KEY_BYTES = 32;

    /** Without the key. */
    @Override
    public String toString() {
      return "MulticastGroup[epoch=" + Long.toHexString(epoch) + ", port=" + port + "]";
    }
  }

  /** The bytes of one chunk; bulk stream, with a fixed header instead of protobuf. */
  record ChunkData(Hash hash, byte[] bytes) implements LeaderMessage {}

  /** The leader cannot read a chunk that a ChunkFetch asked for; bulk stream. */
  record ChunkUnavailable(Hash hash, Errno errno, String message) implements LeaderMessage {}

  /**
   * The outcome of a LockRequest, LockRelease or LockCancel; control stream.
   *
   * @param number 1, 2, 3, ... in a lock session; sent again after a reconnect until a LockRenew
   *     acknowledges it
   * @param stillHeld whether the owner now holds any lock on the file
   * @param commitIndex everything that earlier holders wrote is in the log up to this index
   * @param leaseTtlMs how long a lock lives without renewal, 1 or more
   * @param holder one conflicting lock; present exactly when the request is denied
   */
  record LockResponse(
      IntentId intent,
      long number,
      Verdict verdict,
      boolean stillHeld,
      long commitIndex,
      int leaseTtlMs,
      @Nullable Holder holder)
      implements LeaderMessage {
    public enum Verdict {
      /** Granted, unlocked, released or cancelled; for a TEST: there is no conflict. */
      GRANTED,
      /** A conflicting lock is held. */
      DENIED,
      /** A conflicting lock is held, but was not renewed in time: LOCK_HELD_EXPIRING (10.2). */
      HELD_EXPIRING,
      /** Waiting would close a cycle of waiting owners: EDEADLK. */
      DEADLOCK,
      /** The owner holds too many locked ranges of the file: ENOLCK. */
      NO_LOCKS;

      /** Whether the response names a conflicting holder. */
      public boolean isDenied() {
        return this == DENIED || this == HELD_EXPIRING;
      }
    }
  }

  /** A conflicting lock and its owner's worker and process. */
  record Holder(HeldLock lock, WorkerId worker, int pid) {}

  /**
   * The lease of all locks of a run has expired; they are released at the end of the grace period
   * unless it is renewed before; control stream.
   *
   * @param locks how many locks the run holds
   * @param graceRemainingMs time left to renew
   * @param named some of them, or all if there are few; at most {@link
   *     Protocol#MAX_LOCKS_PER_WARNING}
   */
  record LockExpiryWarning(ClientId run, int locks, int graceRemainingMs, List<ExpiringLock> named)
      implements LeaderMessage {
    public LockExpiryWarning {
      named = List.copyOf(named);
    }
  }

  /**
   * Names the locks of one owner on one file (decision 020).
   *
   * @param owner the kernel's lock owner, unique on the worker
   */
  record ExpiringLock(NodeId node, LockSpace space, long owner) {}
}
