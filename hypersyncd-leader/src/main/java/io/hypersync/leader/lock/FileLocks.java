package io.hypersync.leader.lock;

import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.OwnerLocks;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The locks that are held on one file in one lock space, and the requests that wait for them in
 * order of arrival. Owned by {@link LockTable}.
 */
final class FileLocks {
  private static final class Holding {
    private final OwnerLocks locks = new OwnerLocks();
    private int pid;
  }

  /** A held lock that conflicts with a request. */
  record Conflict(LockOwner owner, HeldLock lock, int pid) {}

  private final Map<LockOwner, Holding> holders = new LinkedHashMap<>();
  private final Set<WaitingLock> waiting = new LinkedHashSet<>();

  Set<WaitingLock> waiting() {
    return waiting;
  }

  boolean isEmpty() {
    return holders.isEmpty() && waiting.isEmpty();
  }

  /** How many owners hold a lock on the file. */
  int owners() {
    return holders.size();
  }

  /** The process that has last locked for this owner; 0 if it holds nothing. */
  int pid(LockOwner owner) {
    Holding holding = holders.get(owner);
    return holding == null ? 0 : holding.pid;
  }

  boolean holds(LockOwner owner) {
    return holders.containsKey(owner);
  }

  List<HeldLock> within(LockOwner owner, LockRange range) {
    Holding holding = holders.get(owner);
    return holding == null ? List.of() : holding.locks.within(range);
  }

  int pieces(LockOwner owner) {
    Holding holding = holders.get(owner);
    return holding == null ? 0 : holding.locks.pieces().size();
  }

  /**
   * Whether one piece of the owner extends beyond these bytes on both sides, so that freeing them
   * would split it.
   */
  boolean breaks(LockOwner owner, LockRange range) {
    Holding holding = holders.get(owner);
    return holding != null
        && holding.locks.pieces().stream()
            .anyMatch(
                piece ->
                    piece.range().first() < range.first() && piece.range().last() > range.last());
  }

  /** The first conflicting lock of another owner, or null. */
  @Nullable Conflict conflict(LockOwner owner, LockRange range, LockMode mode) {
    for (Map.Entry<LockOwner, Holding> other : holders.entrySet()) {
      if (!other.getKey().equals(owner)) {
        HeldLock lock = other.getValue().locks.conflict(range, mode);
        if (lock != null) {
          return new Conflict(other.getKey(), lock, other.getValue().pid);
        }
      }
    }
    return null;
  }

  /** All owners that must release a lock before this request can be granted. */
  List<LockOwner> blockers(WaitingLock wanted) {
    List<LockOwner> blockers = new ArrayList<>();
    holders.forEach(
        (owner, holding) -> {
          if (!owner.equals(wanted.owner())
              && holding.locks.conflict(wanted.range(), wanted.mode()) != null) {
            blockers.add(owner);
          }
        });
    return blockers;
  }

  /**
   * Replaces what an owner holds of these bytes; a null mode frees them. {@code pid} is ignored
   * when freeing, because the kernel sends 0 for the process that unlocks.
   */
  void set(LockOwner owner, int pid, LockRange range, @Nullable LockMode mode) {
    Holding holding = holders.computeIfAbsent(owner, _ -> new Holding());
    if (mode != null) {
      holding.pid = pid;
    }
    holding.locks.set(range, mode);
    if (holding.locks.isEmpty()) {
      holders.remove(owner);
    }
  }

  /** Frees everything that the owner holds. */
  void free(LockOwner owner) {
    holders.remove(owner);
  }
}
