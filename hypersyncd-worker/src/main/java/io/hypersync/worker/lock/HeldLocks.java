package io.hypersync.worker.lock;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.lock.OwnerLocks;
import io.hypersync.worker.fuse.protocol.FileHandle;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.incarnation.LockRecords;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks that this mount may hold: never fewer than the leader has granted, so a close that
 * finds none here need not ask the leader. And the locks that it has lost, until their holders know
 * ({@link #session}, docs/locks.md). Thread-safe: one monitor, held for a few look-ups in maps.
 */
public final class HeldLocks {
  private static final long NONE = 0;

  /** What one owner may hold of one file, or has lost. */
  private static final class Holding {
    /** The number of lock requests whose outcome is unknown. */
    private int underWay;

    /** The lock session in which the held locks were granted, or the lost ones were; else NONE. */
    private long session = NONE;

    private boolean lost;

    /** Whether a call has failed since the locks were lost, so that their holder knows. */
    private boolean told;

    /** What the process believes that it holds; of use only once that is lost. */
    private final OwnerLocks believed = new OwnerLocks();

    private int pid;

    /** The file handles through which locks were requested. */
    private final Set<FileHandle> handles = new HashSet<>();

    boolean isHeld() {
      return session != NONE && !lost;
    }

    void holdsNothing() {
      session = NONE;
      lost = false;
      told = false;
      believed.set(LockRange.WHOLE, null);
    }
  }

  /**
   * A lock that is lost with its session.
   *
   * @param pid the process that has locked last
   */
  public record Lost(OwnerLockKey key, int pid) {}

  private static final Comparator<OwnerLockKey> ORDER =
      Comparator.comparing(OwnerLockKey::node)
          .thenComparing(OwnerLockKey::space)
          .thenComparingLong(key -> key.owner().value());

  private final Map<OwnerLockKey, Holding> holdings = new HashMap<>();

  /** The keys of the holdings that have a handle. */
  private final Map<FileHandle, Set<OwnerLockKey>> keysOf = new HashMap<>();

  /** Handles that are fenced though their holding is over, and the session that was lost. */
  private final Map<FileHandle, Long> fenced = new HashMap<>();

  /** Where the next process finds what is held; null if there is none. */
  private @Nullable LockRecords records;

  /** Whether there is anything in the maps: almost all writes are of files that nobody locks. */
  private volatile boolean any;

  /**
   * From now on what is held is kept in these records, too.
   *
   * @param held what an earlier process has held by them, and which handles it had fenced. Which
   *     bytes of a file it had locked is not known: should the locks be lost, all of them count as
   *     lost
   * @param current the lock session; what is of an earlier one is lost already
   */
  synchronized void keep(LockRecords kept, List<LockRecords.Row> held, long current) {
    for (LockRecords.Row row : held) {
      any = true;
      if (row.kind() == LockRecords.Kind.FENCED) {
        fenced.put(row.handle(), row.session());
        continue;
      }
      OwnerLockKey key = new OwnerLockKey(row.key().node(), row.key().space(), row.key().owner());
      Holding holding = holdings.computeIfAbsent(key, _ -> new Holding());
      holding.session = row.session();
      holding.lost = row.session() != current;
      holding.pid = row.pid();
      holding.believed.set(LockRange.WHOLE, LockMode.EXCLUSIVE);
      if (!row.handle().equals(FileHandle.NONE)) {
        holding.handles.add(row.handle());
        keysOf.computeIfAbsent(row.handle(), _ -> new HashSet<>()).add(key);
      }
    }
    records = kept;
  }

  private void fence(FileHandle handle, long session) {
    fenced.put(handle, session);
    if (records != null) {
      records.fences(handle, session);
    }
  }

  private void unfence(FileHandle handle) {
    if (fenced.remove(handle) != null && records != null) {
      records.fences(handle, NONE);
    }
  }

  /** Keeps what an owner holds now of one file. */
  private void record(OwnerLockKey key, Holding holding) {
    LockRecords kept = records;
    if (kept != null) {
      kept.holds(
          new LockRecords.Key(key.node(), key.space(), key.owner()),
          holding.handles,
          holding.session,
          holding.pid);
    }
  }

  /**
   * Records a lock request through a file handle; must be called before the request can be
   * answered.
   */
  public synchronized void asked(OwnerLockKey key, FileHandle handle) {
    Holding holding = holdings.computeIfAbsent(key, _ -> new Holding());
    holding.underWay++;
    holding.handles.add(handle);
    keysOf.computeIfAbsent(handle, _ -> new HashSet<>()).add(key);
    any = true;
  }

  /**
   * The lock session that a mutation through this handle rests on: that of the locks which the
   * handle or the process holds, or one that was lost and that they still rest on. A process's
   * fcntl locks count whichever descriptor it writes through.
   *
   * @param process the kernel's number of the calling process as a lock owner; NONE if not known
   * @return 0 if neither holds any lock of the file, nor has lost one
   */
  public long session(NodeId node, FileHandle handle, FuseLockOwner process) {
    if (!any) {
      return NONE;
    }
    synchronized (this) {
      Long lost = fenced.get(handle);
      if (lost != null) {
        return lost;
      }
      long session = NONE;
      for (Holding holding : resting(node, handle, process)) {
        if (holding.lost) {
          return holding.session;
        }
        session = holding.session == NONE ? session : holding.session;
      }
      return session;
    }
  }

  /**
   * A mutation through this handle was refused: who holds lost locks there knows from now on.
   *
   * @return the processes that did not know before
   */
  public synchronized List<Integer> told(NodeId node, FileHandle handle, FuseLockOwner process) {
    List<Integer> pids = new ArrayList<>();
    for (Holding holding : resting(node, handle, process)) {
      if (holding.lost && !holding.told) {
        holding.told = true;
        pids.add(holding.pid);
      }
    }
    return pids;
  }

  private List<Holding> resting(NodeId node, FileHandle handle, FuseLockOwner process) {
    List<Holding> resting = new ArrayList<>();
    for (OwnerLockKey key : keysOf.getOrDefault(handle, Set.of())) {
      add(holdings.get(key), resting);
    }
    if (!process.equals(FuseLockOwner.NONE)) {
      add(holdings.get(new OwnerLockKey(node, LockSpace.POSIX, process)), resting);
    }
    return resting;
  }

  private static void add(@Nullable Holding holding, List<Holding> to) {
    if (holding != null) {
      to.add(holding);
    }
  }

  /**
   * Whether a lock call of this owner must fail with EIO, because its process would take it for one
   * beside locks that it has lost. A process that has been told may lock anew all that it has lost;
   * a part of it only once it has unlocked the rest: it may be about to go on with what it read
   * under the lost lock, as SQLite does when it asks for an exclusive lock beside a shared one.
   */
  synchronized boolean refuses(OwnerLockKey key, LockRange range) {
    Holding holding = holdings.get(key);
    if (holding == null || !holding.lost || holding.believed.isEmpty()) {
      return false;
    }
    boolean isAll =
        holding.believed.pieces().stream()
            .allMatch(
                piece ->
                    piece.range().first() >= range.first() && piece.range().last() <= range.last());
    if (holding.told && isAll) {
      return false;
    }
    holding.told = true;
    return true;
  }

  /** A process unlocks: from now on it does not believe that it holds these bytes. */
  synchronized void unlocking(OwnerLockKey key, LockRange range) {
    Holding holding = holdings.get(key);
    if (holding != null) {
      holding.believed.set(range, null);
    }
  }

  /**
   * A request that was {@link #asked} is granted. What the owner had lost of the file before is
   * lost no more: it has locked again.
   *
   * @param session the lock session
   */
  synchronized void granted(
      OwnerLockKey key, long session, LockRange range, LockMode mode, int pid) {
    Holding holding = holdings.get(key);
    if (holding == null) {
      return;
    }
    holding.underWay--;
    if (holding.lost) {
      holding.holdsNothing();
    }
    for (FileHandle handle : holding.handles) {
      unfence(handle);
      leaveLost(handle, key);
    }
    holding.session = session;
    holding.pid = pid;
    holding.believed.set(range, mode);
    forgetIfIdle(key, holding);
  }

  /** Another process that shares the handle has lost its locks; the handle has locked again. */
  private void leaveLost(FileHandle handle, OwnerLockKey by) {
    for (OwnerLockKey other : List.copyOf(keysOf.getOrDefault(handle, Set.of()))) {
      Holding holding = holdings.get(other);
      if (holding != null && holding.lost && !other.equals(by) && other.space() == by.space()) {
        holding.handles.remove(handle);
        unindex(handle, other);
      }
    }
  }

  /**
   * Records the outcome of a request that was {@link #asked} and is not {@link #granted}.
   *
   * @param held whether the owner holds a lock on the file now
   * @param session the lock session
   */
  synchronized void ended(OwnerLockKey key, boolean held, long session) {
    Holding holding = holdings.get(key);
    if (holding != null) {
      holding.underWay--;
      found(key, holding, held, session);
    }
  }

  /**
   * A request that was {@link #asked} has ended without reaching the leader, so nothing has changed
   * there.
   */
  synchronized void unasked(OwnerLockKey key) {
    Holding holding = holdings.get(key);
    if (holding != null) {
      holding.underWay--;
      forgetIfIdle(key, holding);
    }
  }

  /** Records from the answer to another request whether the owner holds a lock on the file. */
  synchronized void found(OwnerLockKey key, boolean held, long session) {
    Holding holding = holdings.get(key);
    if (holding != null) {
      found(key, holding, held, session);
    }
  }

  /** A lost lock stays lost: that the leader has none is what everybody knows. */
  private void found(OwnerLockKey key, Holding holding, boolean held, long session) {
    if (!holding.lost) {
      if (!held) {
        holding.holdsNothing();
      } else if (holding.session == NONE) {
        holding.session = session;
      }
    }
    forgetIfIdle(key, holding);
  }

  /**
   * All locks of the owner on the file are about to be released: the file handles through which
   * they were requested no longer count. If the locks were lost, the handles that stay open are
   * fenced on: a close of another descriptor by the same process has ended its locks, but whoever
   * writes through these handles does not know. The owner's number may be another process's soon,
   * so it is not.
   */
  synchronized void closing(OwnerLockKey key) {
    Holding holding = holdings.get(key);
    if (holding == null) {
      return;
    }
    for (FileHandle handle : holding.handles) {
      unindex(handle, key);
      if (holding.lost) {
        fence(handle, holding.session);
      }
    }
    holding.handles.clear();
    holding.believed.set(LockRange.WHOLE, null);
    if (holding.lost) {
      holding.holdsNothing();
    }
    forgetIfIdle(key, holding);
  }

  /**
   * Whoever rests on what this owner has lost of the file knows it already, and has ended what
   * rested on it: the owner may lock anew at once. For locks of this host itself.
   */
  public synchronized void knowsOfLoss(OwnerLockKey key) {
    Holding holding = holdings.get(key);
    if (holding != null && holding.lost) {
      holding.holdsNothing();
      forgetIfIdle(key, holding);
    }
  }

  /** Whether this owner may hold a lock on the file, or has lost one. */
  public boolean mayHold(OwnerLockKey key) {
    if (!any) {
      return false;
    }
    synchronized (this) {
      return holdings.containsKey(key);
    }
  }

  /**
   * A file handle is closed: nothing is fenced for it any more.
   *
   * @return the owners and files for which locks were requested through it, in a fixed order
   */
  public List<OwnerLockKey> closed(FileHandle handle) {
    if (!any) {
      return List.of();
    }
    synchronized (this) {
      unfence(handle);
      List<OwnerLockKey> keys = new ArrayList<>();
      Set<OwnerLockKey> indexed = keysOf.remove(handle);
      if (indexed != null) {
        for (OwnerLockKey key : indexed) {
          Holding holding = holdings.get(key);
          if (holding != null) {
            holding.handles.remove(handle);
            record(key, holding);
          }
          keys.add(key);
        }
      }
      keys.sort(ORDER); // the set's order differs from process to process
      any = !holdings.isEmpty() || !fenced.isEmpty();
      return keys;
    }
  }

  /** The number of locks held; all locks of one owner on one file count as one. */
  int held() {
    if (!any) {
      return 0;
    }
    synchronized (this) {
      int held = 0;
      for (Holding holding : holdings.values()) {
        held += holding.isHeld() ? 1 : 0;
      }
      return held;
    }
  }

  /** The number of locks lost whose holders have not locked again nor closed the file since. */
  public synchronized int lostAndNotLockedAgain() {
    return (int) holdings.values().stream().filter(holding -> holding.lost).count() + fenced.size();
  }

  /**
   * The leader has forgotten all locks. Of what a process was unlocking or closing just now nothing
   * is lost.
   *
   * @return those that were held, in a fixed order
   */
  synchronized List<Lost> lost() {
    List<Lost> all = new ArrayList<>();
    for (OwnerLockKey key : List.copyOf(holdings.keySet())) {
      Holding holding = holdings.get(key);
      if (holding == null || !holding.isHeld()) {
        continue;
      }
      if (holding.believed.isEmpty()) {
        holding.holdsNothing();
        forgetIfIdle(key, holding);
      } else {
        holding.lost = true;
        all.add(new Lost(key, holding.pid));
      }
    }
    all.sort(Comparator.comparing(Lost::key, ORDER));
    return all;
  }

  private void forgetIfIdle(OwnerLockKey key, Holding holding) {
    record(key, holding);
    if (holding.underWay == 0 && holding.session == NONE) {
      holdings.remove(key);
      holding.handles.forEach(handle -> unindex(handle, key));
    }
    any = !holdings.isEmpty() || !fenced.isEmpty();
  }

  private void unindex(FileHandle handle, OwnerLockKey key) {
    Set<OwnerLockKey> keys = keysOf.get(handle);
    if (keys != null && keys.remove(key) && keys.isEmpty()) {
      keysOf.remove(handle);
    }
  }
}
