package io.hypersync.model.lock;

import org.jspecify.annotations.Nullable;

/** What is asked for, in the words of hypersync.md 9.5. */
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

  /** The kind for this call. */
  public static LockKind of(LockSpace space, @Nullable LockMode mode) {
    for (LockKind kind : values()) {
      if (kind.space == space && kind.mode == mode) {
        return kind;
      }
    }
    throw new AssertionError("every pair has a kind");
  }

  /** Whose business it is. */
  public LockSpace space() {
    return space;
  }

  /** How the bytes shall be held; null unlocks them. */
  public @Nullable LockMode mode() {
    return mode;
  }
}
