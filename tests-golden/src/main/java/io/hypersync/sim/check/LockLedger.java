package io.hypersync.sim.check;

import io.hypersync.model.id.NodeId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.lock.OwnerLocks;
import io.hypersync.worker.lock.LockKey;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.LongSupplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * No two owners hold locks that conflict (hypersync.md 10.2), as far as their processes were told:
 * from the moment in which a grant is heard of to the moment in which it is given up. A lock whose
 * session the leader has ended does not count.
 */
public final class LockLedger {
  private record Owner(String worker, LockKey key) {}

  private static final class Holding {
    private final OwnerLocks locks = new OwnerLocks();
    private long session;
  }

  private final ToLongFunction<String> sessionAtLeader;
  private final LongSupplier durableIndex;

  /** How far the log was when an exclusive flock of a file was last given up. */
  private final Map<NodeId, Long> freedAt = new HashMap<>();

  private final Map<Owner, Holding> holdings = new LinkedHashMap<>();

  /** Who was granted something, and has not freed all of it since. */
  private final Set<Owner> mayHold = new HashSet<>();

  private long granted;

  /**
   * Nobody holds anything.
   *
   * @param sessionAtLeader the number of a worker's lock session, or 0
   * @param durableIndex how far the log is
   */
  public LockLedger(ToLongFunction<String> sessionAtLeader, LongSupplier durableIndex) {
    this.sessionAtLeader = sessionAtLeader;
    this.durableIndex = durableIndex;
  }

  /**
   * A process calls: what it lets go of in any case it has no claim to from now on. That is what it
   * unlocks, an exclusive lock that it weakens, and a flock that it converts.
   */
  public void asked(String worker, LockKey key, LockRange range, @Nullable LockMode mode) {
    Owner owner = new Owner(worker, key);
    if (mode == null && range.equals(LockRange.WHOLE)) {
      mayHold.remove(owner);
    }
    Holding holding = holdings.get(owner);
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
      holdings.remove(owner);
    }
  }

  /**
   * A process is told that it has the lock.
   *
   * @param visible how far the log is visible where it runs: whoever gets a lock sees what its
   *     holder before wrote
   */
  public void granted(
      String worker, long session, LockKey key, LockRange range, LockMode mode, long visible) {
    granted++;
    Owner owner = new Owner(worker, key);
    // In a session that the leader has ended while its worker was cut off, nothing is held (10.2).
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
    Holding mine = holdings.computeIfAbsent(owner, _ -> new Holding());
    if (mine.session != session) {
      mine.locks.set(LockRange.WHOLE, null); // lost with its session
      mine.session = session;
    }
    mine.locks.set(range, mode);
  }

  private void check(Owner owner, LockRange range, LockMode mode) {
    holdings.forEach(
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
   * A process is told that to wait would be a deadlock: others wait for what it holds, so it does.
   */
  public void deadlocked(String worker, LockKey key) {
    boolean holds =
        holdings.keySet().stream()
            .anyMatch(
                owner ->
                    owner.worker.equals(worker)
                        && owner.key.space() == key.space()
                        && owner.key.owner() == key.owner());
    Violation.unless(holds, key, " on ", worker, " is told EDEADLK and holds nothing");
  }

  /** The worker has crashed, and so have its processes. */
  public void abandoned(String worker) {
    holdings.keySet().removeIf(owner -> owner.worker.equals(worker));
    mayHold.removeIf(owner -> owner.worker.equals(worker));
  }

  /**
   * Nothing is under way between a worker and the leader, which holds so many locks for it; one
   * owner's of one file count as one. More than were granted are locks that nobody knows of.
   */
  public void settled(String worker, int held) {
    long most = mayHold.stream().filter(owner -> owner.worker.equals(worker)).count();
    Violation.unless(
        held <= most, "the leader holds ", held, " locks for ", worker, ", which has ", most);
  }

  /** Whether processes of the worker hold locks that they got in this session. */
  public boolean holds(String worker, long session) {
    for (Map.Entry<Owner, Holding> each : holdings.entrySet()) {
      if (each.getKey().worker.equals(worker) && each.getValue().session == session) {
        return true;
      }
    }
    return false;
  }

  /** How many locks were granted. */
  public long grantedCount() {
    return granted;
  }
}
