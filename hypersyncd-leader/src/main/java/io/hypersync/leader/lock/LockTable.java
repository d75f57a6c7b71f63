package io.hypersync.leader.lock;

import io.hypersync.model.id.WorkerId;
import io.hypersync.model.lock.HeldLock;
import io.hypersync.model.lock.LockMode;
import io.hypersync.model.lock.LockRange;
import io.hypersync.model.lock.LockSpace;
import io.hypersync.wire.message.LeaderMessage.ExpiringLock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Every lock that is held, and every one that is waited for; knows no sessions, leases or messages.
 *
 * <p>As on Linux a request is granted when no lock that is held is in its way, also past others
 * that wait: a process whose child locks the same file as a reader must not wait behind a writer
 * who waits for that process. What is freed goes to those who wait in the order of their arrival.
 */
final class LockTable {
  /** How many pieces of one file an owner may hold; beyond it ENOLCK. */
  static final int MAX_PIECES = 10_000;

  /** So many holders are looked at in search of a circle; what is not seen then counts as one. */
  private static final int MAX_LOOKS = 1 << 20;

  private final Map<LockKey, FileLocks> files = new HashMap<>();
  private final Map<LockOwner, Set<LockKey>> held = new LinkedHashMap<>();
  private final Map<WorkerId, Integer> heldByWorker = new HashMap<>();
  private final Map<WorkerId, Integer> piecesByWorker = new HashMap<>();
  private final Map<LockOwner, Set<WaitingLock>> waits = new LinkedHashMap<>();
  private final Consumer<WaitingLock> granted;
  private final Consumer<WaitingLock> deadlocked;

  /** How a request fared. */
  sealed interface Outcome {
    /** It holds now. */
    record Granted() implements Outcome {}

    /** This is in the way; for a request that waits it is queued. */
    record Blocked(FileLocks.Conflict by) implements Outcome {}

    /** To wait would close a circle. */
    record Deadlock() implements Outcome {}

    /** Too many pieces. */
    record TooMany() implements Outcome {}
  }

  /**
   * An empty table.
   *
   * @param granted told of each lock that is granted after a wait, in the moment before it holds
   * @param deadlocked told of each that must not go on waiting
   */
  LockTable(Consumer<WaitingLock> granted, Consumer<WaitingLock> deadlocked) {
    this.granted = granted;
    this.deadlocked = deadlocked;
  }

  /** Takes a lock, or queues for it if it is to be waited for. */
  Outcome lock(WaitingLock wanted, boolean wait) {
    FileLocks file = file(wanted.file());
    Outcome outcome = lock(file, wanted, wait);
    settle(wanted.file(), file);
    return outcome;
  }

  private Outcome lock(FileLocks file, WaitingLock wanted, boolean wait) {
    if (file.pieces(wanted.owner()) >= MAX_PIECES) {
      return new Outcome.TooMany();
    }
    if (wanted.file().space() == LockSpace.FLOCK && !alreadyHas(file, wanted)) {
      free(file, wanted.owner()); // flock(2): a conversion lets go first
      noteHeld(wanted.file(), file, wanted.owner());
    }
    FileLocks.Conflict conflict = file.conflict(wanted.owner(), wanted.range(), wanted.mode());
    if (conflict == null) {
      grant(file, wanted);
      return new Outcome.Granted();
    }
    if (wait) {
      if (closesCircle(wanted)) {
        return new Outcome.Deadlock();
      }
      file.waiting().add(wanted);
      waits.computeIfAbsent(wanted.owner(), _ -> new LinkedHashSet<>()).add(wanted);
    }
    return new Outcome.Blocked(conflict);
  }

  /** Who would be in the way, or null. */
  FileLocks.@Nullable Conflict test(LockKey key, LockOwner owner, LockRange range, LockMode mode) {
    FileLocks file = files.get(key);
    return file == null ? null : file.conflict(owner, range, mode);
  }

  /** Whether to free these bytes would break a piece in two where there are too many already. */
  boolean breaksTooMany(LockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    return file != null && file.pieces(owner) >= MAX_PIECES && file.breaks(owner, range);
  }

