package io.hypersync.cli.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * How often a line of one kind is written: what others can cause again and again must not fill the
 * disk. A kind may come {@value #BURST} times at once, and once a second from then on; how many
 * were left out is said. Thread-safe, bounded.
 */
final class LineRates {
  static final int BURST = 100;
  static final long EVERY_NS = 1_000_000_000L;

  /** Kinds are constants of the program; should there be more, the others share a place. */
  static final int MOST_KINDS = 1_024;

  /** After so long without a further one it is said how many were left out. */
  static final long SAY_NS = 10 * EVERY_NS;

  private static final String OTHERS = "of other kinds";

  private final Map<String, Kind> kinds = new HashMap<>();
  private boolean hasPending;

  /** What was left out of one kind. */
  record LeftOut(String kind, long count) {}

  private static final class Kind {
    /** Since then a line would be one too many; counted like a leaky bucket, in nanoseconds. */
    private long filledUntilNs;

    private long leftOut;
    private long lastNs;

    Kind(long nowNs) {
      this.filledUntilNs = nowNs;
      this.lastNs = nowNs;
    }
  }

  /**
   * Decides on a line.
   *
   * @return how many like it were left out before it; negative if it is to be left out as well
   */
  synchronized long admit(String kind, long nowNs) {
    Kind known = kinds.get(kind);
    if (known == null) {
      String place = kinds.size() < MOST_KINDS ? kind : OTHERS;
      known = kinds.computeIfAbsent(place, _ -> new Kind(nowNs));
    }
    known.lastNs = nowNs;
    if (known.filledUntilNs - nowNs < 0) {
      known.filledUntilNs = nowNs;
    }
    if (known.filledUntilNs - nowNs > (BURST - 1) * EVERY_NS) {
      known.leftOut++;
      hasPending = true;
      return -1;
    }
    known.filledUntilNs += EVERY_NS;
    long before = known.leftOut;
    known.leftOut = 0;
    return before;
  }

  /** What was left out of kinds that do not come any more; each is given once. */
  synchronized List<LeftOut> overdue(long nowNs) {
    if (!hasPending) {
      return List.of();
    }
    List<LeftOut> overdue = new ArrayList<>();
    boolean isLeft = false;
    for (Map.Entry<String, Kind> each : kinds.entrySet()) {
      Kind kind = each.getValue();
      if (kind.leftOut > 0 && nowNs - kind.lastNs >= SAY_NS) {
        overdue.add(new LeftOut(each.getKey(), kind.leftOut));
        kind.leftOut = 0;
      }
      isLeft |= kind.leftOut > 0;
    }
    hasPending = isLeft;
    return overdue;
  }
}
