package io.hypersync.worker.lock;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What this mount may hold: never less than what the leader knows, so that a close which finds
 * nothing here need not ask it. Threads: any.
 */
public final class Holdings {
  /**
   * One owner and file.
   *
   * @param underWay lock requests whose end is not known
   * @param held whether something was held when the last answer was given
   * @param handles the open files through which it was asked for
   */
  private record Holding(int underWay, boolean held, Set<Long> handles) {}

  private static final Comparator<LockKey> ORDER =
      Comparator.comparing(LockKey::node)
          .thenComparing(LockKey::space)
          .thenComparingLong(LockKey::owner);

  private final ConcurrentHashMap<LockKey, Holding> holdings = new ConcurrentHashMap<>();

  /**
   * A lock is asked for through an open file; must be called before the request can be answered.
   */
  public void asked(LockKey key, long handle) {
    holdings.compute(
        key,
        (_, now) -> {
          Set<Long> handles = new HashSet<>(now == null ? Set.of() : now.handles);
          handles.add(handle);
          return new Holding(
              now == null ? 1 : now.underWay + 1, now != null && now.held, Set.copyOf(handles));
        });
  }

  /** A request that was {@link #asked} has ended. */
  void ended(LockKey key, boolean held) {
    holdings.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 1 && !held ? null : new Holding(now.underWay - 1, held, now.handles));
  }

  /** A request that was {@link #asked} has ended without the leader: nothing has changed there. */
  void unasked(LockKey key) {
    holdings.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 1 && !now.held
                ? null
                : new Holding(now.underWay - 1, now.held, now.handles));
  }

  /** What is held of it is known from another answer. */
  void found(LockKey key, boolean held) {
    holdings.computeIfPresent(
        key,
        (_, now) ->
            now.underWay == 0 && !held ? null : new Holding(now.underWay, held, now.handles));
  }

  /** All of it is about to be freed: the open files it came through mean nothing any more. */
  void closing(LockKey key) {
    holdings.computeIfPresent(key, (_, now) -> new Holding(now.underWay, now.held, Set.of()));
  }

  /** Whether this owner may hold something of the file. */
  public boolean mayHold(LockKey key) {
    return holdings.containsKey(key);
  }

  /** Everything that was asked for through this open file. */
  public List<LockKey> through(long handle) {
    if (holdings.isEmpty()) {
      return List.of();
    }
    List<LockKey> keys = new ArrayList<>();
    holdings.forEach(
        (key, holding) -> {
          if (holding.handles.contains(handle)) {
            keys.add(key);
          }
        });
    keys.sort(ORDER); // the map's own order is another one in each process
    return keys;
  }

  /** How many locks are held; one owner's of one file count as one. */
  int held() {
    return (int) holdings.values().stream().filter(Holding::held).count();
  }

  /** All locks are lost. */
  void lost() {
    for (LockKey key : holdings.keySet()) {
      found(key, false);
    }
  }
}
