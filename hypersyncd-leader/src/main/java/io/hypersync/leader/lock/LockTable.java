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
 * All held locks and all waiting requests; independent of sessions, leases and messages.
 *
 * <p>As on Linux, a request is granted when no held lock conflicts with it, even ahead of other
 * waiting requests: a child that takes a read lock beside its parent's must not wait behind a
 * writer that waits for the parent, because the parent may be waiting for the child. Freed bytes go
 * to the waiting requests in order of arrival.
 */
final class LockTable {
  /** How many pieces of one file an owner may hold; beyond it ENOLCK. */
  static final int MAX_PIECES = 10_000;

  /**
   * How many holders the deadlock search examines; a search that exceeds this counts as a deadlock.
   */
  private static final int MAX_LOOKS = 1 << 20;

  /** So many holders are looked at for a list of locks. */
  private static final int MAX_LISTED_LOOKS = 50_000;

  private final Map<FileLockKey, FileLocks> files = new HashMap<>();
  private final Map<LockOwner, Set<FileLockKey>> held = new LinkedHashMap<>();
  private final Map<WorkerId, Integer> heldByWorker = new HashMap<>();
  private final Map<WorkerId, Integer> piecesByWorker = new HashMap<>();
  private final Map<LockOwner, Set<WaitingLock>> waits = new LinkedHashMap<>();
  private final Consumer<WaitingLock> granted;
  private final Consumer<WaitingLock> deadlocked;

  /** Outcome of {@link #lock}. */
  sealed interface Outcome {
    /** The lock is held now. */
    record Granted() implements Outcome {}

    /** A conflicting lock is held; if the request is to wait, it is queued. */
    record Blocked(FileLocks.Conflict by) implements Outcome {}

    /** Waiting would close a cycle. */
    record Deadlock() implements Outcome {}

    /** The owner holds {@link #MAX_PIECES} pieces of the file. */
    record TooMany() implements Outcome {}
  }

  /**
   * An empty table.
   *
   * @param granted called for each lock that is granted after a wait, just before it is held
   * @param deadlocked called for each waiting request that is refused because of a deadlock
   */
  LockTable(Consumer<WaitingLock> granted, Consumer<WaitingLock> deadlocked) {
    this.granted = granted;
    this.deadlocked = deadlocked;
  }

  /** Takes a lock; if it conflicts and {@code wait} is set, queues the request. */
  Outcome lock(WaitingLock wanted, boolean wait) {
    FileLocks file = file(wanted.file());
    Outcome outcome = lock(file, wanted, wait);
    grantWaiting(wanted.file(), file);
    return outcome;
  }

