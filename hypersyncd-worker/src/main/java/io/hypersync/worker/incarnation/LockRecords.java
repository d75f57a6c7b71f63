package io.hypersync.worker.incarnation;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The locks that a mount may hold, and the messages about locks that the leader has not answered. A
 * row, 128 bytes:
 *
 * <pre>
 *  0          8           24       32       40       48        56     64
 *  +----------+-----------+--------+--------+--------+---------+------+--------+------- 128
 *  | kind     | node id   | space  | owner  | handle | session | pid  | number | 0
 *  | 0: free  | 16 B      |        |        |        |         |      |        |
 *  +----------+-----------+--------+--------+--------+---------+------+--------+-------
 * </pre>
 *
 * <p>A lock has a row for each handle through which it was requested. Thread-safe: one monitor.
 */
public final class LockRecords {
  /**
   * Most rows; if more are needed, the next process cannot go on ({@link MountMemory#obstacle}).
   */
  static final int MAX_ROWS = 1 << 16;

  static final int ROW_BYTES = 128;
  static final int AT = HandleTable.AT + HandleTable.BYTES;
  static final int BYTES = MAX_ROWS * ROW_BYTES;
  private static final int NODE = 8;
  private static final int SPACE = 24;
  private static final int OWNER = 32;
  private static final int HANDLE = 40;
  private static final int SESSION = 48;
  private static final int PID = 56;
  private static final int NUMBER = 64;

  /** Of rows that are of a handle only. */
  private static final Key NOBODY = new Key(new NodeId(0, 0), LockSpace.POSIX, FuseLockOwner.NONE);

  private static final VarHandle WORDS =
      MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

  private final ByteBuffer memory;
  private final ArrayDeque<Integer> free = new ArrayDeque<>();
  private final Map<Key, Map<FileHandle, Integer>> held = new HashMap<>();
  private final Map<Long, Integer> sent = new HashMap<>();
  private final Map<FileHandle, Integer> fenced = new HashMap<>();
  private int beyond;

  LockRecords(ByteBuffer memory) {
    this.memory = memory;
  }

  /** An owner's locks of one kind on one file. */
  public record Key(NodeId node, LockSpace space, FuseLockOwner owner) {}

  /** What a row is about. */
  public enum Kind {
    /** A lock that is held. */
    HELD(1),
    /** A request to lock or unlock, without an answer. */
    REQUESTED(2),
    /** A release of all locks of an owner on a file, without an answer. */
    RELEASED(3),
    /** A handle that is fenced though its locks are released; of nobody and of no file. */
    FENCED(4);

    private final long code;

    Kind(int code) {
      this.code = code;
    }
  }

  /**
   * A row.
   *
   * @param handle through which the lock was requested; NONE if that is closed
   * @param session in which a lock is held
   * @param pid of the process that has locked last
   * @param number of a message
   */
  public record Row(Kind kind, Key key, FileHandle handle, long session, int pid, long number) {}

  /**
   * Notes what an owner holds now of one file.
   *
   * @param handles through which it was requested
   * @param session 0 if it holds nothing
   */
  public synchronized void holds(Key key, Set<FileHandle> handles, long session, int pid) {
    Map<FileHandle, Integer> rows = held.get(key);
    if (session == 0) {
      if (rows != null) {
        held.remove(key);
        rows.values().forEach(this::clear);
      }
      return;
    }
    Set<FileHandle> wanted = handles.isEmpty() ? Set.of(FileHandle.NONE) : new HashSet<>(handles);
    Map<FileHandle, Integer> now = rows == null ? new HashMap<>() : rows;
    held.put(key, now);
    for (FileHandle handle : wanted) {
      Integer row = now.get(handle);
      if (row == null) {
        row = write(new Row(Kind.HELD, key, handle, session, pid, 0));
        if (row >= 0) {
          now.put(handle, row);
        }
      } else {
        memory
            .putLong(AT + row * ROW_BYTES + PID, pid)
            .putLong(AT + row * ROW_BYTES + SESSION, session);
      }
    }
    for (FileHandle handle : List.copyOf(now.keySet())) {
      if (!wanted.contains(handle)) {
        clear(now.remove(handle));
      }
    }
  }

