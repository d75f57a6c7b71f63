package io.hypersync.cli.standby;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.hypersync.runtime.agent.Clock;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * Whether all content is here, for who asks every second: the agent is asked only every {@link
 * #FRESH}, and not at all while its figures say that something is on its way. Thread-safe.
 */
final class KnownCompleteness {
  static final Duration FRESH = Duration.ofSeconds(10);

  private final BooleanSupplier agent;
  private final Clock clock;
  private boolean hasAny;
  private boolean last;
  private long lastNs;

  /**
   * Makes one that has not asked yet.
   *
   * @param agent blocks for the agent's answer
   */
  KnownCompleteness(BooleanSupplier agent, Clock clock) {
    this.agent = agent;
    this.clock = clock;
  }

  /** Asks the agent. */
  synchronized boolean now() {
    last = agent.getAsBoolean();
    lastNs = clock.monotonicNs();
    hasAny = true;
    return last;
  }

  /**
   * What is known.
   *
   * @param figures of the worker
   */
  synchronized boolean lately(ObjectNode figures) {
    if (figures.path("backfill_running").asBoolean() || figures.path("install").isObject()) {
      hasAny = false; // when it is through, that is known at once
      return false;
    }
    boolean isFresh = hasAny && clock.monotonicNs() - lastNs < FRESH.toNanos();
    return isFresh ? last : now();
  }
}
