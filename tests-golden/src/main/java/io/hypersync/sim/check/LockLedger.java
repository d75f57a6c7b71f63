package io.hypersync.sim.check;

import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.model.lock.OwnerLocks;
import io.hypersync.worker.lock.LockKey;
import java.util.LinkedHashMap;
import java.util.Map;
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
  private final Map<Owner, Holding> holdings = new LinkedHashMap<>();
  private long granted;

  /**
   * Nobody holds anything.
   *
   * @param sessionAtLeader the number of a worker's lock session, or 0
   */
  public LockLedger(ToLongFunction<String> sessionAtLeader) {
    this.sessionAtLeader = sessionAtLeader;
  }

  /**
   * A process calls: what it lets go of in any case it has no claim to from now on. That is what it
   * unlocks, an exclusive lock that it weakens, and a flock that it converts.
   */
  public void asked(String worker, LockKey key, LockRange range, @Nullable LockMode mode) {
    Owner owner = new Owner(worker, key);
    Holding holding = holdings.get(owner);
    if (holding == null) {
      return;
    }
    for (HeldLock held : holding.locks.within(range)) {
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

  /** A process is told that it has the lock. */
  public void granted(String worker, long session, LockKey key, LockRange range, LockMode mode) {
    granted++;
    Owner owner = new Owner(worker, key);
    if (session == sessionAtLeader.applyAsLong(worker)) {
      check(owner, range, mode);
    }
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

  /** The worker has crashed, and so have its processes. */
  public void abandoned(String worker) {
    holdings.keySet().removeIf(owner -> owner.worker.equals(worker));
  }

  /** How many locks were granted. */
  public long grantedCount() {
    return granted;
  }
}
