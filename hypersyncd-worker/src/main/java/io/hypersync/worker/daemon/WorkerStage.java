package io.hypersync.worker.daemon;

import io.hypersync.worker.intents.MutationTimes;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Set;

/**
 * The parts of a mutation's way as the worker sees it (docs/ARCHITECTURE.md): each begins where the
 * one before it ends.
 */
enum WorkerStage {
  /** From the request's arrival, decoded and its node found, to the agent's queue; without HASH. */
  FUSE,
  /** Its bytes split, hashed and taken by the local store; only where there are bytes. */
  HASH,
  /**
   * In the agent's queue, until all that is known to be committed is visible (6.2), and behind what
   * the leader has refused for now.
   */
  GATE,
  /**
   * From its intent's way out until its entry is here and known to be durable: the network twice,
   * and the leader.
   */
  LEADER,
  /** Until its entry is applied and the Merkle root compared, if it was not before. */
  APPLY,
  /** Until the kernel has forgotten what the entry changes, and the entry is visible. */
  NOTIFY,
  /** Until the answer is written to the kernel. */
  REPLY,
  /** All of these. */
  TOTAL;

  private static final Set<WorkerStage> ALL =
      Collections.unmodifiableSet(EnumSet.allOf(WorkerStage.class));

  /** All, in the order of the way. */
  static Set<WorkerStage> all() {
    return ALL;
  }

  /** How long a mutation that was answered then was here, in nanoseconds. */
  long nanos(MutationTimes times, long answeredNs) {
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
