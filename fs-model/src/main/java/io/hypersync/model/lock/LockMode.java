package io.hypersync.model.lock;

/** How a lock is held. */
public enum LockMode {
  /** LOCK_SH, F_RDLCK: any number of owners. */
  SHARED,
  /** LOCK_EX, F_WRLCK: one owner. */
  EXCLUSIVE;

  /** Whether two owners may not hold the same bytes in these modes. */
  public boolean conflictsWith(LockMode other) {
    return this == EXCLUSIVE || other == EXCLUSIVE;
  }
}