  /** Frees these bytes. */
  void unlock(LockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    if (file != null) {
      set(file, owner, 0, range, null);
      noteHeld(key, file, owner);
      settle(key, file);
    }
  }

  /** Gives up a wait; false if there is none. */
  boolean cancel(WaitingLock wanted) {
    FileLocks file = files.get(wanted.file());
    if (file == null || !file.waiting().remove(wanted)) {
      return false;
    }
    noteDone(wanted);
    settle(wanted.file(), file);
    return true;
  }

  /**
   * Undoes a grant: these bytes become again what they were, as far as that is still possible
   * beside what others hold.
   */
  void restore(
      LockKey key, LockOwner owner, int pid, List<LockRange> ranges, List<HeldLock> before) {
    FileLocks file = file(key);
    ranges.forEach(range -> set(file, owner, pid, range, null));
    for (HeldLock piece : before) {
      LockMode mode = piece.mode();
      if (file.conflict(owner, piece.range(), mode) != null) {
        mode = LockMode.SHARED;
      }
      if (file.conflict(owner, piece.range(), mode) == null) {
        set(file, owner, pid, piece.range(), mode);
      }
    }
    noteHeld(key, file, owner);
    settle(key, file);
  }

  /** What of these bytes the owner holds. */
  List<HeldLock> within(LockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    return file == null ? List.of() : file.within(owner, range);
  }

  /** Whether the owner holds anything of the file. */
  boolean holds(LockKey key, LockOwner owner) {
    FileLocks file = files.get(key);
    return file != null && file.holds(owner);
  }

  /** Frees everything and ends every wait of a worker's owners. */
  void forget(WorkerId worker) {
    Set<LockKey> touched = new LinkedHashSet<>();
    for (LockOwner owner : List.copyOf(held.keySet())) {
      if (owner.worker().equals(worker)) {
        for (LockKey key : held.getOrDefault(owner, Set.of())) {
          free(file(key), owner);
          touched.add(key);
        }
        held.remove(owner);
      }
    }
    for (LockOwner owner : List.copyOf(waits.keySet())) {
      if (owner.worker().equals(worker)) {
        for (WaitingLock wanted : List.copyOf(waits.getOrDefault(owner, Set.of()))) {
          file(wanted.file()).waiting().remove(wanted);
          noteDone(wanted);
          touched.add(wanted.file());
        }
      }
    }
    heldByWorker.remove(worker);
    piecesByWorker.remove(worker);
    touched.forEach(key -> settle(key, file(key)));
  }

  /** How many locks a worker's owners hold; one owner's of one file count as one. */
  int heldBy(WorkerId worker) {
    return heldByWorker.getOrDefault(worker, 0);
  }

  /** Some of the locks that a worker's owners hold, at most so many. */
  List<ExpiringLock> someOf(WorkerId worker, int most) {
    int wanted = Math.min(most, heldBy(worker));
    List<ExpiringLock> some = new ArrayList<>();
    for (Map.Entry<LockOwner, Set<LockKey>> each : held.entrySet()) {
      if (some.size() == wanted) {
        break;
      }
      if (each.getKey().worker().equals(worker)) {
        each.getValue().stream()
            .limit(wanted - some.size())
            .map(key -> new ExpiringLock(key.node(), key.space(), each.getKey().kernelOwner()))
            .forEach(some::add);
      }
    }
    return some;
  }

  /** How many pieces a worker's owners hold. */
  int piecesOf(WorkerId worker) {
    return piecesByWorker.getOrDefault(worker, 0);
  }

