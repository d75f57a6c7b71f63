package io.hypersync.model.lock;

/** Whether a lock is shared or exclusive. */
public enum LockMode {
  /** LOCK_SH, F_RDLCK: any number of owners. */
  SHARED,
  /** LOCK_EX, F_WRLCK: one owner. */
  EXCLUSIVE;

  /** Whether two different owners cannot hold the same byte in these two modes at the same time. */
  public boolean conflictsWith(LockMode other) {
    return this == EXCLUSIVE || other == EXCLUSIVE;
  }
}
