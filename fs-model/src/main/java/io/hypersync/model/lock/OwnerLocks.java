package io.hypersync.model.lock;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The locks that one owner holds on one file. As fcntl(2) requires, each byte is unlocked or locked
 * in one mode, and a later call overrides an earlier one byte for byte. Invariant: the pieces are
 * sorted and disjoint, and adjacent pieces of the same mode are merged. Not thread-safe.
 */
public final class OwnerLocks {
  private List<HeldLock> pieces = List.of();

  /** The held ranges, sorted by offset; an immutable snapshot. */
  public List<HeldLock> pieces() {
    return pieces;
  }

  /** Whether the owner holds no lock on the file. */
  public boolean isEmpty() {
    return pieces.isEmpty();
  }

  /**
   * Locks or unlocks these bytes, whatever their mode was before. Does not check other owners.
   *
   * @param mode null to unlock
   */
  public void set(LockRange range, @Nullable LockMode mode) {
    List<HeldLock> next = new ArrayList<>(pieces.size() + 2);
    boolean placed = mode == null;
    for (HeldLock piece : pieces) {
      LockRange old = piece.range();
      if (old.first() < range.first()) {
        long last = Math.min(old.last(), range.first() - 1);
        append(next, old.first(), last, piece.mode());
      }
      if (!placed && old.last() > range.last()) {
        append(next, range.first(), range.last(), mode);
        placed = true;
      }
      if (old.last() > range.last()) {
        // No overflow: the old lock ends after range.last(), which is thus below Long.MAX_VALUE.
        append(next, Math.max(old.first(), range.last() + 1), old.last(), piece.mode());
      }
    }
    if (!placed) {
      append(next, range.first(), range.last(), mode);
    }
    pieces = List.copyOf(next);
  }

  /** The first piece that conflicts with a lock of these bytes by another owner, or null. */
  public @Nullable HeldLock conflict(LockRange range, LockMode mode) {
    for (HeldLock piece : pieces) {
      if (piece.range().first() > range.last()) {
        break;
      }
      if (piece.range().overlaps(range) && piece.mode().conflictsWith(mode)) {
        return piece;
      }
    }
    return null;
  }

  /** The held locks, clipped to these bytes. */
  public List<HeldLock> within(LockRange range) {
    return pieces.stream()
        .filter(piece -> piece.range().overlaps(range))
        .map(piece -> new HeldLock(piece.range().intersection(range), piece.mode()))
        .toList();
  }

  private static void append(
      List<HeldLock> sorted, long first, long last, @Nullable LockMode mode) {
    if (mode == null) {
      return;
    }
    HeldLock before = sorted.isEmpty() ? null : sorted.getLast();
    if (before != null && before.mode() == mode && before.range().last() == first - 1) {
      sorted.set(
          sorted.size() - 1, new HeldLock(new LockRange(before.range().first(), last), mode));
    } else {
      sorted.add(new HeldLock(new LockRange(first, last), mode));
    }
  }
}
