package io.hypersync.leader.collection;

import io.hypersync.leader.port.LogKeeper;
import io.hypersync.leader.port.LogKeeper.Reason;
import java.util.ArrayList;
import java.util.List;

/** Up to which entry each of those who need the log can do without it, and who needs most. */
final class LogLimits {
  private record Limit(LogKeeper keeper, long index) {}

  private final List<Limit> limits = new ArrayList<>();

  /**
   * Adds one.
   *
   * @param who a worker, or several; else empty
   * @param index it does not need entries up to this one
   */
  void add(Reason reason, String who, long index) {
    limits.add(new Limit(new LogKeeper(reason, who), index));
  }

  /** What all of them can do without. */
  long lowest() {
    long lowest = Long.MAX_VALUE;
    for (Limit limit : limits) {
      lowest = Math.min(lowest, limit.index);
    }
    return lowest;
  }

  /**
   * Who keeps the log from an entry on: who would keep it if all others were gone. Of several it is
   * the first by {@link Reason}, so nobody is named for what an intact, idle workspace keeps, too;
   * and then who is furthest behind.
   *
   * @param next the snapshot that it could be kept from if they did not need more; {@link
   *     Long#MAX_VALUE} if there is none
   */
  LogKeeper keeper(long next) {
    Limit first = null;
    for (Limit limit : limits) {
      boolean isBefore =
          first == null
              || limit.keeper.reason().compareTo(first.keeper.reason()) < 0
              || (limit.keeper.reason() == first.keeper.reason() && limit.index < first.index);
      if (limit.index < next && isBefore) {
        first = limit;
      }
    }
    return first == null ? LogKeeper.SNAPSHOT : first.keeper;
  }
}
