package io.hypersync.worker.memory;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.RequestId;
import io.hypersync.worker.local.LocalLockRequests;
import io.hypersync.worker.lock.HeldLocks;
import io.hypersync.worker.lock.LockCall;
import io.hypersync.worker.lock.OwnerLockKey;
import io.hypersync.worker.vfs.Locks;
import io.hypersync.worker.vfs.RequestFailed;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** When a memory has the lease, and when it is over. No lock is taken here: all closes are last. */
class SharedMemoriesTest {
  private static final NodeId DATABASE = new NodeId(7, 1);
  private static final Holder OTHER =
      new Holder(new HeldLock(LockRange.WHOLE, LockMode.EXCLUSIVE), new WorkerId("other"), 0);

  private final Leader leader = new Leader();
  private final SharedMemories memories =
      new SharedMemories(new DatabaseLease(leader), new LocalLockRequests());
  private final List<String> said = new ArrayList<>();

  /** Keeps what it is asked. */
  private static final class Leader implements Locks {
    private final List<LockCall> asked = new ArrayList<>();
    private final List<OwnerLockKey> givenBack = new ArrayList<>();
    private final HeldLocks heldLocks = new HeldLocks();

    @Override
    public HeldLocks heldLocks() {
      return heldLocks;
    }

    @Override
    public void submit(LockCall call) {
      asked.add(call);
    }

    @Override
    public void release(OwnerLockKey key, Runnable done) {
      givenBack.add(key);
      done.run();
    }

    @Override
    public void interrupted(RequestId unique) {
      throw new AssertionError("no call is the caller's own");
    }

    void grants() {
      asked.removeFirst().ending().granted();
    }
  }

  private SharedMemory opened() throws RequestFailed {
    SharedMemory memory = memories.make(DATABASE, "x.db", 0644, 0, 0, 0);
    memories.opened(memory);
    return memory;
  }

  private void use(SharedMemory memory, String name, boolean needsLease) {
    memories.use(
        memory,
        needsLease,
        new SharedMemory.Use() {
          @Override
          public void goOn() {
            said.add(name + " goes on");
          }

          @Override
          public void refused() {
            said.add(name + " is refused");
          }

          @Override
          public void over() {
            said.add(name + " is over");
          }

          @Override
          public void failed(Errno errno) {
            said.add(name + " " + errno);
          }
        });
  }

  private void close(SharedMemory memory) {
    memories.released(memory, new FileHandle(1));
  }

  @Test
  void theLeaderIsAskedOnceForAllWhoWait() throws RequestFailed {
    SharedMemory memory = opened();
    use(memory, "mapping", false);
    use(memory, "writer", true);
    use(memory, "reader", true);
    assertEquals(List.of("mapping goes on"), said);
    assertEquals(1, leader.asked.size());
    leader.grants();
    use(memory, "later", true);
    assertEquals(
        List.of("mapping goes on", "writer goes on", "reader goes on", "later goes on"), said);
    assertTrue(memories.isAnyHeld());
  }

  @Test
  void whoIsRefusedMayAskAgain() throws RequestFailed {
    SharedMemory memory = opened();
    use(memory, "first", true);
    leader.asked.removeFirst().ending().denied(OTHER);
    use(memory, "second", true);
    leader.asked.removeFirst().ending().failed(Errno.ENOLCK);
    use(memory, "third", true);
    leader.grants();
    assertEquals(List.of("first is refused", "second ENOLCK", "third goes on"), said);
  }

  @Test
  void aMemoryHasTheLeaseOnceAndTheNextOneBeginsEmpty() throws RequestFailed {
    SharedMemory memory = opened();
    memories.opened(memory); // by somebody who has no lock
    use(memory, "writer", true);
    leader.grants();
    memories.write(memory, 0, new byte[] {1, 2, 3}, 0);
    assertArrayEquals(new byte[] {1, 2, 3}, memories.read(memory, 0, 3));
    close(memory);
    assertEquals(1, leader.givenBack.size());
    use(memory, "late", true);
    use(memory, "mapping", false);
    assertEquals(List.of("writer goes on", "late is over", "mapping is over"), said);
    assertArrayEquals(new byte[3], memories.read(memory, 0, 3));
    assertNull(memories.find(DATABASE));
    assertArrayEquals(new byte[3], memories.read(opened(), 0, 3));
  }

  @Test
  void aGrantThatNobodyWaitsForAnyMoreIsGivenBack() throws RequestFailed {
    SharedMemory memory = opened();
    use(memory, "killed", true);
    close(memory);
    leader.grants();
    assertEquals(1, leader.givenBack.size());
    assertNull(memories.find(DATABASE));
  }

  @Test
  void whatIsLostIsEmptyAndNeverGivenBack() throws RequestFailed {
    SharedMemory memory = opened();
    use(memory, "writer", true);
    leader.grants();
    memories.write(memory, 5, new byte[] {1}, 0);
    memories.lost(memories.held());
    use(memory, "reader", true);
    assertEquals(List.of("writer goes on", "reader EIO"), said);
    assertArrayEquals(new byte[1], memories.read(memory, 5, 1));
    assertEquals(SharedMemory.REGION_BYTES, memories.attributes(memory).size(), "it stays mapped");
    close(memory);
    assertEquals(List.of(), leader.givenBack, "another host may have it by now");
    SharedMemory next = opened();
    use(next, "next", true);
    leader.grants();
    assertEquals("next goes on", said.getLast());
  }

  /** The leader has forgotten everything, so the same request is asked again by the lock client. */
  @Test
  void whoWaitsForTheLeaseGoesOnWaitingWhenOthersAreLost() throws RequestFailed {
    SharedMemory memory = opened();
    use(memory, "writer", true);
    memories.lost(memories.held());
    leader.grants();
    assertEquals(List.of("writer goes on"), said);
  }

  @Test
  void whatIsForgottenWithoutALockIsNotKept() throws RequestFailed {
    SharedMemory memory = opened();
    memories.lookedUp(memory, null);
    assertNotNull(memories.find(DATABASE));
    close(memory);
    memories.forget(memory.number(), 1);
    assertNull(memories.find(DATABASE));
    assertThrows(RequestFailed.class, () -> memories.get(memory.number()));
  }

  @Test
  void memoryIsBounded() throws RequestFailed {
    SharedMemory memory = opened();
    byte[] piece = new byte[1];
    assertEquals(
        Errno.EFBIG,
        assertThrows(
                RequestFailed.class, () -> memories.write(memory, SharedMemory.MAX_BYTES, piece, 0))
            .errno());
    assertThrows(RequestFailed.class, () -> memories.write(memory, Long.MAX_VALUE, piece, 0));
    assertThrows(RequestFailed.class, () -> memories.write(memory, -1, piece, 0));
    long others = SharedMemories.MOST_BYTES / SharedMemory.MAX_BYTES;
    for (int i = 0; i < others; i++) {
      SharedMemory other = memories.make(new NodeId(8, i), "y.db", 0644, 0, 0, 0);
      memories.write(other, SharedMemory.MAX_BYTES - 1, piece, 0);
    }
    assertEquals(
        Errno.ENOSPC,
        assertThrows(RequestFailed.class, () -> memories.write(memory, 0, piece, 0)).errno());
    RequestFailed tooMany =
        assertThrows(
            RequestFailed.class,
            () -> {
              for (int i = 0; i <= SharedMemories.MOST; i++) {
                var _ = memories.make(new NodeId(9, i), "z.db", 0644, 0, 0, 0);
              }
            });
    assertEquals(Errno.ENOSPC, tooMany.errno());
  }
}
