package io.hypersync.runtime.stages;

import io.hypersync.runtime.agent.Clock;

/**
 * Estimates the processor time of a piece of work that is done often, from one time in seventeen:
 * asking for it each time would take as long as the work. Seventeen has no factor in common with
 * the short cycles in which programs make their calls, such as create, write, close.
 * Single-threaded.
 */
public final class SampledProcessorTime {
  private static final int EVERY = 17;

  private final Clock clock;
  private int untilNext = 1;
  private long beganNs;
  private long sampledNs;

  /** Nothing was measured yet. */
  public SampledProcessorTime(Clock clock) {
    this.clock = clock;
  }

  /** The work begins. */
  public void begin() {
    untilNext--;
    if (untilNext == 0) {
      beganNs = clock.processorNs();
    }
  }

  /** The work that began last has ended. */
  public void end() {
    if (untilNext == 0) {
      sampledNs += clock.processorNs() - beganNs;
      untilNext = EVERY;
    }
  }

  /** What all of the work took, in nanoseconds; an estimate. */
  public long totalNs() {
    return sampledNs * EVERY;
  }
}
