package io.hypersync.sim.check;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.lock.OwnerLocks;
import io.hypersync.worker.fuse.protocol.FuseLockOwner;
import io.hypersync.worker.lock.OwnerLockKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Checks that no two owners hold conflicting locks (hypersync.md 10.2). An owner holds a lock from
 * the moment its process receives the grant to the moment it releases the lock. Locks of a session
 * that the leader has ended do not count.
 */
public final class LockChecker {
  private record Owner(String worker, OwnerLockKey key) {}

  private static final class Holding {
    private final OwnerLocks locks = new OwnerLocks();
    private long session;
  }

  private final ToLongFunction<String> sessionAtLeader;
  private final LongSupplier durableIndex;

  /** The commit index when an exclusive flock of a file was last released. */
  private final Map<NodeId, Long> freedAt = new HashMap<>();

  private final Map<Owner, Holding> heldLocks = new LinkedHashMap<>();

  /** Owners that were granted a lock and have not released everything since. */
  private final Set<Owner> mayHold = new HashSet<>();

  private long granted;

  /**
   * Creates a checker for which nothing is held.
   *
   * @param sessionAtLeader the number of a worker's current lock session at the leader; 0 if none
   * @param durableIndex the newest durable index
   */
  public LockChecker(ToLongFunction<String> sessionAtLeader, LongSupplier durableIndex) {
    this.sessionAtLeader = sessionAtLeader;
    this.durableIndex = durableIndex;
  }

  /** Another leader has taken over, whose log ends with this entry: what came behind it is lost. */
  public void takenOver(long index) {
    freedAt.replaceAll((_, freed) -> Math.min(freed, index));
  }

  /**
   * A process makes a lock call. From now on it no longer holds what the call releases in any case,
   * whatever its result: what it unlocks, the exclusive part of a lock that it downgrades, and a
   * flock that it converts.
   *
   * @param mode null to unlock
   */
  public void asked(String worker, OwnerLockKey key, LockRange range, @Nullable LockMode mode) {
    Owner owner = new Owner(worker, key);
    if (mode == null && range.equals(LockRange.WHOLE)) {
      mayHold.remove(owner);
    }
    Holding holding = heldLocks.get(owner);
    if (holding == null) {
      return;
    }
    for (HeldLock held : holding.locks.within(range)) {
      if (key.space() == LockSpace.FLOCK
          && held.mode() == LockMode.EXCLUSIVE
          && mode != LockMode.EXCLUSIVE
          && holding.session == sessionAtLeader.applyAsLong(worker)) {
        freedAt.put(key.node(), durableIndex.getAsLong());
      }
      if (mode == null || (key.space() == LockSpace.FLOCK && held.mode() != mode)) {
        holding.locks.set(held.range(), null);
      } else if (mode == LockMode.SHARED) {
        holding.locks.set(held.range(), mode);
      }
    }
    if (holding.locks.isEmpty()) {
      heldLocks.remove(owner);
    }
  }

  /**
   * A process receives a grant.
   *
   * @param visible newest index visible on its worker: whoever gets a lock must see what the
   *     previous holder wrote
   */
  public void granted(
      String worker, long session, OwnerLockKey key, LockRange range, LockMode mode, long visible) {
    granted++;
    Owner owner = new Owner(worker, key);
    // In a session that the leader has ended while the worker was partitioned, nothing is held
    // (10.2).
    if (session == sessionAtLeader.applyAsLong(worker)) {
      long freed = key.space() == LockSpace.FLOCK ? freedAt.getOrDefault(key.node(), 0L) : 0;
      Violation.unless(
          visible >= freed,
          key,
          " is granted on ",
          worker,
          ", which shows entry ",
          visible,
          ", and was given up at entry ",
          freed);
      check(owner, range, mode);
    }
    mayHold.add(owner);
    Holding mine = heldLocks.computeIfAbsent(owner, _ -> new Holding());
    if (mine.session != session) {
      mine.locks.set(LockRange.WHOLE, null); // lost with its session
      mine.session = session;
    }
    mine.locks.set(range, mode);
  }

  private void check(Owner owner, LockRange range, LockMode mode) {
    heldLocks.forEach(
        (other, holding) -> {
          if (other.equals(owner)
              || !other.key.node().equals(owner.key.node())
              || other.key.space() != owner.key.space()) {
            return;
          }
          HeldLock conflict = holding.locks.conflict(range, mode);
          Violation.unless(
              conflict == null || holding.session != sessionAtLeader.applyAsLong(other.worker),
              owner,
              " gets ",
              mode,
              " of ",
              range,
              " though ",
              other,
              " holds ",
              conflict);
        });
  }

  /**
   * A process receives EDEADLK. A deadlock needs others that wait for it, so it must hold a lock.
   */
  public void deadlocked(String worker, OwnerLockKey key) {
    boolean holds =
        heldLocks.keySet().stream()
            .anyMatch(
                owner ->
                    owner.worker.equals(worker)
                        && owner.key.space() == key.space()
                        && owner.key.owner().equals(key.owner()));
    Violation.unless(holds, key, " on ", worker, " is told EDEADLK and holds nothing");
  }

  /** The worker has crashed, and its processes with it. */
  public void abandoned(String worker) {
    heldLocks.keySet().removeIf(owner -> owner.worker.equals(worker));
    mayHold.removeIf(owner -> owner.worker.equals(worker));
  }

  /**
   * Compares the number of locks at the leader. To be called when no lock message is in transit
   * between the worker and the leader. More locks at the leader than owners that may hold some are
   * leaked locks.
   *
   * @param held number of locks that the leader holds for the worker; all locks of one owner on one
   *     file count as one
   */
  public void atRest(String worker, int held) {
    long most = mayHold.stream().filter(owner -> owner.worker.equals(worker)).count();
    Violation.unless(
        held <= most, "the leader holds ", held, " locks for ", worker, ", which has ", most);
  }

  /** Whether processes of the worker hold locks that were granted in this session. */
  public boolean holds(String worker, long session) {
    for (Map.Entry<Owner, Holding> each : heldLocks.entrySet()) {
      if (each.getKey().worker.equals(worker) && each.getValue().session == session) {
        return true;
      }
    }
    return false;
  }

  /**
   * The session in which the fcntl locks of a file were granted that a process believes to hold; 0
   * if it holds none.
   */
  long sessionOf(String worker, NodeId node, int process) {
    return sessionOf(worker, new OwnerLockKey(node, LockSpace.POSIX, new FuseLockOwner(process)));
  }

  /** The session in which the locks were granted that an owner believes to hold; 0 if none. */
  public long sessionOf(String worker, OwnerLockKey key) {
    Holding holding = heldLocks.get(new Owner(worker, key));
    return holding == null ? 0 : holding.session;
  }

  /** Whether a lock session of a worker is over at the leader; 0 is none. */
  public boolean isLost(String worker, long session) {
    return session != 0 && session != sessionAtLeader.applyAsLong(worker);
  }

  /** Number of locks that were granted. */
  public long grantedCount() {
    return granted;
  }
}
