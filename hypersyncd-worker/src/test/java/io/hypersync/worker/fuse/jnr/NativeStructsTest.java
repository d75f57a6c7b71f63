package io.hypersync.worker.fuse.jnr;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.hypersync.model.id.InodeNo;
import io.hypersync.worker.fuse.abi.FuseFlags.SetAttrValid;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseLock;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseStatFs;
import jnr.ffi.Pointer;
import jnr.ffi.Runtime;
import org.junit.jupiter.api.Test;

/** The structs are where libfuse 2.9 and glibc have them on x86-64. */
class NativeStructsTest {
  private final Pointer memory =
      Runtime.getSystemRuntime().getMemoryManager().allocateDirect(256, true);

  @Test
  void stat() {
    FuseAttr attr =
        new FuseAttr(
            new InodeNo(1), 2, 3, 4_000_000_005L, -1, 8_000_000_009L, 10, 11, 12, 13, 14, 15);
    NativeStructs.putAttr(memory, attr);
    assertEquals(144, NativeStructs.statBytes());
    assertEquals(1, memory.getLong(8), "st_ino");
    assertEquals(11, memory.getLong(16), "st_nlink");
    assertEquals(10, memory.getInt(24), "st_mode");
    assertEquals(12, memory.getInt(28), "st_uid");
    assertEquals(13, memory.getInt(32), "st_gid");
    assertEquals(14, memory.getLong(40), "st_rdev");
    assertEquals(2, memory.getLong(48), "st_size");
    assertEquals(15, memory.getLong(56), "st_blksize");
    assertEquals(3, memory.getLong(64), "st_blocks");
    assertEquals(4, memory.getLong(72), "st_atim");
    assertEquals(5, memory.getLong(80));
    assertEquals(-1, memory.getLong(88), "st_mtim: before 1970");
    assertEquals(999_999_999, memory.getLong(96));
    assertEquals(8, memory.getLong(104), "st_ctim");
    assertEquals(9, memory.getLong(112));
  }

  @Test
  void fileInfo() {
    memory.putInt(0, 02001);
    memory.putLong(32, 99);
    NativeStructs.setHandle(memory, new FileHandle(7));
    assertEquals(7, memory.getLong(24), "fh");
    assertEquals(new FileHandle(7), NativeStructs.handle(memory));
    assertEquals(02001, NativeStructs.flags(memory));
    assertEquals(new FuseLockOwner(99), NativeStructs.lockOwner(memory));
  }

  @Test
  void context() {
    memory.putInt(8, 1);
    memory.putInt(12, 2);
    memory.putInt(16, 3);
    assertEquals(new Caller(1, 2, 3), NativeStructs.caller(memory));
  }

  @Test
  void statvfs() {
    NativeStructs.putTotals(memory, new FuseStatFs(1, 2, 3, 4, 5, 6, 255, 8));
    assertEquals(6, memory.getLong(0), "f_bsize");
    assertEquals(8, memory.getLong(8), "f_frsize");
    assertEquals(1, memory.getLong(16), "f_blocks");
    assertEquals(255, memory.getLong(80), "f_namemax");
  }

  @Test
  void aLockToTheEndHasNoLength() {
    FuseLock toTheEnd = new FuseLock(10, Long.MAX_VALUE, 1, 42);
    NativeStructs.putLock(memory, toTheEnd);
    assertEquals(0, memory.getLong(16), "l_len");
    assertEquals(toTheEnd, NativeStructs.lock(memory));
    FuseLock some = new FuseLock(10, 19, 0, 42);
    NativeStructs.putLock(memory, some);
    assertEquals(10, memory.getLong(16), "l_len");
    assertEquals(some, NativeStructs.lock(memory));
  }

  @Test
  void timesThatAreGivenLeftOrNow() {
    memory.putLong(0, -2);
    memory.putLong(8, 5);
    memory.putLong(24, NativeStructs.UTIME_OMIT);
    assertEquals(
        new NativeStructs.Times(SetAttrValid.ATIME, -1_999_999_995L, 77),
        NativeStructs.times(memory, 77));
    memory.putLong(8, NativeStructs.UTIME_NOW);
    memory.putLong(24, NativeStructs.UTIME_NOW);
    assertEquals(
        SetAttrValid.ATIME | SetAttrValid.ATIME_NOW | SetAttrValid.MTIME | SetAttrValid.MTIME_NOW,
        NativeStructs.times(memory, 77).valid());
  }

  @Test
  void aTextEndsWithItsNul() {
    byte[] text = {'/', (byte) 0xff, 'a', 0, 'x'};
    memory.put(0, text, 0, text.length);
    assertArrayEquals(new byte[] {'/', (byte) 0xff, 'a'}, NativeStructs.bytes(memory));
  }
}
