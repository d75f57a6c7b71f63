package io.hypersync.leader.placement;

import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Agents that were placed on a worker and do not show there yet: they count as if they did, for ten
 * minutes. So a burst of placements does not fall on one worker, and one that always says it has no
 * agents gets no more than its limit in that time.
 */
final class PromisedAgents {
  static final long TTL_NS = 600_000_000_000L;

  /** Promises of the same time are one. */
  private static final long TOGETHER_NS = TTL_NS / 10;

  private final Deque<Promise> promises = new ArrayDeque<>();
  private int reported;

  private static final class Promise {
    final long atNs;
    int count;

    Promise(long atNs) {
      this.atNs = atNs;
    }
  }

  /** The worker has said how many agents it has: those that are new are probably promised ones. */
  void reported(int agents, long nowNs) {
    int come = agents - reported;
    reported = agents;
    expire(nowNs);
    while (come > 0 && !promises.isEmpty()) {
      Promise first = promises.getFirst();
      int taken = Math.min(come, first.count);
      come -= taken;
      first.count -= taken;
      if (first.count == 0) {
        promises.removeFirst();
      }
    }
  }

  void promise(long nowNs) {
    Promise last = promises.peekLast();
    if (last == null || nowNs - last.atNs >= TOGETHER_NS) {
      last = new Promise(nowNs);
      promises.addLast(last);
    }
    last.count++;
  }

  /** Those that it says, and those that were promised. */
  int agents(long nowNs) {
    expire(nowNs);
    int sum = reported;
    for (Promise promise : promises) {
      sum += promise.count;
    }
    return sum;
  }

  private void expire(long nowNs) {
    while (!promises.isEmpty() && nowNs - promises.getFirst().atNs >= TTL_NS) {
      promises.removeFirst();
    }
  }
}
