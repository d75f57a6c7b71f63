package io.hypersync.worker.local;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Locks of local files behave as on a disk. */
class LocalLocksTest {
  private static final InodeNo FILE = new InodeNo(1L << 62);
  private static final boolean WAITS = true;

  private final LocalLocks locks = new LocalLocks();
  private final List<String> answers = new ArrayList<>();

  /** Asks; the owner's number is that of its handle and of its process, too. */
  private void ask(
      int request,
      int owner,
      LockSpace space,
      LockRange range,
      @Nullable LockMode mode,
      boolean waits) {
    locks.set(
        new LocalLocks.Call(
            new RequestId(request),
            FILE,
            space,
            new FuseLockOwner(owner),
            owner,
            new FileHandle(owner),
            range,
            mode,
            waits,
            new LocalLocks.Answer() {
              @Override
              public void granted() {
                answers.add(request + " ok");
              }

              @Override
              public void failed(Errno errno) {
                answers.add(request + " " + errno);
              }
            }));
  }

  private void posix(int request, int owner, long first, long last, @Nullable LockMode mode) {
    ask(request, owner, LockSpace.POSIX, new LockRange(first, last), mode, false);
  }

  private void flock(int request, int owner, @Nullable LockMode mode, boolean waits) {
    ask(request, owner, LockSpace.FLOCK, LockRange.WHOLE, mode, waits);
  }

  @Test
  void rangesConflictByteForByte() {
    posix(1, 1, 0, 9, LockMode.EXCLUSIVE);
    posix(2, 2, 10, 19, LockMode.EXCLUSIVE);
    posix(3, 2, 9, 9, LockMode.SHARED);
    posix(4, 1, 5, 9, null);
    posix(5, 2, 9, 9, LockMode.SHARED);
    assertEquals(List.of("1 ok", "2 ok", "3 EAGAIN", "4 ok", "5 ok"), answers);
  }

  @Test
  void theTwoKindsDoNotMeet() {
    posix(1, 1, 0, 9, LockMode.EXCLUSIVE);
    flock(2, 2, LockMode.EXCLUSIVE, false);
    assertEquals(List.of("1 ok", "2 ok"), answers);
  }

  @Test
  void whoWaitsGetsItWhenItIsFree() {
    flock(1, 1, LockMode.EXCLUSIVE, false);
    flock(2, 2, LockMode.SHARED, WAITS);
    flock(3, 3, LockMode.SHARED, WAITS);
    assertEquals(List.of("1 ok"), answers);
    locks.released(FILE, new FileHandle(1));
    assertEquals(List.of("1 ok", "2 ok", "3 ok"), answers);
  }

  @Test
  void aFlockThatIsConvertedIsGivenUpFirst() {
    flock(1, 1, LockMode.SHARED, false);
    flock(2, 2, LockMode.SHARED, false);
    flock(3, 1, LockMode.EXCLUSIVE, WAITS);
    flock(4, 2, LockMode.EXCLUSIVE, WAITS);
    assertEquals(List.of("1 ok", "2 ok", "4 ok"), answers, "1 has given up its own, so 2 has it");
    flock(5, 2, null, false);
    assertEquals(List.of("1 ok", "2 ok", "4 ok", "5 ok", "3 ok"), answers);
  }

  @Test
  void aSignalEndsAWait() {
    flock(1, 1, LockMode.EXCLUSIVE, false);
    flock(2, 2, LockMode.EXCLUSIVE, WAITS);
    locks.interrupted(new RequestId(2));
    locks.interrupted(new RequestId(2));
    flock(3, 1, null, false);
    assertEquals(List.of("1 ok", "2 EINTR", "3 ok"), answers);
  }

  @Test
  void aCloseEndsTheLocksOfTheProcess() {
    posix(1, 1, 0, 9, LockMode.EXCLUSIVE);
    LocalLocks.Conflict conflict =
        locks.test(FILE, new FuseLockOwner(2), LockRange.WHOLE, LockMode.SHARED);
    assertNotNull(conflict);
    assertEquals(1, conflict.pid());
    locks.closed(FILE, new FuseLockOwner(1));
    assertNull(locks.test(FILE, new FuseLockOwner(2), LockRange.WHOLE, LockMode.SHARED));
  }

  @Test
  void nobodyCanMakeTheTableLarge() {
    for (int i = 0; i < LocalLocks.MAX_RANGES; i++) {
      posix(i, 1, 2L * i, 2L * i, LockMode.SHARED);
    }
    answers.clear();
    posix(1, 1, 1_000_000, 1_000_000, LockMode.SHARED);
    posix(2, 1, 10, 10, null);
    ask(3, 1, LockSpace.POSIX, LockRange.WHOLE, null, false);
    posix(4, 1, 0, 0, LockMode.SHARED);
    assertEquals(List.of("1 ENOLCK", "2 ENOLCK", "3 ok", "4 ok"), answers);
  }

  @Test
  void aRangeCannotBeCutIntoPiecesWithoutEnd() {
    ask(1, 1, LockSpace.POSIX, LockRange.WHOLE, LockMode.EXCLUSIVE, false);
    for (int i = 0; i < 2 * LocalLocks.MAX_RANGES; i++) {
      posix(i, 1, 2L * i, 2L * i, null);
    }
    assertEquals("8191 ENOLCK", answers.getLast());
  }
}
