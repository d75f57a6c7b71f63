package io.hypersync.leader.archive;

import io.hypersync.leader.daemon.MomentTime;
import io.hypersync.runtime.admin.UserError;
import io.hypersync.snapshot.Snapshot;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the snapshot that somebody means. */
public final class SnapshotChoice {
  private SnapshotChoice() {}

  /**
   * The snapshot of this name, of this index, or the newest one whose last entry is not later than
   * a time.
   *
   * @param known what there is
   * @param nowNs what "ago" is counted from, in nanoseconds since 1970
   * @param where there are none else, and how to list them, for the hint
   * @throws UserError if there is none; it names those before and after
   */
  public static Snapshot of(List<Snapshot> known, String wanted, long nowNs, String where) {
    Optional<Snapshot> named =
        known.stream()
            .filter(snapshot -> !wanted.isEmpty() && snapshot.name().equals(wanted))
            .max(Comparator.comparingLong(Snapshot::index));
    if (named.isPresent()) {
      return named.get();
    }
    if (!wanted.isEmpty() && wanted.chars().allMatch(c -> c >= '0' && c <= '9')) {
      return ofIndex(known, wanted, where);
    }
    long timeNs = MomentTime.ns(wanted, nowNs);
    return known.stream()
        .filter(snapshot -> snapshot.lastTimeNs() <= timeNs)
        .max(Comparator.comparingLong(Snapshot::index))
        .orElseThrow(() -> new UserError("there is no snapshot of that time or before", where));
  }

  private static Snapshot ofIndex(List<Snapshot> known, String digits, String where) {
    long index;
    try {
      index = Long.parseLong(digits);
    } catch (NumberFormatException tooLarge) {
      index = Long.MAX_VALUE;
    }
    Snapshot before = null;
    Snapshot after = null;
    for (Snapshot snapshot : known) {
      if (snapshot.index() == index) {
        return snapshot;
      }
      if (snapshot.index() < index && (before == null || before.index() < snapshot.index())) {
        before = snapshot;
      }
      if (snapshot.index() > index && (after == null || after.index() > snapshot.index())) {
        after = snapshot;
      }
    }
    throw new UserError(
        "there is no snapshot of entry "
            + digits
            + (before == null ? "" : "; the one before it is that of entry " + before.index())
            + (after == null ? "" : "; the one after it is that of entry " + after.index()),
        where);
  }
}
