package io.hypersync.leader.lock;

import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.OwnerLocks;
import java.util.List;

/**
 * What a request has changed in its owner's locks on one file: bytes locked, which can still be
 * undone, or bytes freed. Threads of one process change the locks of one owner concurrently, so
 * undoing restores only bytes that no later request of that owner has changed again.
 */
final class LockChange {
  private final long seqNo;
  private final FileLockKey file;
  private final LockOwner owner;
  private final int pid;
  private final LockRange range;

  /**
   * What the owner held of these bytes before a grant; empty if they were freed, whatever it held.
   */
  private final OwnerLocks before = new OwnerLocks();

  private boolean lasts = true;

  private LockChange(long seqNo, FileLockKey file, LockOwner owner, int pid, LockRange range) {
    this.seqNo = seqNo;
    this.file = file;
    this.owner = owner;
    this.pid = pid;
    this.range = range;
  }

  /**
   * For a granted lock.
   *
   * @param before what the owner held of the lock's bytes before
   */
  static LockChange granted(WaitingLock lock, List<HeldLock> before) {
    LockChange change =
        new LockChange(lock.intent().seqNo(), lock.file(), lock.owner(), lock.pid(), lock.range());
    before.forEach(piece -> change.before.set(piece.range(), piece.mode()));
    return change;
  }

  /** For bytes that a request has freed. */
  static LockChange freed(long seqNo, FileLockKey file, LockOwner owner, LockRange range) {
    return new LockChange(seqNo, file, owner, 0, range);
  }

  long seqNo() {
    return seqNo;
  }

  FileLockKey file() {
    return file;
  }

  LockOwner owner() {
    return owner;
  }

  int pid() {
    return pid;
  }

  boolean isOf(FileLockKey otherFile, LockOwner otherOwner) {
    return file.equals(otherFile) && owner.equals(otherOwner);
  }

  /** Marks the change as final: it can no longer be undone. */
  void isOver() {
    lasts = false;
  }

  /**
   * Undoes the change.
   *
   * @param later changes of the same session since then, oldest first; one that overlaps this
   *     change takes over its {@code before}, so that undoing the later one restores what was held
   *     before this one
   * @return the byte ranges to restore to what {@link #before} has
   */
  List<LockRange> takenBack(List<LockChange> later) {
    OwnerLocks rest = new OwnerLocks();
    if (lasts) {
      rest.set(range, LockMode.EXCLUSIVE);
    }
    for (LockChange next : later) {
      if (next.lasts && next.isOf(file, owner)) {
        for (HeldLock overridden : rest.within(next.range)) {
          next.before.set(overridden.range(), null);
          before(overridden.range()).forEach(old -> next.before.set(old.range(), old.mode()));
          rest.set(overridden.range(), null);
        }
      }
    }
    isOver();
    return rest.pieces().stream().map(HeldLock::range).toList();
  }

  /** How many pieces {@link #before} consists of. */
  int pieces() {
    return before.pieces().size();
  }

  /** What the owner held of these bytes before this change. */
  List<HeldLock> before(LockRange bytes) {
    return before.within(bytes);
  }
}
