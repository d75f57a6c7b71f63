package io.hypersync.leader.quota;

import io.hypersync.model.id.WorkerId;
import io.hypersync.runtime.agent.Clock;
import io.hypersync.runtime.log.LogEvent;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts refusals by quota and logs them: at most once per worker, quota and interval, however many
 * there are. On the agent's thread.
 */
public final class QuotaViolations {
  private static final Logger LOG = LoggerFactory.getLogger(QuotaViolations.class);
  private static final long INTERVAL_NS = 60_000_000_000L;

  private record Source(WorkerId worker, Quota quota) {}

  private final Clock clock;
  private final Map<Quota, Long> counts = new EnumMap<>(Quota.class);

  /** When each was last logged; bounded by enrolled workers times quotas. */
  private final Map<Source, Long> toldNs = new HashMap<>();

  public QuotaViolations(Clock clock) {
    this.clock = clock;
  }

  /** Counts one refusal. */
  public void add(Quota quota, WorkerId worker) {
    add(quota, worker, 1);
  }

  /** Counts {@code count} refusals; 0 does nothing. */
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
      LOG.warn(
          LogEvent.QUOTA.marker().with("worker", worker),
          "worker {} sends {}: not taken",
          worker,
          quota.what());
    }
  }

  /** How many refusals were counted since the start. */
  public long of(Quota quota) {
    return counts.getOrDefault(quota, 0L);
  }
}
