package io.hypersync.wire.message;

import org.jspecify.annotations.Nullable;

/** Constants of protocol hypersync/1. */
public final class Protocol {
  /**
   * The ALPN name and also {@code Hello.protocolVersion}. It is the same for all revisions, so that
   * sides with different revisions still connect and can report the difference.
   */
  public static final String VERSION = "hypersync/1";

  /**
   * The revision of the set of messages and their fields, and of the ops and roots in the entries.
   * Grows by one with every change that the other side must support; both sides must have the same
   * one. A side that sends none has revision 1; since revision 3, Merkle roots have version 2
   * ({@code RootVersion.V2}); since revision 4, the leader may send a SnapshotOffer, since revision
   * 5 a ChunkWanted; since revision 6, an entry may restore a state ({@code FsOp.RestoreState});
   * since revision 7, the leader may send chunks that nobody has asked for ({@link ChunkDelivery});
   * since revision 8, also in multicast packets ({@code LeaderMessage.MulticastGroup}); since
   * revision 9, an intent says what its caller may have read ({@code CallContext}); since revision
   * 10, a worker's session outlives its connections ({@link SessionGrant}), and an intent says
   * under which locks it was made ({@code SubmitIntent.lockSession}); since revision 11, the leader
   * tells workers what is not in the log ({@code LeaderMessage.Notice}); since revision 12,
   * acknowledgements may wait for other workers ({@code LeaderMessage.VisibilityLease}), and
   * leaders have a term ({@code Welcome.term}); since revision 13, they may wait for a standby
   * ({@link StandbyStanding}); since revision 14, certificates may be revoked ({@link Revocation}).
   */
  public static final int REVISION = 14;

  /** The most bytes that one intent writes: the largest write request of the kernel. */
  public static final int MAX_WRITE_BYTES = 1024 * 1024;

  /** The largest frame on any stream, in bytes; a longer one ends the connection. */
  public static final int MAX_FRAME_BYTES = 4 * 1024 * 1024;

  /** The most chunks in a ChunkFetch, and the most hashes in a ChunkNeed. */
  public static final int MAX_HASHES_PER_MESSAGE = 4096;

  /** The longest manifest in a SnapshotOffer, in bytes. */
  public static final int MAX_MANIFEST_BYTES = 64 * 1024;

  /** The most nodes in an OpenLeaseAcquire, OpenLeaseRelease or OpenLeaseRenew. */
  public static final int MAX_NODES_PER_MESSAGE = 4096;

  /** The most locks named in a LockExpiryWarning. */
  public static final int MAX_LOCKS_PER_WARNING = 64;

  /** The most states of the past that a worker may hold at the leader. */
  public static final int MAX_PAST_STATES = 16;

  /** The longest name of a state in a PastStateRequest, in bytes of UTF-8. */
  public static final int MAX_MOMENT_BYTES = 255;

  private static final String UPDATE = "; update HyperSync on ";

  private Protocol() {}

  /**
   * A message saying which side is older and what to do, or null if both have the same revision.
   *
   * @param worker the revision in Hello
   * @param leader the revision in Welcome
   */
  public static @Nullable String revisionProblem(int worker, int leader) {
    if (worker == leader) {
      return null;
    }
    boolean workerIsOlder = worker < leader;
    return "the worker is "
        + (workerIsOlder ? "older" : "newer")
        + " than the leader: it speaks revision "
        + worker
        + " of "
        + VERSION
        + ", the leader "
        + leader
        + UPDATE
        + (workerIsOlder ? "the worker's host" : "the leader's host, or use its version here");
  }

  /** Whether the message of a refusal is one of {@link #revisionProblem}. */
  public static boolean isAboutRevision(String refused) {
    return refused.contains(UPDATE);
  }
}
