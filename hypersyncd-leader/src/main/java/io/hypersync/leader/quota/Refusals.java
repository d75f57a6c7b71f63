package io.hypersync.leader.quota;

import io.hypersync.model.id.WorkerId;
import io.hypersync.wire.agent.Clock;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts what was beyond a quota, and says so in the log: of one worker and one quota once in an
 * interval, however much comes. On the agent's thread.
 */
public final class Refusals {
  private static final Logger LOG = LoggerFactory.getLogger(Refusals.class);
  private static final long INTERVAL_NS = 60_000_000_000L;

  private record Source(WorkerId worker, Quota quota) {}

  private final Clock clock;
  private final Map<Quota, Long> counts = new EnumMap<>(Quota.class);

  /** When each was last told of: as many as workers are enrolled, times the quotas. */
  private final Map<Source, Long> toldNs = new HashMap<>();

  /** Nothing was refused. */
  public Refusals(Clock clock) {
    this.clock = clock;
  }

  /** Something of this worker was refused. */
  public void add(Quota quota, WorkerId worker) {
    add(quota, worker, 1);
  }

  /** So many things of this worker were refused; 0 is nothing. */
  public void add(Quota quota, WorkerId worker, long count) {
    if (count == 0) {
      return;
    }
    counts.merge(quota, count, Long::sum);
    long nowNs = clock.monotonicNs();
    Source source = new Source(worker, quota);
    Long told = toldNs.get(source);
    if (told == null || nowNs - told >= INTERVAL_NS) {
      toldNs.put(source, nowNs);
      LOG.warn("worker {} sends {}: not taken", worker, quota.what());
    }
  }

  /** How many things were refused for this since the start. */
  public long of(Quota quota) {
    return counts.getOrDefault(quota, 0L);
  }
}