  private Outcome lock(FileLocks file, WaitingLock wanted, boolean wait) {
    if (file.pieces(wanted.owner()) >= MAX_PIECES) {
      return new Outcome.TooMany();
    }
    if (wanted.file().space() == LockSpace.FLOCK && !alreadyHas(file, wanted)) {
      free(file, wanted.owner()); // flock(2): a conversion releases first
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

  /** The first conflicting lock, or null. */
  FileLocks.@Nullable Conflict test(
      FileLockKey key, LockOwner owner, LockRange range, LockMode mode) {
    FileLocks file = files.get(key);
    return file == null ? null : file.conflict(owner, range, mode);
  }

  /** Whether freeing these bytes would split a piece although the owner has {@link #MAX_PIECES}. */
  boolean breaksTooMany(FileLockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    return file != null && file.pieces(owner) >= MAX_PIECES && file.breaks(owner, range);
  }

  /** Frees these bytes, and grants requests that waited for them. */
  void unlock(FileLockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    if (file != null) {
      set(file, owner, 0, range, null);
      noteHeld(key, file, owner);
      grantWaiting(key, file);
    }
  }

  /** Cancels a waiting request; false if it is not waiting. */
  boolean cancel(WaitingLock wanted) {
    FileLocks file = files.get(wanted.file());
    if (file == null || !file.waiting().remove(wanted)) {
      return false;
    }
    noteDone(wanted);
    grantWaiting(wanted.file(), file);
    return true;
  }

  /**
   * Undoes a grant: restores what was held of these bytes, as far as locks that others hold now
   * allow; an exclusive lock that conflicts may come back as a shared one.
   */
  void restore(
      FileLockKey key, LockOwner owner, int pid, List<LockRange> ranges, List<HeldLock> before) {
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
    grantWaiting(key, file);
  }

  /** What the owner holds of these bytes. */
  List<HeldLock> within(FileLockKey key, LockOwner owner, LockRange range) {
    FileLocks file = files.get(key);
    return file == null ? List.of() : file.within(owner, range);
  }

  /** Whether the owner holds any lock on the file. */
  boolean holds(FileLockKey key, LockOwner owner) {
    FileLocks file = files.get(key);
    return file != null && file.holds(owner);
  }

  /** Frees all locks and ends all waits of a worker's owners. */
  void forget(WorkerId worker) {
    Set<FileLockKey> touched = new LinkedHashSet<>();
    for (LockOwner owner : List.copyOf(held.keySet())) {
      if (owner.worker().equals(worker)) {
        for (FileLockKey key : held.getOrDefault(owner, Set.of())) {
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
    touched.forEach(key -> grantWaiting(key, file(key)));
  }

  /** How many locks a worker's owners hold; all locks of one owner on one file count as one. */
  int heldBy(WorkerId worker) {
    return heldByWorker.getOrDefault(worker, 0);
  }

  /** Up to {@code most} of the locks that a worker's owners hold. */
  List<ExpiringLock> someOf(WorkerId worker, int most) {
    int wanted = Math.min(most, heldBy(worker));
    List<ExpiringLock> some = new ArrayList<>();
    for (Map.Entry<LockOwner, Set<FileLockKey>> each : held.entrySet()) {
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

  /** Up to {@code most} of the processes of a worker that hold locks, by their numbers there. */
  List<Integer> pidsOf(WorkerId worker, int most) {
    return held.entrySet().stream()
        .filter(each -> each.getKey().worker().equals(worker))
        .flatMap(each -> each.getValue().stream().map(key -> file(key).pid(each.getKey())))
        .distinct()
        .limit(most)
        .toList();
  }

  /** How many pieces a worker's owners hold. */
  int piecesOf(WorkerId worker) {
    return piecesByWorker.getOrDefault(worker, 0);
  }

  /** How many locks are held; all locks of one owner on one file count as one. */
  int held() {
    return heldByWorker.values().stream().mapToInt(Integer::intValue).sum();
  }

  /** How many requests wait, of all workers. */
  int waiting() {
    return waits.values().stream().mapToInt(Set::size).sum();
  }

  /**
   * Lists what waits, in order of arrival for each owner, and then what is held.
   *
   * @param most locks at most; who is in the way of one that waits is looked for among so many
   *     holders in all that it takes a moment only
   */
  ListedLock.Listing list(int most) {
    List<ListedLock> found = new ArrayList<>();
    long looks = 0;
    boolean isComplete = true;
    for (Set<WaitingLock> of : waits.values()) {
      for (WaitingLock wanted : of) {
        if (found.size() == most) {
          return new ListedLock.Listing(found, false);
        }
        FileLocks file = files.get(wanted.file());
        looks += file == null ? 0 : file.owners();
        boolean isLooked = looks <= MAX_LISTED_LOOKS;
        isComplete &= isLooked;
        List<ListedLock.Holder> holders =
            file == null || !isLooked
                ? List.of()
                : file.blockers(wanted).stream()
                    .limit(ListedLock.MOST_BLOCKERS)
                    .map(owner -> new ListedLock.Holder(owner.worker(), file.pid(owner)))
                    .toList();
        found.add(
            new ListedLock(
                false,
                wanted.file().node(),
                wanted.file().space(),
                wanted.mode(),
                wanted.range(),
                wanted.owner().worker(),
                wanted.pid(),
                holders));
      }
    }
    for (Map.Entry<LockOwner, Set<FileLockKey>> each : held.entrySet()) {
      for (FileLockKey key : each.getValue()) {
        FileLocks file = file(key);
        for (HeldLock piece : file.within(each.getKey(), LockRange.WHOLE)) {
          if (found.size() == most) {
            return new ListedLock.Listing(found, false);
          }
          found.add(
              new ListedLock(
                  true,
                  key.node(),
                  key.space(),
                  piece.mode(),
                  piece.range(),
                  each.getKey().worker(),
                  file.pid(each.getKey()),
                  List.of()));
        }
      }
    }
    return new ListedLock.Listing(found, isComplete);
  }

  private static boolean alreadyHas(FileLocks file, WaitingLock wanted) {
    List<HeldLock> now = file.within(wanted.owner(), wanted.range());
    return now.size() == 1 && now.getFirst().mode() == wanted.mode();
  }

  private void grant(FileLocks file, WaitingLock wanted) {
    set(file, wanted.owner(), wanted.pid(), wanted.range(), wanted.mode());
    noteHeld(wanted.file(), file, wanted.owner());
  }

  /**
   * Grants waiting requests that no longer conflict, and drops the file if it has no locks and
   * waits.
   */
  private void grantWaiting(FileLockKey key, FileLocks file) {
    // A grant can make room for others: a granted shared lock downgrades bytes that its owner held
    // exclusively.
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

  /**
   * Refuses waits that a grant has turned into a deadlock: a process with several threads can be
   * granted one lock while it waits for another.
   */
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
   * fcntl locks are checked: a flock belongs to an open file, and any process that has the file
   * open may close it. The same is true of F_OFD locks, which cannot be told from process locks
   * here; so their users may get an EDEADLK that Linux would not return, but only where they would
   * wait forever.
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

  private FileLocks file(FileLockKey key) {
    return files.computeIfAbsent(key, _ -> new FileLocks());
  }

  private void noteHeld(FileLockKey key, FileLocks file, LockOwner owner) {
    if (file.holds(owner)) {
      if (held.computeIfAbsent(owner, _ -> new LinkedHashSet<>()).add(key)) {
        heldByWorker.merge(owner.worker(), 1, Integer::sum);
      }
      return;
    }
    Set<FileLockKey> keys = held.get(owner);
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
