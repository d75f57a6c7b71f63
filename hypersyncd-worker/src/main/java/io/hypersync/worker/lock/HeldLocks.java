package io.hypersync.worker.lock;

import io.hypersync.worker.fuse.protocol.FileHandle;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The locks that this mount may hold: never fewer than the leader has granted, so a close that
 * finds none here need not ask the leader. Thread-safe.
 */
public final class HeldLocks {
  /**
   * What one owner may hold of one file.
   *
   * @param underWay the number of lock requests whose outcome is unknown
   * @param held whether a lock was held when the last answer was given
   * @param handles the file handles through which locks were requested
   */
  private record Holding(int underWay, boolean held, Set<FileHandle> handles) {}

  private static final Comparator<OwnerLockKey> ORDER =
      Comparator.comparing(OwnerLockKey::node)
          .thenComparing(OwnerLockKey::space)
          .thenComparingLong(key -> key.owner().value());

  private final ConcurrentHashMap<OwnerLockKey, Holding> heldLocks = new ConcurrentHashMap<>();

  /**
   * Records a lock request through a file handle; must be called before the request can be
   * answered.
   */
  public void asked(OwnerLockKey key, FileHandle handle) {
    heldLocks.compute(
        key,
        (_, now) -> {
          Set<FileHandle> handles = new HashSet<>(now == null ? Set.of() : now.handles);
          handles.add(handle);
          return new Holding(
              now == null ? 1 : now.underWay + 1, now != null && now.held, Set.copyOf(handles));
        });
  }

  /**
   * Records the outcome of a request that was {@link #asked}.
   *
   * @param held whether the owner holds a lock on the file now
   */
  void ended(OwnerLockKey key, boolean held) {
    heldLocks.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 1 && !held ? null : new Holding(now.underWay - 1, held, now.handles));
  }

  /**
   * A request that was {@link #asked} has ended without reaching the leader, so nothing has changed
   * there.
   */
  void unasked(OwnerLockKey key) {
    heldLocks.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 1 && !now.held
                ? null
                : new Holding(now.underWay - 1, now.held, now.handles));
  }

  /** Records from the answer to another request whether the owner holds a lock on the file. */
  void found(OwnerLockKey key, boolean held) {
    heldLocks.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 0 && !held ? null : new Holding(now.underWay, held, now.handles));
  }

  /**
   * All locks of the owner on the file are about to be released: the file handles through which
   * they were requested no longer count.
   */
  void closing(OwnerLockKey key) {
    heldLocks.computeIfPresent(key, (_, now) -> new Holding(now.underWay, now.held, Set.of()));
  }

  /** Whether this owner may hold a lock on the file. */
  public boolean mayHold(OwnerLockKey key) {
    return heldLocks.containsKey(key);
  }

  /**
   * The owners and files for which locks were requested through this file handle, in a fixed order.
   */
  public List<OwnerLockKey> through(FileHandle handle) {
    if (heldLocks.isEmpty()) {
      return List.of();
    }
    List<OwnerLockKey> keys = new ArrayList<>();
    heldLocks.forEach(
        (key, holding) -> {
          if (holding.handles.contains(handle)) {
            keys.add(key);
          }
        });
    keys.sort(ORDER); // the map's order differs from process to process
    return keys;
  }

  /** The number of locks held; all locks of one owner on one file count as one. */
  int held() {
    return (int) heldLocks.values().stream().filter(Holding::held).count();
  }

  /** Records that the leader has forgotten all locks. */
  void lost() {
    for (OwnerLockKey key : heldLocks.keySet()) {
      found(key, false);
    }
  }
}
