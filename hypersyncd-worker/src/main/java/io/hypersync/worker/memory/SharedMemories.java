package io.hypersync.worker.memory;

import io.hypersync.model.errno.Errno;
import io.hypersync.model.id.InodeNo;
import io.hypersync.model.id.NodeId;
import io.hypersync.wire.message.LeaderMessage.Holder;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseAttr;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.fuse.protocol.FuseOperation;
import io.hypersync.worker.local.LocalLockRequests;
import io.hypersync.worker.lock.LockCompletion;
import io.hypersync.worker.memory.SharedMemory.Standing;
import io.hypersync.worker.memory.SharedMemory.Use;
import io.hypersync.worker.vfs.RequestFailed;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * All shared memories of this host, and their leases.
 *
 * <p>A memory takes the lease with the first lock that SQLite takes before it trusts or changes the
 * content, and gives it back with the close that leaves no lock: every process that has the memory
 * mapped holds one (SQLite's dead man's switch). So no process of this host has mapped what another
 * host may replace, unless the lease is lost; see {@link #lost}.
 *
 * <p>Thread-safe: one lock for all. Nothing that is called under it blocks.
 */
final class SharedMemories {
  /** Above all that a leader gives out, and below the nodes of local paths. */
  private static final long FIRST = 1L << 61;

  private static final long END = 1L << 62;

  /** Databases at a time; more get ENOSPC. */
  static final int MOST = 256;

  /** What all of them may take of the heap; more gets ENOSPC. */
  static final long MOST_BYTES = 16 << 20;

  private final DatabaseLease lease;
  private final LocalLockRequests locks;
  private final Map<InodeNo, SharedMemory> byNumber = new HashMap<>();

  /** Those that whoever opens the file gets: free, asking or held. */
  private final Map<NodeId, SharedMemory> byDatabase = new HashMap<>();

  private long next = FIRST;
  private final AtomicInteger held = new AtomicInteger();

  SharedMemories(DatabaseLease lease, LocalLockRequests locks) {
    this.lease = lease;
    this.locks = locks;
  }

  /** Whether a node of the kernel's is a memory. */
  static boolean isOne(InodeNo number) {
    return number.value() >= FIRST && number.value() < END;
  }

  /** Whether any lease is held; any thread, without the lock. */
  boolean isAnyHeld() {
    return held.get() > 0;
  }

  /** The memory of a database that is in use; null if it is not. */
  synchronized @Nullable SharedMemory find(NodeId database) {
    return byDatabase.get(database);
  }

  /** The node that the kernel has under a number; ESTALE if it has none. */
  synchronized SharedMemory get(InodeNo number) throws RequestFailed {
    SharedMemory memory = byNumber.get(number);
    if (memory == null) {
      throw new RequestFailed(Errno.ESTALE);
    }
    return memory;
  }

  /** Makes one. ENOSPC if there are too many. */
  synchronized SharedMemory make(
      NodeId database, String path, int mode, int uid, int gid, long nowNs) throws RequestFailed {
    if (byDatabase.size() >= MOST) {
      throw new RequestFailed(Errno.ENOSPC);
    }
    SharedMemory made =
        new SharedMemory(new InodeNo(next++), database, path, mode, uid, gid, nowNs);
    byNumber.put(made.number(), made);
    byDatabase.put(database, made);
    return made;
  }

  synchronized void lookedUp(SharedMemory memory, @Nullable NodeId log) {
    memory.lookedUp();
    memory.hasLog(log);
  }

  synchronized void forget(InodeNo number, long lookups) {
    SharedMemory memory = byNumber.get(number);
    if (memory != null && !memory.survives(lookups) && !memory.isOpen()) {
      byNumber.remove(number);
      byDatabase.remove(memory.database(), memory);
    }
  }

  synchronized void opened(SharedMemory memory) {
    memory.opened();
  }

  synchronized FuseAttr attributes(SharedMemory memory) {
    return memory.attributes();
  }

  /** What of a request changes attributes, and the attributes then; times are not set. */
  synchronized FuseAttr set(SharedMemory memory, FuseOperation.SetAttr request, long nowNs)
      throws RequestFailed {
    if (request.size().isPresent()) {
      memory.truncate(request.sizeBits(), nowNs);
    }
    request.mode().ifPresent(mode -> memory.setMode(mode, nowNs));
    if (request.uid().isPresent() || request.gid().isPresent()) {
      memory.setOwner(request.uid().orElse(-1), request.gid().orElse(-1), nowNs);
    }
    return memory.attributes();
  }

  synchronized byte[] read(SharedMemory memory, long offset, int most) {
    return memory.read(offset, most);
  }

  /** ENOSPC if all of them would take too much; EFBIG if this one would. */
  synchronized void write(SharedMemory memory, long offset, byte[] data, long nowNs)
      throws RequestFailed {
    long all = 0;
    for (SharedMemory each : byDatabase.values()) {
      all += each.bytes();
    }
    if (offset + data.length > memory.bytes() && all + data.length > MOST_BYTES) {
      throw new RequestFailed(Errno.ENOSPC);
    }
    memory.write(offset, data, nowNs);
  }

  /**
   * Lets a lock request go on, now or when the leader has answered.
   *
   * @param needsLease whether it is one by which content is trusted or changed
   */
  void use(SharedMemory memory, boolean needsLease, Use use) {
    boolean asks = false;
    synchronized (this) {
      switch (memory.standing()) {
        // Under the lock: a close must not give the lease back between this and the lock taken.
        case HELD -> use.goOn();
        case OVER -> use.over();
        case LOST -> use.failed(Errno.EIO);
        case FREE, ASKING -> {
          if (!needsLease) {
            use.goOn();
          } else {
            memory.waiting().add(use);
            asks = memory.standing() == Standing.FREE;
            memory.stands(Standing.ASKING);
          }
        }
      }
    }
    if (asks) {
      lease.ask(memory.database(), new Answer(memory));
    }
  }

  /**
   * The leader's answer; on the agent's thread, as {@link #lost}: so their order is the leader's.
   */
  private final class Answer implements LockCompletion {
    private final SharedMemory memory;

    Answer(SharedMemory memory) {
      this.memory = memory;
    }

    @Override
    public void granted() {
      boolean over;
      synchronized (SharedMemories.this) {
        memory.stands(Standing.HELD);
        var _ = held.incrementAndGet();
        memory.takeWaiting().forEach(Use::goOn);
        over = !memory.isOpen(); // all who asked are gone
        if (over) {
          end(memory, Standing.OVER);
        }
      }
      if (over) {
        lease.giveBack(memory.database(), () -> {});
      }
    }

    @Override
    public void denied(Holder holder) {
      take().forEach(Use::refused);
    }

    @Override
    public void failed(Errno errno) {
      take().forEach(use -> use.failed(errno));
    }

    private List<Use> take() {
      synchronized (SharedMemories.this) {
        memory.stands(Standing.FREE);
        if (!memory.isOpen()) {
          end(memory, Standing.OVER);
        }
        return memory.takeWaiting();
      }
    }
  }

  /** A descriptor was closed; {@code done} is run when the leader knows what that has ended. */
  void closed(SharedMemory memory, FuseLockOwner owner, Runnable done) {
    boolean over;
    synchronized (this) {
      locks.closed(memory.number(), owner);
      over = endsIfUnlocked(memory);
    }
    if (over) {
      lease.giveBack(memory.database(), done);
    } else {
      done.run();
    }
  }

  /** An open file has ended. */
  void released(SharedMemory memory, FileHandle handle) {
    boolean over;
    synchronized (this) {
      locks.released(memory.number(), handle);
      memory.released();
      over = endsIfUnlocked(memory);
      if (!memory.isOpen() && memory.standing() == Standing.FREE) {
        end(memory, Standing.OVER);
      }
    }
    if (over) {
      lease.giveBack(memory.database(), () -> {});
    }
  }

  private boolean endsIfUnlocked(SharedMemory memory) {
    if (memory.standing() != Standing.HELD || locks.holdsAny(memory.number())) {
      return false;
    }
    end(memory, Standing.OVER);
    return true;
  }

  private void end(SharedMemory memory, Standing how) {
    if (memory.standing() == Standing.HELD) {
      var _ = held.decrementAndGet();
    }
    memory.stands(how);
    byDatabase.remove(memory.database(), memory);
  }

  /** Those that have the lease. */
  synchronized List<SharedMemory> held() {
    List<SharedMemory> all = new ArrayList<>(byDatabase.values());
    all.removeIf(memory -> memory.standing() != Standing.HELD);
    return all;
  }

  /** Their leases are lost. On the agent's thread. */
  synchronized void lost(List<SharedMemory> memories) {
    for (SharedMemory memory : memories) {
      if (memory.standing() == Standing.HELD) {
        end(memory, Standing.LOST);
        lease.lost(memory.database());
      }
    }
  }
}
