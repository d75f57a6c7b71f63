package io.hypersync.coordination.putex;

/** A rule that the agents of a {@link MutexWorld} break. */
enum Mutant {
  /** None. */
  NONE,
  /** Takes a lock before its holder has stopped to trust it. */
  IMPATIENT,
  /** Starts at once after a takeover. */
  NO_CONFIRMATION,
  /** Writes without a look at the revision. */
  BLIND_WRITES,
  /** Frees the lock while the service still stops. */
  FREES_FIRST,
  /** Nobody stops the service of an agent that is stopped itself. */
  NO_SWITCH,
  /** Starts the service however late it has become. */
  LATE_START,
  /** Takes a write that was not answered for done. */
  BELIEVES_LOST_ANSWERS,
  /** Takes a record that was removed for a free one. */
  ABSENT_IS_FREE,
  /** Goes on with what it held before it was killed. */
  TRUSTS_ITS_TOKEN
}
