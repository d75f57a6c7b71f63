package io.hypersync.sim;

/** The kinds of faults that are injected (hypersync.md 22.3). */
enum FaultKind {
  /** All connections of a worker break; data in transit is lost. */
  BREAK,
  /** A worker is partitioned from the leader for a while; data in transit is delayed. */
  PARTITION,
  /** One direction between a worker and the leader is blocked for a while; the other one works. */
  ONE_WAY_PARTITION,
  /** One direction between a worker and the leader is much slower for a while. */
  SLOW_WAY,
  /** All workers are partitioned from the leader. */
  TOTAL_PARTITION,
  /** The leader is killed or loses power, and starts again after a while. */
  LEADER_CRASH,
  /**
   * A worker is killed or loses power, and starts again at once with nothing but its chunk store.
   */
  WORKER_CRASH,
  /** Appends to the log fail with ENOSPC for a while. */
  FULL_LOG,
  /** Writes to the log fail with EIO for a while, so the leader stops. */
  LOG_EIO,
  /** A sync of the log fails, its data may or may not be on disk, and the leader stops. */
  LOG_SYNC_FAILS,
  /** A sync of the leader's chunk store fails, with the same consequences. */
  CHUNK_SYNC_FAILS,
  /** A bit of the log on disk flips: no leader may start on it, no worker may be sent the entry. */
  LOG_ROT,
  /** A chunk of the leader is damaged: it must not be served. */
  CHUNK_ROT,
  /** A chunk of a worker is damaged: it must not be returned by a read. */
  WORKER_ROT,
  /** The leader cannot store chunks for a while. */
  FULL_CHUNKS,
  /** A worker cannot store chunks for a while. */
  FULL_WORKER,
  /** A worker process is paused for a while. */
  WORKER_PAUSE,
  /** The leader process is paused for a while. */
  LEADER_PAUSE,
  /** The leader's wall clock jumps. */
  CLOCK_JUMP
}
