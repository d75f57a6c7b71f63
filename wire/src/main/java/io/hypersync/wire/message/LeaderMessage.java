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

/** What the leader says to a worker (hypersync.md 9.5). */
public sealed interface LeaderMessage {

  /**
   * The Hello was accepted; control stream. The log follows from {@code Hello.appliedIndex + 1}.
   *
   * @param leaderEpoch random, another one after every start of the leader
   * @param commitIndex the newest durable entry
   * @param heartbeatMs how often the leader will be heard from at least
   * @param params how the worker is to send
   * @param lockSession random; another one than at the last Welcome says that all locks of this run
   *     are lost (10.2)
   * @param openLeaseTtlMs OPEN_LEASE_TTL: leases are renewed three times as often (6.8)
   * @param revision must be {@link Protocol#REVISION}
   */
  record Welcome(
      WorkspaceId workspace,
      long leaderEpoch,
      long commitIndex,
      int heartbeatMs,
      NegotiatedParams params,
      long lockSession,
      int openLeaseTtlMs,
      int revision)
      implements LeaderMessage {
    /** One of a leader of this version. */
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
          Protocol.REVISION);
    }
  }

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

  /**
   * I am alive; control stream.
   *
   * @param freeBytes what the disk of the log and the chunks can still take, or {@link #UNKNOWN}
   */
  record Heartbeat(long leaderEpoch, long commitIndex, long freeBytes) implements LeaderMessage {
    /** A leader that does not say how much room it has. */
    public static final long UNKNOWN = -1;

    /** One of a leader that does not say how much room it has. */
    public Heartbeat(long leaderEpoch, long commitIndex) {
      this(leaderEpoch, commitIndex, UNKNOWN);
    }
  }

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
   *     here before it answers the caller; on success the entry's own index. All entries up to here
   *     are durable
   */
  record CommitAck(
      IntentId intent, @Nullable Errno errno, @Nullable Committed committed, long asOfIndex)
      implements LeaderMessage {}

  /**
   * RATE_LIMITED: this worker sends faster than it may (12.5); acks stream. The leader has not
   * taken the intent and knows nothing of it, as after a CommitAck with EAGAIN.
   *
   * @param retryAfterMs before that it would be refused again; from 1 on
   */
  record RateLimited(IntentId intent, int retryAfterMs) implements LeaderMessage {}

  /**
   * A place in the log.
   *
   * @param appliedOffset the leader-chosen offset of an APPEND, else -1
   */
  record Committed(long logIndex, OpId opId, long committedAtNs, Hash root, long appliedOffset) {}

  /**
   * Entries in order, each the canonical bytes of {@code LogEntryCodec}; log stream. A worker gets
   * its own ones, and those before them, before they are durable.
   *
   * @param commitIndex the newest durable entry: those after it may never be, and others come in
   *     their place with the next connection
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

  /**
   * The end of a LockRequest, LockRelease or LockCancel; control stream.
   *
   * @param number 1, 2, 3, ... in a lock session; sent again until LockRenew says that it arrived
   * @param stillHeld whether the owner now holds anything of the file
   * @param commitIndex everything that a holder before wrote is in the log up to here
   * @param leaseTtlMs how long a lock lives without being renewed
   * @param holder somebody who is in the way; present exactly when the request is denied
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
    /** How it ended. */
    public enum Verdict {
      /** Granted, unlocked, released or given up; for a TEST: nobody is in the way. */
      GRANTED,
      /** Somebody is in the way. */
      DENIED,
      /** Somebody is in the way who has not renewed in time: LOCK_HELD_EXPIRING (10.2). */
      HELD_EXPIRING,
      /** To wait would be to wait for oneself. */
      DEADLOCK,
      /** The owner holds too many pieces of the file. */
      NO_LOCKS;

      /** Whether it names a holder. */
      public boolean isDenied() {
        return this == DENIED || this == HELD_EXPIRING;
      }
    }
  }

  /** A lock that is in the way. */
  record Holder(HeldLock lock, WorkerId worker, int pid) {}

  /**
   * The lease of all locks of a run has ended, and they are freed unless it renews; control stream.
   *
   * @param locks how many there are
   * @param graceRemainingMs how long it can still renew
   * @param named some of them, all if there are few; at most {@link Protocol#MAX_LOCKS_PER_WARNING}
   */
  record LockExpiryWarning(ClientId run, int locks, int graceRemainingMs, List<ExpiringLock> named)
      implements LeaderMessage {
    /** Copies the list. */
    public LockExpiryWarning {
      named = List.copyOf(named);
    }
  }

  /**
   * A lock by its name (decision 020): one owner's of one file.
   *
   * @param owner the kernel's lock owner, unique on the worker
   */
  record ExpiringLock(NodeId node, LockSpace space, long owner) {}
}
