package io.hypersync.model.lock;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What one owner holds of one file: as fcntl(2) has it, a byte is locked in one mode or not at all,
 * and a later call overrides an earlier one byte for byte. Kept as few, sorted, disjoint pieces:
 * neighbours in the same mode are one.
 */
public final class OwnerLocks {
  private List<HeldLock> pieces = List.of();

  /** The pieces, sorted, none touching another of the same mode. */
  public List<HeldLock> pieces() {
    return pieces;
  }

  /** Whether nothing is held. */
  public boolean isEmpty() {
    return pieces.isEmpty();
  }

  /**
   * Locks or unlocks these bytes, whatever they were before.
   *
   * @param mode null unlocks
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
        // A range that something lies behind does not go to the end: no overflow.
        append(next, Math.max(old.first(), range.last() + 1), old.last(), piece.mode());
      }
    }
    if (!placed) {
      append(next, range.first(), range.last(), mode);
    }
    pieces = List.copyOf(next);
  }

  /** The first piece that another owner's lock of these bytes would conflict with, or null. */
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

  /** What is held of these bytes. */
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
