package io.hypersync.worker.incarnation;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.hypersync.model.id.ClientId;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.dev.DescriptorSocket;
import io.hypersync.worker.fuse.dev.MemoryFile;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.RequestId;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What one process writes, the next one reads, wherever the first was killed (decision 048). */
class MountMemoryTest {
  private static final ClientId MOUNT = new ClientId(1, 2);
  private static final ClientId RUN = new ClientId(3, 4);
  private static final NodeId NODE = new NodeId(5, 6);
  private static final HandleTable.Flags FILE = new HandleTable.Flags(false, true, false);
  private static final HandleTable.Flags DIRECTORY = new HandleTable.Flags(true, false, false);
  private static final LockRecords.Key KEY =
      new LockRecords.Key(NODE, LockSpace.POSIX, new FuseLockOwner(-7));

  private int descriptor;
  private MountMemory before;

  @BeforeEach
  void begin() throws IOException {
    descriptor = MemoryFile.create("test", MountMemory.BYTES);
    before = MountMemory.begin(MemoryFile.map(descriptor, MountMemory.BYTES), MOUNT, RUN);
  }

  @AfterEach
  void end() {
    DescriptorSocket.closeAll(List.of(descriptor));
  }

  private MountMemory after() throws IOException {
    return MountMemory.of(MemoryFile.map(descriptor, MountMemory.BYTES));
  }

  private static List<KnownInodes.Row> inherited(KnownInodes inodes) {
    List<KnownInodes.Row> rows = new ArrayList<>();
    inodes.inherit(rows::add);
    return rows;
  }

  @Test
  void theMountHasOneIdAndItsLocksOneRun() throws IOException {
    before.lockNumber(17);
    before.lockSession(99);
    MountMemory after = after();
    assertEquals(MOUNT, after.mountId());
    assertEquals(RUN, after.lockRun());
    assertEquals(17, after.lastLockNumber());
    assertEquals(99, after.lockSession());
    assertEquals("", after.obstacle());
  }

  @Test
  void whatIsNoMemoryOfAMountIsRefused() throws IOException {
    ByteBuffer memory = MemoryFile.map(descriptor, MountMemory.BYTES);
    memory.putInt(4, 2);
    assertTrue(
        assertThrows(IllegalArgumentException.class, () -> MountMemory.of(memory))
            .getMessage()
            .contains("version 2"));
    memory.putInt(0, 0);
    assertThrows(IllegalArgumentException.class, () -> MountMemory.of(memory));
    assertThrows(
        IOException.class, () -> MemoryFile.map(descriptor, MountMemory.BYTES - 1L), "its size");
  }

  @Test
  void openHandlesAreThereWithWhatTheyAreOf() throws IOException {
    FileHandle file = before.handles().open(NODE, FILE, new RequestId(8));
    FileHandle closed = before.handles().open(NODE, FILE, new RequestId(10));
    FileHandle directory = before.handles().open(new NodeId(7, 8), DIRECTORY, new RequestId(12));
    before.handles().close(closed);
    assertEquals(
        Set.of(
            new HandleTable.Row(file, NODE, 8, FILE),
            new HandleTable.Row(directory, new NodeId(7, 8), 12, DIRECTORY)),
        new HashSet<>(after().handles().inherit()));
  }

  @Test
  void noNumberIsUsedTwiceNotEvenThatOfAHandleThatIsClosed() throws IOException {
    Set<FileHandle> seen = new HashSet<>();
    HandleTable table = before.handles();
    for (int process = 0; process < 3; process++) {
      for (int i = 0; i < 100; i++) {
        FileHandle handle = table.open(NODE, FILE, new RequestId(2));
        assertTrue(seen.add(handle), "again " + handle);
        if (i % 3 != 0) {
          table.close(handle);
        }
      }
      table = after().handles();
      table.inherit();
    }
  }

  @Test
  void aHandleThatIsClosedTwiceFreesNoOther() throws IOException {
    FileHandle first = before.handles().open(NODE, FILE, new RequestId(2));
    before.handles().close(first);
    FileHandle second = before.handles().open(NODE, FILE, new RequestId(4));
    assertNotEquals(first, second);
    before.handles().close(first);
    assertEquals(
        List.of(second),
        after().handles().inherit().stream().map(HandleTable.Row::handle).toList());
  }

  @Test
  void moreHandlesThanFitAreSaidToBeLost() throws IOException {
    for (int i = 0; i < HandleTable.MAX_HANDLES; i++) {
      before.handles().open(NODE, FILE, new RequestId(2));
    }
    assertEquals("", before.obstacle());
    FileHandle beyond = before.handles().open(NODE, FILE, new RequestId(2));
    assertEquals("more was in use than is kept", after().obstacle());
    before.handles().close(beyond);
    assertEquals(HandleTable.MAX_HANDLES, after().handles().inherit().size());
  }