  /** How many locks are held; one owner's of one file count as one. */
  int held() {
    return heldByWorker.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How many requests wait. */
  int waiting() {
    return waits.values().stream().mapToInt(Set::size).sum();
  }

  private static boolean alreadyHas(FileLocks file, WaitingLock wanted) {
    List<HeldLock> now = file.within(wanted.owner(), wanted.range());
    return now.size() == 1 && now.getFirst().mode() == wanted.mode();
  }

  private void grant(FileLocks file, WaitingLock wanted) {
    set(file, wanted.owner(), wanted.pid(), wanted.range(), wanted.mode());
    noteHeld(wanted.file(), file, wanted.owner());
  }

  /** Grants what can be granted now, and forgets a file that nobody has locked. */
  private void settle(LockKey key, FileLocks file) {
    // Granting can free: a process that waits for one range may weaken its hold on another with it.
    boolean again = true;
    while (again) {
      again = false;
      for (WaitingLock wanted : List.copyOf(file.waiting())) {
        if (file.waiting().contains(wanted)
            && file.conflict(wanted.owner(), wanted.range(), wanted.mode()) == null) {
          file.waiting().remove(wanted);
          noteDone(wanted);
          granted.accept(wanted);
          grant(file, wanted);
          refuseNewCircles(wanted.owner());
          again = true;
        }
      }
    }
    if (file.isEmpty()) {
      files.remove(key);
    }
  }

  /** A process of several threads can get a lock while it waits for another. */
  private void refuseNewCircles(LockOwner owner) {
    for (WaitingLock wanted : List.copyOf(waits.getOrDefault(owner, Set.of()))) {
      if (closesCircle(wanted)) {
        file(wanted.file()).waiting().remove(wanted);
        noteDone(wanted);
        deadlocked.accept(wanted);
      }
    }
  }

  /**
   * Whether the owner would wait for itself (EDEADLK), over any number of files and workers. Only
   * fcntl locks are looked at: a flock belongs to an open file, and nobody knows which process will
   * close it. The same is true of F_OFD locks, which cannot be told from a process's here; so their
   * users may get an EDEADLK that Linux would not give, but only where they would wait for ever.
   */
  private boolean closesCircle(WaitingLock wanted) {
    if (wanted.file().space() == LockSpace.FLOCK) {
      return false;
    }
    Set<LockOwner> seen = new HashSet<>();
    ArrayDeque<WaitingLock> todo = new ArrayDeque<>(List.of(wanted));
    long looks = 0;
    while (!todo.isEmpty()) {
      WaitingLock next = todo.removeFirst();
      FileLocks file = files.get(next.file());
      looks += file == null ? 0 : file.owners();
      if (looks > MAX_LOOKS) {
        return true;
      }
      for (LockOwner blocker : file == null ? List.<LockOwner>of() : file.blockers(next)) {
        if (blocker.equals(wanted.owner())) {
          return true;
        }
        if (seen.add(blocker)) {
          todo.addAll(waits.getOrDefault(blocker, Set.of()));
        }
      }
    }
    return false;
  }

  private void set(
      FileLocks file, LockOwner owner, int pid, LockRange range, @Nullable LockMode mode) {
    int before = file.pieces(owner);
    file.set(owner, pid, range, mode);
    notePieces(owner, file.pieces(owner) - before);
  }

  private void free(FileLocks file, LockOwner owner) {
    notePieces(owner, -file.pieces(owner));
    file.free(owner);
  }

  private void notePieces(LockOwner owner, int change) {
    if (change != 0) {
      piecesByWorker.merge(
          owner.worker(), change, (a, b) -> a + b == 0 ? null : Integer.valueOf(a + b));
    }
  }

  private FileLocks file(LockKey key) {
    return files.computeIfAbsent(key, _ -> new FileLocks());
  }

  private void noteHeld(LockKey key, FileLocks file, LockOwner owner) {
    if (file.holds(owner)) {
      if (held.computeIfAbsent(owner, _ -> new LinkedHashSet<>()).add(key)) {
        heldByWorker.merge(owner.worker(), 1, Integer::sum);
      }
      return;
    }
    Set<LockKey> keys = held.get(owner);
    if (keys != null && keys.remove(key)) {
      heldByWorker.merge(owner.worker(), -1, Integer::sum);
      if (keys.isEmpty()) {
        held.remove(owner);
      }
    }
  }

  private void noteDone(WaitingLock wanted) {
    Set<WaitingLock> of = waits.get(wanted.owner());
    if (of != null && of.remove(wanted) && of.isEmpty()) {
      waits.remove(wanted.owner());
    }
  }
}