  /**
   * What is written through a handle rests on locks that are lost and released.
   *
   * @param session the lock session that was lost; 0 if the handle is fenced no more
   */
  public synchronized void fences(FileHandle handle, long session) {
    Integer row = fenced.get(handle);
    if (session == 0) {
      if (row != null) {
        fenced.remove(handle);
        clear(row);
      }
    } else if (row == null) {
      int written = write(new Row(Kind.FENCED, NOBODY, handle, session, 0, 0));
      if (written >= 0) {
        fenced.put(handle, written);
      }
    } else {
      memory.putLong(AT + row * ROW_BYTES + SESSION, session);
    }
  }

  /** A message is about to be sent. */
  public synchronized void sent(long number, Kind kind, Key key) {
    int row = write(new Row(kind, key, FileHandle.NONE, 0, 0, number));
    if (row >= 0) {
      sent.put(number, row);
    }
  }

  /** A message is answered, and its caller is about to be. */
  public synchronized void answered(long number) {
    Integer row = sent.remove(number);
    if (row != null) {
      clear(row);
    }
  }

  /** Whether an earlier process has left anything of this owner. */
  public boolean isAnyOf(FuseLockOwner owner) {
    for (int row = 0; row < rows(); row++) {
      int at = AT + row * ROW_BYTES;
      if (memory.getLong(at) != 0 && memory.getLong(at + OWNER) == owner.value()) {
        return true;
      }
    }
    return false;
  }

  /** What an earlier process has left. To be called before anything else. */
  public synchronized List<Row> inherit() {
    List<Row> rows = new ArrayList<>();
    free.clear();
    held.clear();
    sent.clear();
    fenced.clear();
    beyond = rows();
    for (int row = 0; row < beyond; row++) {
      int at = AT + row * ROW_BYTES;
      long code = memory.getLong(at);
      Row found = null;
      for (Kind kind : Kind.values()) {
        if (kind.code == code) {
          found = row(kind, at);
        }
      }
      if (found == null) {
        clear(row);
        continue;
      }
      rows.add(found);
      switch (found.kind()) {
        case HELD ->
            held.computeIfAbsent(found.key(), _ -> new HashMap<>()).put(found.handle(), row);
        case REQUESTED, RELEASED -> sent.put(found.number(), row);
        case FENCED -> fenced.put(found.handle(), row);
      }
    }
    return rows;
  }

  /** How many rows were ever in use; those behind them take no room, and are not to be touched. */
  private int rows() {
    return Math.clamp(memory.getLong(MountMemory.LOCK_ROWS), 0, MAX_ROWS);
  }

  private Row row(Kind kind, int at) {
    return new Row(
        kind,
        new Key(
            new NodeId(memory.getLong(at + NODE), memory.getLong(at + NODE + Long.BYTES)),
            memory.getLong(at + SPACE) == 0 ? LockSpace.FLOCK : LockSpace.POSIX,
            new FuseLockOwner(memory.getLong(at + OWNER))),
        new FileHandle(memory.getLong(at + HANDLE)),
        memory.getLong(at + SESSION),
        (int) memory.getLong(at + PID),
        memory.getLong(at + NUMBER));
  }

  private int write(Row row) {
    Integer unused = free.poll();
    if (unused == null) {
      if (beyond == MAX_ROWS) {
        memory.putLong(MountMemory.LOCKS_LOST, 1);
        return -1;
      }
      unused = beyond;
      beyond++;
      memory.putLong(MountMemory.LOCK_ROWS, beyond);
    }
    int at = AT + unused * ROW_BYTES;
    memory
        .putLong(at + NODE, row.key().node().high())
        .putLong(at + NODE + Long.BYTES, row.key().node().low())
        .putLong(at + SPACE, row.key().space() == LockSpace.FLOCK ? 0 : 1)
        .putLong(at + OWNER, row.key().owner().value())
        .putLong(at + HANDLE, row.handle().value())
        .putLong(at + SESSION, row.session())
        .putLong(at + PID, row.pid())
        .putLong(at + NUMBER, row.number());
    WORDS.setRelease(memory, at, row.kind().code);
    return unused;
  }

  private void clear(int row) {
    WORDS.setRelease(memory, AT + row * ROW_BYTES, 0L);
    free.add(row);
  }
}
