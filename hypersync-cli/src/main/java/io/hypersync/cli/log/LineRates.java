package io.hypersync.cli.log;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

/**
 * How often a line of one kind is written: what others can cause again and again must not fill the
 * disk. A kind may come {@value #BURST} times at once, and once a second from then on; how many
 * were left out is said. Of lines about peers those about each one are a kind, so that one of them
 * does not hide the others; all of them together may come {@value #PEERS} times as often as one.
 * Thread-safe, bounded.
 */
final class LineRates {
  static final int BURST = 100;
  static final long EVERY_NS = 1_000_000_000L;

  /** Kinds are constants of the program; should there be more, the others share a place. */
  static final int MOST_KINDS = 1_024;

  /** So many peers may have all that they may at once. */
  static final int PEERS = 10;

  /** Peers choose their names; should there be more, the others share a place for each event. */
  static final int MOST_OF_PEERS = 512;

  /** After so long without a further one it is said how many were left out. */
  static final long SAY_NS = 10 * EVERY_NS;

  private static final String OTHERS = "of other kinds";

  private final Map<String, Kind> kinds = new HashMap<>();
  private final Map<String, Kind> ofPeers = new HashMap<>();
  private long sweptNs;
  private boolean hasPending;

  /** What was left out of one kind. */
  record LeftOut(String kind, long count) {}

  private static final class Kind {
    private final long everyNs;

    /** Since then a line would be one too many; counted like a leaky bucket, in nanoseconds. */
    private long filledUntilNs;

    private long leftOut;
    private long lastNs;

    Kind(long everyNs, long nowNs) {
      this.everyNs = everyNs;
      this.filledUntilNs = nowNs;
      this.lastNs = nowNs;
    }

    /** Whether a line would be one too many. */
    boolean isFull(long nowNs) {
      return filledUntilNs - nowNs > (BURST - 1) * EVERY_NS;
    }

    void take(long nowNs) {
      filledUntilNs = (isDrained(nowNs) ? nowNs : filledUntilNs) + everyNs;
    }

    /** Whether it is as if it had never come. */
    boolean isDrained(long nowNs) {
      return filledUntilNs - nowNs <= 0;
    }
  }

  /**
   * Decides on a line that is about no peer.
   *
   * @return how many like it were left out before it; negative if it is to be left out as well
   */
  long admit(String kind, long nowNs) {
    return admit(kind, "", nowNs);
  }

  /**
   * Decides on a line.
   *
   * @param peer what it is about, among other things of its kind; empty if there are no others
   * @return how many like it were left out before it; negative if it is to be left out as well
   */
  synchronized long admit(String kind, String peer, long nowNs) {
    Kind all =
        peer.isEmpty()
            ? place(kind, EVERY_NS, nowNs)
            : place(kind + " of any", EVERY_NS / PEERS, nowNs);
    Kind one = peer.isEmpty() ? all : placeOfPeer(kind + " of " + peer, all, nowNs);
    one.lastNs = nowNs;
    if (one.isFull(nowNs) || all.isFull(nowNs)) {
      one.leftOut++;
      hasPending = true;
      return -1;
    }
    one.take(nowNs);
    if (one != all) {
      all.take(nowNs);
    }
    long before = one.leftOut;
    one.leftOut = 0;
    return before;
  }

  private Kind place(String kind, long everyNs, long nowNs) {
    Kind known = kinds.get(kind);
    if (known != null) {
      return known;
    }
    return kinds.size() < MOST_KINDS
        ? kinds.computeIfAbsent(kind, _ -> new Kind(everyNs, nowNs))
        : kinds.computeIfAbsent(OTHERS, _ -> new Kind(EVERY_NS, nowNs));
  }

  private Kind placeOfPeer(String kind, Kind all, long nowNs) {
    Kind known = ofPeers.get(kind);
    if (known != null) {
      return known;
    }
    if (ofPeers.size() == MOST_OF_PEERS && nowNs - sweptNs >= EVERY_NS) {
      sweptNs = nowNs; // not for each line, there may be many
      ofPeers.values().removeIf(each -> each.leftOut == 0 && each.isDrained(nowNs));
    }
    if (ofPeers.size() == MOST_OF_PEERS) {
      return all;
    }
    Kind made = new Kind(EVERY_NS, nowNs);
    ofPeers.put(kind, made);
    if (ofPeers.size() == MOST_OF_PEERS) {
      sweptNs = nowNs;
    }
    return made;
  }

  /** What was left out of kinds that do not come any more; each is given once. */
  synchronized List<LeftOut> overdue(long nowNs) {
    return taken(kind -> nowNs - kind.lastNs >= SAY_NS);
  }

  /** All that was left out and not said yet. */
  synchronized List<LeftOut> pending() {
    return taken(_ -> true);
  }

  private List<LeftOut> taken(Predicate<Kind> isWanted) {
    if (!hasPending) {
      return List.of();
    }
    hasPending = false;
    List<LeftOut> taken = new ArrayList<>();
    for (Map<String, Kind> each : List.of(kinds, ofPeers)) {
      each.forEach(
          (name, kind) -> {
            if (kind.leftOut > 0 && isWanted.test(kind)) {
              taken.add(new LeftOut(name, kind.leftOut));
              kind.leftOut = 0;
            }
            hasPending |= kind.leftOut > 0;
          });
    }
    return taken;
  }
}
