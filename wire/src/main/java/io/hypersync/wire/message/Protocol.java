package io.hypersync.wire.message;

import org.jspecify.annotations.Nullable;

/** Constants of protocol hypersync/1. */
public final class Protocol {
  /**
   * Both the ALPN name and {@code Hello.protocolVersion}, the same for all revisions: two sides of
   * different ones must be able to tell each other so.
   */
  public static final String VERSION = "hypersync/1";

  /**
   * Which messages there are and what is in them. It grows by one with every change that the other
   * side must know of; both sides must speak the same one. A side that says none is of revision 1.
   */
  public static final int REVISION = 2;

  /** The largest write of one intent: what the kernel sends at most in one request. */
  public static final int MAX_WRITE_BYTES = 1024 * 1024;

  /** The largest frame on any stream; a longer one ends the connection. */
  public static final int MAX_FRAME_BYTES = 4 * 1024 * 1024;

  /** The most chunks of one ChunkFetch and the most hashes of one ChunkNeed. */
  public static final int MAX_HASHES_PER_MESSAGE = 4096;

  /** The most nodes of one OpenLeaseAcquire, OpenLeaseRelease or OpenLeaseRenew. */
  public static final int MAX_NODES_PER_MESSAGE = 4096;

  /** The most locks that a LockExpiryWarning names. */
  public static final int MAX_LOCKS_PER_WARNING = 64;

  private static final String UPDATE = "; update HyperSync on ";

  private Protocol() {}

  /**
   * Which of two sides is older and what to do about it, or null if they speak the same revision.
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

  /** Whether a refusal says what {@link #revisionProblem} does. */
  public static boolean isAboutRevision(String refused) {
    return refused.contains(UPDATE);
  }
}
