package io.hypersync.sim;

/** What can go wrong on purpose (hypersync.md 22.3). */
enum FaultKind {
  /** The connections of a worker break; what is on the way is lost. */
  BREAK,
  /** A worker is cut off for a while; what is on the way waits. */
  PARTITION,
  /** All workers are cut off. */
  TOTAL_PARTITION,
  /** The leader is killed, or loses power; it starts again after a while. */
  LEADER_CRASH,
  /** A worker is killed, or loses power; it starts again at once, from nothing but its chunks. */
  WORKER_CRASH,
  /** Appends to the log fail with ENOSPC for a while. */
  FULL_LOG,
  /** The leader cannot store chunks for a while. */
  FULL_CHUNKS,
  /** A worker cannot store chunks for a while. */
  FULL_WORKER,
  /** A worker stands still for a while. */
  WORKER_PAUSE,
  /** The leader stands still for a while. */
  LEADER_PAUSE,
  /** The leader's wall clock jumps. */
  CLOCK_JUMP
}