  @Test
  void theInodesOfTheKernelHaveARowEachWithTheirLookups() throws IOException {
    KnownInodes inodes = before.inodes();
    int often = inodes.add(new InodeNo(1L << 40), NODE, false);
    int forgotten = inodes.add(new InodeNo(2), NODE, true);
    inodes.add(new InodeNo(3), new NodeId(7, 8), true);
    inodes.count(often, 5_000_000_000L);
    inodes.remove(forgotten);
    KnownInodes after = after().inodes();
    assertEquals(
        List.of(
            new KnownInodes.Row(0, new InodeNo(1L << 40), NODE, 5_000_000_000L, false),
            new KnownInodes.Row(2, new InodeNo(3), new NodeId(7, 8), 1, true)),
        inherited(after));
    assertTrue(after.isDirectory(2));
    assertEquals(1, after.add(new InodeNo(4), NODE, false), "a free row is used again");
    assertEquals(3, after.add(new InodeNo(5), NODE, false), "and then one that never was");
    assertEquals(4, inherited(after().inodes()).size());
  }

  @Test
  void moreInodesThanFitAreSaidToBeLost() throws IOException {
    ByteBuffer memory = MemoryFile.map(descriptor, MountMemory.BYTES);
    KnownInodes inodes = before.inodes();
    inodes.add(new InodeNo(1), NODE, false);
    memory.putLong(MountMemory.INODE_ROWS, KnownInodes.MAX_INODES); // all but the first are free
    KnownInodes full = after().inodes();
    full.inherit(_ -> {});
    for (int i = 1; i < KnownInodes.MAX_INODES; i++) {
      full.take();
    }
    assertEquals("", after().obstacle());
    int beyond = full.add(new InodeNo(2), NODE, false);
    assertEquals("more was in use than is kept", after().obstacle());
    full.count(beyond, 2);
    full.remove(beyond);
    assertEquals(1, inherited(after().inodes()).size(), "it is nowhere");
  }

  @Test
  void heldLocksHaveARowForEachHandle() throws IOException {
    LockRecords locks = before.locks();
    FileHandle one = new FileHandle(1);
    FileHandle two = new FileHandle(2);
    locks.holds(KEY, Set.of(one, two), 5, 42);
    locks.holds(KEY, Set.of(two), 5, 43);
    assertEquals(
        List.of(new LockRecords.Row(LockRecords.Kind.HELD, KEY, two, 5, 43, 0)),
        after().locks().inherit());
    locks.holds(KEY, Set.of(), 5, 43);
    assertEquals(
        List.of(FileHandle.NONE),
        after().locks().inherit().stream().map(LockRecords.Row::handle).toList());
    locks.holds(KEY, Set.of(), 0, 43);
    assertEquals(List.of(), after().locks().inherit());
  }

  @Test
  void whoHasMappedTheSharedMemoryOfADatabaseMustNotGoOnWithAnotherOne() throws IOException {
    LockRecords.Key lease = new LockRecords.Key(NODE, LockSpace.POSIX, FuseLockOwner.HOST);
    before.locks().holds(lease, Set.of(), 5, 0);
    assertTrue(after().obstacle().contains("WAL"), after().obstacle());
    before.locks().holds(lease, Set.of(), 0, 0);
    assertEquals("", after().obstacle());
  }

  @Test
  void messagesAreThereUntilTheyAreAnswered() throws IOException {
    LockRecords locks = before.locks();
    locks.sent(1, LockRecords.Kind.REQUESTED, KEY);
    locks.sent(2, LockRecords.Kind.RELEASED, KEY);
    locks.sent(3, LockRecords.Kind.REQUESTED, KEY);
    locks.answered(1);
    LockRecords after = after().locks();
    assertEquals(
        Set.of(2L, 3L),
        after.inherit().stream().map(LockRecords.Row::number).collect(Collectors.toSet()));
    after.answered(2);
    after.answered(3);
    assertEquals(List.of(), after().locks().inherit());
  }

  @Test
  void aHandleThatIsFencedThoughItsLocksAreReleasedStaysSo() throws IOException {
    FileHandle handle = new FileHandle(9);
    before.locks().fences(handle, 5);
    before.locks().fences(handle, 6);
    LockRecords after = after().locks();
    assertEquals(
        List.of(handle + " 6"),
        after.inherit().stream()
            .filter(row -> row.kind() == LockRecords.Kind.FENCED)
            .map(row -> row.handle() + " " + row.session())
            .toList());
    after.fences(handle, 0);
    assertEquals(List.of(), after().locks().inherit());
  }

  @Test
  void moreLocksThanFitAreSaidToBeLost() throws IOException {
    for (long number = 1; number <= LockRecords.MAX_ROWS; number++) {
      before.locks().sent(number, LockRecords.Kind.REQUESTED, KEY);
    }
    assertEquals("", after().obstacle());
    before.locks().sent(0, LockRecords.Kind.REQUESTED, KEY);
    assertEquals("more was in use than is kept", after().obstacle());
  }
}
