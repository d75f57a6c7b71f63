package io.hypersync.sim;

/** What can go wrong on purpose (hypersync.md 22.3). */
enum FaultKind {
  /** The connections of a worker break; what is on the way is lost. */
  BREAK,
  /** A worker is cut off for a while; what is on the way waits. */
  PARTITION,
  /** What goes one way between a worker and the leader waits for a while, the other does not. */
  ONE_WAY_PARTITION,
  /** What goes one way takes much longer for a while. */
  SLOW_WAY,
  /** All workers are cut off. */
  TOTAL_PARTITION,
  /** The leader is killed, or loses power; it starts again after a while. */
  LEADER_CRASH,
  /** A worker is killed, or loses power; it starts again at once, from nothing but its chunks. */
  WORKER_CRASH,
  /** Appends to the log fail with ENOSPC for a while. */
  FULL_LOG,
  /** Writes to the log fail with EIO for a while; the leader stops. */
  LOG_EIO,
  /** A sync of the log fails, and what it was to write is lost or not; the leader stops. */
  LOG_SYNC_FAILS,
  /** A sync of the leader's chunks fails, likewise. */
  CHUNK_SYNC_FAILS,
  /** A bit of the log turns over: no leader may start on it, and no worker may be told of it. */
  LOG_ROT,
  /** A chunk of the leader rots: it may not be served. */
  CHUNK_ROT,
  /** A chunk of a worker rots: it may not be read. */
  WORKER_ROT,
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
