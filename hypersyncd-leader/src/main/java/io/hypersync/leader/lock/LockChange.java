package io.hypersync.leader.lock;

import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.OwnerLocks;
import java.util.List;

/**
 * What a request has done to its owner's locks of one file: to lock bytes, which may yet be taken
 * back, or to free them. Threads of one process change the locks of one owner at the same time, so
 * what is taken back is only what no later request of that owner has changed again.
 */
final class LockChange {
  private final long seqNo;
  private final LockKey file;
  private final LockOwner owner;
  private final int pid;
  private final LockRange range;

  /** What the owner held of these bytes; whatever it was when they were freed. */
  private final OwnerLocks before = new OwnerLocks();

  private boolean lasts = true;

  private LockChange(long seqNo, LockKey file, LockOwner owner, int pid, LockRange range) {
    this.seqNo = seqNo;
    this.file = file;
    this.owner = owner;
    this.pid = pid;
    this.range = range;
  }

  /** The lock was granted; its owner held this of its bytes before. */
  static LockChange granted(WaitingLock lock, List<HeldLock> before) {
    LockChange change =
        new LockChange(lock.intent().seqNo(), lock.file(), lock.owner(), lock.pid(), lock.range());
    before.forEach(piece -> change.before.set(piece.range(), piece.mode()));
    return change;
  }

  /** The bytes were freed. */
  static LockChange freed(long seqNo, LockKey file, LockOwner owner, LockRange range) {
    return new LockChange(seqNo, file, owner, 0, range);
  }

  long seqNo() {
    return seqNo;
  }

  LockKey file() {
    return file;
  }

  LockOwner owner() {
    return owner;
  }

  int pid() {
    return pid;
  }

  boolean isOf(LockKey otherFile, LockOwner otherOwner) {
    return file.equals(otherFile) && owner.equals(otherOwner);
  }

  /** It is as if it had never been: there is nothing to take back any more. */
  void isOver() {
    lasts = false;
  }

  /**
   * Takes it back.
   *
   * @param later what its session has changed since, oldest first; who takes back one of those gets
   *     what was before this one
   * @return the bytes that go back to what they were; {@link #before} has it
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

  /** Of how many pieces {@link #before} consists. */
  int pieces() {
    return before.pieces().size();
  }

  /** What was held of these bytes. */
  List<HeldLock> before(LockRange bytes) {
    return before.within(bytes);
  }
}
