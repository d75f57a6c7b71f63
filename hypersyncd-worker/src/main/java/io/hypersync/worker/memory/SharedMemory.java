package io.hypersync.worker.memory;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.vfs.RequestFailed;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The shared memory of one database on this host, from the first open to the last close. It has the
 * lease once at most: what is opened afterwards is another one, whose content nobody can mistake
 * for an index of the log as it is then. Guarded by {@link SharedMemories}.
 */
final class SharedMemory {
  /** What SQLite maps at a time. */
  static final int REGION_BYTES = 32 << 10;

  /** Enough for the index of half a million pages in the log. */
  static final int MAX_BYTES = 4 << 20;

  private static final int REGULAR_FILE = 0100000;
  private static final int PERMISSIONS = 07777;
  private static final int BLOCK = 4_096;
  private static final int SECTOR = 512;

  private final InodeNo number;
  private final NodeId database;
  private final String path;
  private final List<Use> waiting = new ArrayList<>();
  private byte[] bytes = {};

  /**
   * As another host may have made it: a process that has no lease maps this without extending it,
   * finds no index, and is told that the database is locked when it wants to make one.
   */
  private int size = REGION_BYTES;

  private Standing standing = Standing.FREE;
  private @Nullable NodeId log;
  private int mode;
  private int uid;
  private int gid;
  private long changedNs;
  private int handles;
  private long lookups;

  /** How a memory stands to the lease. */
  enum Standing {
    /** Without it: nothing in it counts. */
    FREE,
    /** The leader is asked. */
    ASKING,
    /** This host has the lease, and with it all that is mapped. */
    HELD,
    /** It was given back. */
    OVER,
    /** It was lost: another host may have it. */
    LOST
  }

  /** A lock request, which goes on once the lease allows it. */
  interface Use {
    /** It may go on; what it does must not block. */
    void goOn();

    /** Another host has the lease. */
    void refused();

    /** This memory is another one's by now: its file must be opened again. */
    void over();

    /** The leader cannot be asked, or the lease is lost (EIO). */
    void failed(Errno errno);
  }

  /**
   * A memory of zeros.
   *
   * @param database the node of the database
   * @param path of the database, printable
   */
  SharedMemory(
      InodeNo number, NodeId database, String path, int mode, int uid, int gid, long nowNs) {
    this.number = number;
    this.database = database;
    this.path = path;
    this.mode = mode & PERMISSIONS;
    this.uid = uid;
    this.gid = gid;
    this.changedNs = nowNs;
  }

  InodeNo number() {
    return number;
  }

  NodeId database() {
    return database;
  }

  String path() {
    return path;
  }

  /** The database's log ({@code *-wal}); null if there was none at the last look. */
  @Nullable NodeId log() {
    return log;
  }

  void hasLog(@Nullable NodeId now) {
    log = now == null ? log : now;
  }

  Standing standing() {
    return standing;
  }

  void stands(Standing now) {
    standing = now;
    if (now == Standing.OVER || now == Standing.LOST) {
      bytes = new byte[0]; // zeros from now on: no index
    }
  }

  /** Requests that wait for the lease; at most as many as the kernel lets callers wait. */
  List<Use> waiting() {
    return waiting;
  }

  List<Use> takeWaiting() {
    List<Use> taken = List.copyOf(waiting);
    waiting.clear();
    return taken;
  }

  void opened() {
    handles++;
  }

  void released() {
    handles--;
  }

  boolean isOpen() {
    return handles > 0;
  }

  void lookedUp() {
    lookups++;
  }

  /** Lowers the lookup count; returns whether the kernel still holds the node. */
  boolean survives(long takenBack) {
    lookups -= Math.min(lookups, takenBack < 0 ? Long.MAX_VALUE : takenBack);
    return lookups > 0;
  }

  FuseAttr attributes() {
    return new FuseAttr(
        number,
        size,
        (size + SECTOR - 1) / SECTOR,
        changedNs,
        changedNs,
        changedNs,
        REGULAR_FILE | mode,
        1,
        uid,
        gid,
        0,
        BLOCK);
  }

  void setMode(int now, long nowNs) {
    mode = now & PERMISSIONS;
    changedNs = nowNs;
  }

  /** Sets the owner; -1 keeps one. */
  void setOwner(int user, int group, long nowNs) {
    uid = user == -1 ? uid : user;
    gid = group == -1 ? gid : group;
    changedNs = nowNs;
  }

  /** EFBIG beyond {@link #MAX_BYTES}. */
  void truncate(long to, long nowNs) throws RequestFailed {
    if (to < 0 || to > MAX_BYTES) {
      throw new RequestFailed(Errno.EFBIG);
    }
    if (to < bytes.length) {
      bytes = Arrays.copyOf(bytes, (int) to);
    }
    size = (int) to;
    changedNs = nowNs;
  }

  /** What it takes of the heap. */
  int bytes() {
    return bytes.length;
  }

  byte[] read(long offset, int most) {
    if (offset < 0 || offset >= size || most <= 0) {
      return new byte[0];
    }
    int from = (int) offset;
    byte[] read = new byte[Math.min(most, size - from)];
    if (from < bytes.length) {
      System.arraycopy(bytes, from, read, 0, Math.min(read.length, bytes.length - from));
    }
    return read;
  }

  /** EFBIG beyond {@link #MAX_BYTES}. What is over keeps nothing of it. */
  void write(long offset, byte[] data, long nowNs) throws RequestFailed {
    if (offset < 0 || offset > MAX_BYTES - data.length) {
      throw new RequestFailed(Errno.EFBIG);
    }
    if (standing == Standing.OVER || standing == Standing.LOST) {
      return;
    }
    int end = (int) offset + data.length;
    if (end > bytes.length) {
      int regions = (end + REGION_BYTES - 1) / REGION_BYTES;
      bytes = Arrays.copyOf(bytes, regions * REGION_BYTES);
    }
    System.arraycopy(data, 0, bytes, (int) offset, data.length);
    size = Math.max(size, end);
    changedNs = nowNs;
  }
}
