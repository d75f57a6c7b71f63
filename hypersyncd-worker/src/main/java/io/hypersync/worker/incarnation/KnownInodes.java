package io.hypersync.worker.incarnation;

import io.hypersync.model.id.InodeNo;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The inodes that the kernel holds: a bit for each number, since numbers are counted up and never
 * used again. Thread-safe; a change is one atomic operation.
 */
public final class KnownInodes {
  static final int AT = LockRecords.AT + LockRecords.BYTES;
  static final int BYTES = 1 << 28;
  private static final VarHandle WORDS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());
  private static final int WORD_SHIFT = 6;

  private final ByteBuffer memory;

  KnownInodes(ByteBuffer memory) {
    this.memory = memory;
  }

  /** The kernel will hold this inode; to be called before the reply that makes it so. */
  public void add(long inode) {
    if (inode < 0 || inode >>> WORD_SHIFT >= BYTES / Long.BYTES) {
      memory.putLong(MountMemory.INODES_LOST, 1);
      return;
    }
    long bit = 1L << (inode & (Long.SIZE - 1));
    if ((memory.getLong(at(inode)) & bit) == 0) {
      var _ = (long) WORDS.getAndBitwiseOr(memory, at(inode), bit);
    }
  }

  /** The kernel has forgotten this inode. */
  public void remove(long inode) {
    if (has(new InodeNo(inode))) {
      var _ = (long) WORDS.getAndBitwiseAnd(memory, at(inode), ~(1L << (inode & (Long.SIZE - 1))));
    }
  }

  /** Whether the kernel may hold this inode. */
  public boolean has(InodeNo inode) {
    long number = inode.value();
    return number >= 0
        && number >>> WORD_SHIFT < BYTES / Long.BYTES
        && (memory.getLong(at(number)) & (1L << (number & (Long.SIZE - 1)))) != 0;
  }

  private static int at(long inode) {
    return AT + (int) (inode >>> WORD_SHIFT) * Long.BYTES;
  }
}
