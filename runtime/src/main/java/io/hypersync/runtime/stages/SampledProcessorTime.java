package io.hypersync.runtime.stages;

import io.hypersync.runtime.agent.Clock;

/**
 * Estimates the processor time of a piece of work that is done often, from one time in 257: asking
 * for it each time would take as long as the work. 257 has no factor in common with the short
 * cycles in which programs make their calls, such as create, write, close. What it takes to ask is
 * measured each time, and left out: it may be more than the work. Single-threaded.
 */
public final class SampledProcessorTime {
  private static final int EVERY = 257;

  private final Clock clock;
  private int untilNext = EVERY;
  private long beganNs;
  private long askingNs;
  private long sampledNs;

  /** Nothing was measured yet. */
  public SampledProcessorTime(Clock clock) {
    this.clock = clock;
  }

  /** The work begins. */
  public void begin() {
    untilNext--;
    if (untilNext == 0) {
      long askedNs = clock.processorNs();
      beganNs = clock.processorNs();
      askingNs = beganNs - askedNs;
    }
  }

  /** The work that began last has ended. */
  public void end() {
    if (untilNext == 0) {
      sampledNs += Math.max(0, clock.processorNs() - beganNs - askingNs);
      untilNext = EVERY;
    }
  }

  /** What all of the work took, in nanoseconds; an estimate. */
  public long totalNs() {
    return sampledNs * EVERY;
  }
}
