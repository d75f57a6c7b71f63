package io.hypersync.model.lock;

import org.jspecify.annotations.Nullable;

/**
 * A lock request as hypersync.md 9.5 names it: which lock space, and whether to lock shared, to
 * lock exclusively or to unlock.
 */
public enum LockKind {
  /** flock(LOCK_SH). */
  FLOCK_SHARED(LockSpace.FLOCK, LockMode.SHARED),
  /** flock(LOCK_EX). */
  FLOCK_EXCLUSIVE(LockSpace.FLOCK, LockMode.EXCLUSIVE),
  /** flock(LOCK_UN). */
  FLOCK_UNLOCK(LockSpace.FLOCK, null),
  /** fcntl with F_RDLCK. */
  FCNTL_READ(LockSpace.POSIX, LockMode.SHARED),
  /** fcntl with F_WRLCK. */
  FCNTL_WRITE(LockSpace.POSIX, LockMode.EXCLUSIVE),
  /** fcntl with F_UNLCK. */
  FCNTL_UNLOCK(LockSpace.POSIX, null);

  private final LockSpace space;
  private final @Nullable LockMode mode;

  LockKind(LockSpace space, @Nullable LockMode mode) {
    this.space = space;
    this.mode = mode;
  }

  /**
   * The kind with this lock space and mode.
   *
   * @param mode null for the kind that unlocks
   */
  public static LockKind of(LockSpace space, @Nullable LockMode mode) {
    for (LockKind kind : values()) {
      if (kind.space == space && kind.mode == mode) {
        return kind;
      }
    }
    throw new AssertionError("every pair has a kind");
  }

  /** The lock space that the request belongs to. */
  public LockSpace space() {
    return space;
  }

  /** The requested mode; null for an unlock. */
  public @Nullable LockMode mode() {
    return mode;
  }
}
