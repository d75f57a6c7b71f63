package io.hypersync.worker.daemon;

/**
 * The parts of a mutation's way as the worker sees it (docs/ARCHITECTURE.md): each begins where the
 * one before it ends.
 */
enum WorkerStage {
  /** From the request's arrival, decoded and its node found, to the agent's queue; without HASH. */
  FUSE,
  /** Its bytes split, hashed and taken by the local store; only where there are bytes. */
  HASH,
  /** In the agent's queue, and until all that is known to be committed is visible (6.2). */
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
  TOTAL
}
