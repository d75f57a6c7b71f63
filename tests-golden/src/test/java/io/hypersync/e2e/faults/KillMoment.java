package io.hypersync.e2e.faults;

/** What was begun right before a daemon is killed. */
enum KillMoment {
  /** Nothing but the load, and what comes by itself every second. */
  LOAD,
  /** A snapshot, of the leader or of the worker. */
  SNAPSHOT,
  /** A collection of dead chunks, on the leader or on the worker. */
  COLLECTION,
  /** The leader reads all that it has stored. */
  SCRUB,
  /** The leader copies its newest snapshot. */
  BACKUP,
  /** The leader brings a directory back. */
  RESTORE,
  /** The leader makes the whole workspace what it was. */
  RESTORE_ALL,
  /** The leader has taken a segment out of its log, and not deleted it. */
  TRIM,
  /** A worker mounts a state of the past. */
  PAST_MOUNT,
  /** A worker whose state was emptied fetches the leader's snapshot. */
  INSTALL,
  /** The daemon itself starts, after a kill. */
  START
}
