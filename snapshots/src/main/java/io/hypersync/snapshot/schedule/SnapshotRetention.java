package io.hypersync.snapshot.schedule;

import io.hypersync.snapshot.Snapshot;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Which snapshot goes when there are too many that nobody has named or pinned (hypersync.md 14.1).
 *
 * <pre>
 *   one of each day, retain_daily of them | the newest ones, retain of them
 *   +-------+-------+-------+-------+     | +---+---+---+---+---+---+---+
 *   oldest                                                       newest
 * </pre>
 *
 * <p>Of the newest ones, those go first that came soon after the one before, because somebody asked
 * or because memory was short: so the others reach back as far as they should. A day is one of the
 * log's time, which never goes back. It only says which of the older ones are kept: a host whose
 * clock jumps does not lose its past.
 */
final class SnapshotRetention {
  private static final long DAY_NS = 86_400_000_000_000L;

  private final SnapshotPolicy policy;

  SnapshotRetention(SnapshotPolicy policy) {
    this.policy = policy;
  }

  /**
   * The one that goes next.
   *
   * @param all those that nobody has named or pinned, the oldest first
   * @param isRemovable whether a snapshot is not needed and not read
   * @return null if there are not too many, or none of them can be removed now
   */
  @Nullable Snapshot surplus(List<Snapshot> all, Predicate<Snapshot> isRemovable) {
    int older = Math.max(0, all.size() - policy.retain());
    Set<Snapshot> daily = older == 0 ? Set.of() : daily(all.subList(0, older));
    if (older == daily.size()) {
      return null;
    }
    Snapshot crowded = crowded(all, isRemovable);
    if (crowded != null) {
      return crowded;
    }
    for (Snapshot snapshot : all.subList(0, older)) {
      if (!daily.contains(snapshot) && isRemovable.test(snapshot)) {
        return snapshot;
      }
    }
    return null;
  }

  /** The oldest one that came within half an interval after the one before. */
  private @Nullable Snapshot crowded(List<Snapshot> all, Predicate<Snapshot> isRemovable) {
    Long before = null;
    for (Snapshot snapshot : all) {
      long time = snapshot.lastTimeNs();
      if (time == Long.MAX_VALUE) {
        continue; // its manifest cannot be read
      }
      boolean isSoon = before != null && time - before < policy.intervalNs() / 2;
      if (isSoon && isRemovable.test(snapshot)) {
        return snapshot;
      }
      before = isSoon ? before : (Long) time;
    }
    return null;
  }

  /** The last one of each day, as many as are kept. */
  private Set<Snapshot> daily(List<Snapshot> older) {
    Set<Snapshot> kept = new HashSet<>();
    long day = Long.MAX_VALUE;
    for (Snapshot snapshot : older.reversed()) {
      long itsDay = Math.floorDiv(snapshot.lastTimeNs(), DAY_NS);
      if (itsDay != day && kept.size() < policy.retainDaily()) {
        kept.add(snapshot);
      }
      day = itsDay;
    }
    return kept;
  }
}
