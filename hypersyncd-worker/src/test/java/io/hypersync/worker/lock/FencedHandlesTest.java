package io.hypersync.worker.lock;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Which lock session a mutation rests on, before and after its locks are lost (docs/locks.md). */
class FencedHandlesTest {
  private static final NodeId FILE = new NodeId(1, 1);
  private static final FileHandle FIRST = new FileHandle(1);
  private static final FileHandle SECOND = new FileHandle(2);
  private static final FuseLockOwner PROCESS = new FuseLockOwner(70);
  private static final FuseLockOwner CHILD = new FuseLockOwner(71);
  private static final OwnerLockKey FCNTL = new OwnerLockKey(FILE, LockSpace.POSIX, PROCESS);
  private static final OwnerLockKey FLOCK =
      new OwnerLockKey(FILE, LockSpace.FLOCK, new FuseLockOwner(90));
  private static final LockRange SOME = new LockRange(10, 19);

  private final HeldLocks locks = new HeldLocks();

  @Test
  void whoHoldsNothingRestsOnNothing() {
    assertEquals(0, locks.session(FILE, FIRST, PROCESS));
    locks.asked(FCNTL, FIRST);
    assertEquals(0, locks.session(FILE, FIRST, PROCESS), "not granted yet");
    locks.unasked(FCNTL);
    lock(FCNTL, FIRST, 5, LockRange.WHOLE);
    locks.unlocking(FCNTL, LockRange.WHOLE);
    locks.found(FCNTL, false, 5);
    assertEquals(0, locks.session(FILE, FIRST, PROCESS));
  }

  @Test
  void aProcessRestsOnItsFcntlLocksWhicheverDescriptorItWritesThrough() {
    lock(FCNTL, FIRST, 5, SOME);
    assertEquals(5, locks.session(FILE, FIRST, PROCESS));
    assertEquals(5, locks.session(FILE, SECOND, PROCESS));
    assertEquals(5, locks.session(FILE, FIRST, CHILD), "it has got the descriptor");
    assertEquals(0, locks.session(FILE, SECOND, CHILD));
    assertEquals(0, locks.session(new NodeId(1, 2), SECOND, PROCESS), "another file");
    locks.lost();
    assertEquals(5, locks.session(FILE, SECOND, PROCESS));
  }

  @Test
  void aFlockIsTheOpenFilesAndNotTheProcesses() {
    lock(FLOCK, FIRST, 5, LockRange.WHOLE);
    locks.lost();
    assertEquals(5, locks.session(FILE, FIRST, FuseLockOwner.NONE));
    assertEquals(0, locks.session(FILE, SECOND, PROCESS));
  }

  @Test
  void anUnlockOfWhatIsLostLiftsNothing() {
    lock(FLOCK, FIRST, 5, LockRange.WHOLE);
    locks.lost();
    locks.unlocking(FLOCK, LockRange.WHOLE);
    locks.found(FLOCK, false, 6);
    assertEquals(5, locks.session(FILE, FIRST, PROCESS));
  }

  @Test
  void whoHasUnlockedIsGivenALockAndIsFencedNoMore() {
    lock(FCNTL, FIRST, 5, SOME);
    locks.lost();
    locks.unlocking(FCNTL, SOME);
    assertFalse(locks.refuses(FCNTL, LockRange.WHOLE));
    lock(FCNTL, SECOND, 6, LockRange.WHOLE);
    assertEquals(6, locks.session(FILE, FIRST, PROCESS), "the lock is the process's");
    assertEquals(6, locks.session(FILE, SECOND, PROCESS));
    assertEquals(0, locks.lostAndNotLockedAgain());
  }

  @Test
  void whoDoesNotKnowIsToldByHisNextLockCall() {
    lock(FLOCK, FIRST, 5, LockRange.WHOLE);
    locks.lost();
    assertTrue(locks.refuses(FLOCK, LockRange.WHOLE));
    assertFalse(locks.refuses(FLOCK, LockRange.WHOLE), "told, so it means a new lock");
  }

  /** It would go on with what it has read under the one that is lost. */
  @Test
  void aLockBesideALostOneIsRefusedAlsoToWhoKnows() {
    lock(FCNTL, FIRST, 5, SOME);
    locks.lost();
    assertEquals(List.of(4711), locks.told(FILE, SECOND, PROCESS));
    assertEquals(List.of(), locks.told(FILE, SECOND, PROCESS), "once");
    assertTrue(locks.refuses(FCNTL, new LockRange(20, 20)));
    assertFalse(locks.refuses(FCNTL, LockRange.WHOLE), "all that it had, and more");
    locks.unlocking(FCNTL, SOME);
    assertFalse(locks.refuses(FCNTL, new LockRange(20, 20)));
  }

  @Test
  void aCloseOfAnotherDescriptorEndsTheLocksAndNotTheFenceOfTheHandle() {
    lock(FCNTL, FIRST, 5, SOME);
    locks.lost();
    locks.closing(FCNTL); // the process has closed SECOND
    assertEquals(5, locks.session(FILE, FIRST, PROCESS));
    assertEquals(
        0, locks.session(FILE, SECOND, PROCESS), "the number may be another process's now");
    assertEquals(1, locks.lostAndNotLockedAgain());
    assertEquals(List.of(), locks.closed(FIRST));
    assertEquals(0, locks.session(FILE, FIRST, PROCESS));
    assertEquals(0, locks.lostAndNotLockedAgain());
  }

  @Test
  void aHandleThatOneProcessLocksAgainIsFreeForAllWhoHaveIt() {
    lock(FCNTL, FIRST, 5, SOME);
    locks.lost();
    lock(new OwnerLockKey(FILE, LockSpace.POSIX, CHILD), FIRST, 6, SOME);
    assertEquals(6, locks.session(FILE, FIRST, CHILD));
    assertEquals(5, locks.session(FILE, SECOND, PROCESS), "it has not locked again itself");
  }

  @Test
  void whatIsBeingUnlockedOrClosedIsNotLost() {
    lock(FLOCK, FIRST, 5, LockRange.WHOLE);
    lock(FCNTL, SECOND, 5, SOME);
    locks.unlocking(FLOCK, LockRange.WHOLE);
    locks.closing(FCNTL);
    assertEquals(List.of(), locks.lost());
    assertEquals(0, locks.session(FILE, FIRST, PROCESS));
    assertFalse(locks.mayHold(FLOCK));
    assertFalse(locks.mayHold(FCNTL));
  }

  @Test
  void nothingIsLeftOfAClosedHandle() {
    lock(FLOCK, FIRST, 5, LockRange.WHOLE);
    locks.lost();
    assertEquals(List.of(FLOCK), locks.closed(FIRST));
    locks.closing(FLOCK);
    locks.found(FLOCK, false, 6);
    assertEquals(0, locks.lostAndNotLockedAgain());
    assertFalse(locks.mayHold(FLOCK));
  }

  private void lock(OwnerLockKey key, FileHandle through, long session, LockRange range) {
    locks.asked(key, through);
    locks.granted(key, session, range, LockMode.EXCLUSIVE, 4711);
  }
}
