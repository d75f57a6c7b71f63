package io.hypersync.coordination.putex;

/** Where a {@link ProcessMutex} is: the boxes of the diagram of process-mutex.md. */
public enum State {
  /** Reads the record: the start of a stroke. */
  GET_LOCK,
  /** The lock is somebody else's: makes sure that the service does not run here. */
  WAIT_KILL,
  /** Would the service be healthy here? */
  WAIT_CHECK,
  /** Waits for the lock to be abandoned. */
  WAIT_TAKEOVER,
  /** Looks whether it was renewed meanwhile; with {@link #WAIT_TAKEOVER} in turns. */
  LOOK,
  /** Would the service still be healthy here? */
  WRITE_CHECK,
  /** Takes the lock. */
  WRITE,
  /** Gives whoever had it the time to stop the service. */
  CONFIRM_WAIT,
  /** Renews the lock in that time. */
  CONFIRM_WRITE,
  /** The lock is free or held here: is the service healthy? */
  SUNNY_CHECK,
  /** Renews the lock, or takes a free one. */
  SUNNY_WRITE,
  /** A write was not answered: a moment of rest before it is looked at. */
  SUNNY_PAUSE,
  /** Looks what has become of that write. */
  SUNNY_READ,
  /** Fences the others off and starts the service, which may run already. */
  SUNNY_START,
  /** Something went wrong: stops the service. */
  ABORT_KILL,
  /** The service is stopped: lets others have the lock at once. One attempt. */
  ABORT_BLANK,
  /** Waits for what is left of R: the end of a stroke. */
  WAIT_R,
  /** The agent is to end: stops the service. */
  LEAVE_KILL,
  /** The same: lets others have the lock at once. One attempt. */
  LEAVE_BLANK,
  /** Nothing is done any more. */
  LEFT
}
