package io.hypersync.worker.incarnation;

import io.hypersync.model.id.ClientId;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import java.nio.ByteBuffer;

/**
 * The memory of one mount, which each process of its worker writes as it goes, and the next one
 * reads:
 *
 * <pre>
 *  0        8            24          40               48        56       64       72        80
 *  +--------+------------+-----------+----------------+---------+--------+--------+---------+--------+
 *  | "HSMM" | mount id   | lock run  | last number of | handles | inodes | rows   | lock    | opened |
 *  | ver 3  | 16 B       | 16 B      | a lock request | lost    | lost   | in use | session | so far |
 *  +--------+------------+-----------+----------------+---------+--------+--------+---------+--------+
 *  88       96        104       112
 *  +--------+---------+---------+---- 4096
 *  | locks  | rows of | rows of | 0
 *  | lost   | locks   | inodes  |
 *  +--------+---------+---------+----
 *  4096              + 2^18 * 64       + 2^16 * 128     + 2^25 * 32
 *  +-----------------+-----------------+----------------+
 *  | open handles    | locks           | inodes         |
 *  | 64 B each       | 128 B each      | 32 B each      |
 *  +-----------------+-----------------+----------------+
 * </pre>
 *
 * <p>In the byte order of the machine: it never leaves it. Only pages that were written take room.
 *
 * <p>A process may be killed between any two writes. So a row becomes valid by one write of its
 * first word, made last, and invalid by one write, made first ({@link HandleTable}, {@link
 * LockRecords}, {@link KnownInodes}).
 */
public final class MountMemory {
  /** Bytes of the whole. */
  public static final int BYTES = KnownInodes.AT + KnownInodes.BYTES;

  private static final int MAGIC = 0x4d4d5348; // "HSMM" on a little-endian machine
  private static final int VERSION = 3;
  private static final int VERSION_AT = 4;
  private static final int MOUNT_ID = 8;
  private static final int LOCK_RUN = 24;
  private static final int LAST_LOCK_NUMBER = 40;
  static final int HANDLES_LOST = 48;
  static final int INODES_LOST = 56;
  static final int HANDLE_ROWS = 64;
  private static final int LOCK_SESSION = 72;
  static final int HANDLES_OPENED = 80;
  static final int LOCKS_LOST = 88;
  static final int LOCK_ROWS = 96;
  static final int INODE_ROWS = 104;
  static final int HEADER_BYTES = 4_096;

  private final ByteBuffer memory;
  private final HandleTable handles;
  private final KnownInodes inodes;
  private final LockRecords locks;

  private MountMemory(ByteBuffer memory) {
    this.memory = memory;
    this.handles = new HandleTable(memory);
    this.inodes = new KnownInodes(memory);
    this.locks = new LockRecords(memory);
  }

  /**
   * The memory of a new mount.
   *
   * @param memory {@link #BYTES} zeros, in the byte order of the machine
   * @param mountId random
   * @param lockRun random
   */
  public static MountMemory begin(ByteBuffer memory, ClientId mountId, ClientId lockRun) {
    memory
        .putLong(MOUNT_ID, mountId.high())
        .putLong(MOUNT_ID + Long.BYTES, mountId.low())
        .putLong(LOCK_RUN, lockRun.high())
        .putLong(LOCK_RUN + Long.BYTES, lockRun.low())
        .putInt(VERSION_AT, VERSION)
        .putInt(0, MAGIC);
    return new MountMemory(memory);
  }

  /**
   * The memory that an earlier process has written.
   *
   * @throws IllegalArgumentException if it is of another version, or no such memory
   */
  public static MountMemory of(ByteBuffer memory) {
    if (memory.capacity() != BYTES || memory.getInt(0) != MAGIC) {
      throw new IllegalArgumentException("this is not the memory of a mount");
    }
    if (memory.getInt(VERSION_AT) != VERSION) {
      throw new IllegalArgumentException(
          "the memory of the mount has version "
              + memory.getInt(VERSION_AT)
              + ", and this program knows version "
              + VERSION);
    }
    return new MountMemory(memory);
  }

  /** The random id of the mount. */
  public ClientId mountId() {
    return new ClientId(memory.getLong(MOUNT_ID), memory.getLong(MOUNT_ID + Long.BYTES));
  }

  /** The run under which the leader knows the locks of this mount. */
  public ClientId lockRun() {
    return new ClientId(memory.getLong(LOCK_RUN), memory.getLong(LOCK_RUN + Long.BYTES));
  }

  /** The newest number of a message about locks; the next process goes on behind it. */
  public long lastLockNumber() {
    return memory.getLong(LAST_LOCK_NUMBER);
  }

  /** To be called before the message with this number is sent. */
  public void lockNumber(long number) {
    memory.putLong(LAST_LOCK_NUMBER, number);
  }

  /** The lock session in which locks are held now; 0 before the first. */
  public long lockSession() {
    return memory.getLong(LOCK_SESSION);
  }

  /** The leader has welcomed this worker in this lock session. */
  public void lockSession(long session) {
    memory.putLong(LOCK_SESSION, session);
  }

  /** The open files and directories. */
  public HandleTable handles() {
    return handles;
  }

  /** The inodes that the kernel holds. */
  public KnownInodes inodes() {
    return inodes;
  }

  /** The locks, and what is under way about them. */
  public LockRecords locks() {
    return locks;
  }

  /**
   * Why the next process cannot go on where this one was; empty if it can. The shared memory of a
   * database in WAL mode is in the process alone, and whoever has mapped it must not go on with
   * another one.
   */
  public String obstacle() {
    if (memory.getLong(HANDLES_LOST) != 0
        || memory.getLong(INODES_LOST) != 0
        || memory.getLong(LOCKS_LOST) != 0) {
      return "more was in use than is kept";
    }
    return locks.isAnyOf(FuseLockOwner.HOST)
        ? "a database in WAL mode was in use, and its shared memory is gone"
        : "";
  }
}
