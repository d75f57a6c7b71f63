package io.hypersync.worker.daemon;

import io.hypersync.worker.intents.MutationTimestamps;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The stages of a mutation as the worker measures them (docs/ARCHITECTURE.md): each begins where
 * the one before it ends.
 */
enum WorkerStage {
  /**
   * From receiving the request until it is queued for the agent, less HASH: decoding, finding the
   * node.
   */
  FUSE,
  /** Splitting and hashing the data, and handing it to the local store; recorded only with data. */
  HASH,
  /**
   * In the agent's queue, and waiting until everything known to be committed is visible (6.2) and
   * until intents that the leader has turned away for now are through.
   */
  GATE,
  /**
   * From sending the intent until its entry is here and known to be durable: both ways over the
   * network, and the leader.
   */
  LEADER,
  /**
   * Until the entry is applied and its Merkle root compared, unless that was done before it was
   * durable.
   */
  APPLY,
  /** Until the kernel has completed the invalidations and the entry is visible. */
  NOTIFY,
  /** Until the reply is written to the kernel. */
  REPLY,
  /** The sum of all stages. */
  TOTAL;

  private static final Set<WorkerStage> ALL =
      Collections.unmodifiableSet(EnumSet.allOf(WorkerStage.class));

  /** All stages, in this order. */
  static Set<WorkerStage> all() {
    return ALL;
  }

  /**
   * How long this stage took, in nanoseconds, of a mutation whose reply was written at {@code
   * answeredNs}.
   */
  long nanos(MutationTimestamps times, long answeredNs) {
    return switch (this) {
      case FUSE -> times.submittedNs() - times.receivedNs() - times.hashNs();
      case HASH -> times.hashNs();
      case GATE -> times.sentNs() - times.submittedNs();
      case LEADER -> times.arrivedNs() - times.sentNs();
      case APPLY -> times.appliedNs() - times.arrivedNs();
      case NOTIFY -> times.visibleNs() - times.appliedNs();
      case REPLY -> answeredNs - times.visibleNs();
      case TOTAL -> answeredNs - times.receivedNs();
    };
  }
}
