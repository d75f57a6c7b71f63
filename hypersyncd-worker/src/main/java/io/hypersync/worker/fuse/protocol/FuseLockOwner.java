package io.hypersync.worker.fuse.protocol;

/**
 * The kernel's number for the owner of a lock ({@code lock_owner}): a process for fcntl(2), an open
 * file for flock(2) and F_OFD_SETLK. The kernel scrambles it, so any 64 bits are possible.
 *
 * @param value as the kernel sent it
 */
public record FuseLockOwner(long value) {
  /** One owner for all of this host. Numbers of the kernel's are scrambled pointers. */
  public static final FuseLockOwner HOST = new FuseLockOwner(Long.MIN_VALUE);

  /** What a request carries that concerns no locks. */
  public static final FuseLockOwner NONE = new FuseLockOwner(0);

  /** The number in decimal, signed. */
  @Override
  public String toString() {
    return Long.toString(value);
  }
}
