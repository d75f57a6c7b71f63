package io.hypersync.leader.placement;

import java.util.List;

/**
 * What the scheduler thinks of a worker.
 *
 * @param reasons why it gets no agents; empty if it may
 * @param cost that is believed to be likely, 0 to 2; 1 is a worker at all its limits
 * @param agents that it has, with those that were promised to it
 */
public record Judgement(List<Reason> reasons, double cost, int agents) {
  /** Whether agents may be placed on it. */
  public boolean isStable() {
    return reasons.isEmpty();
  }
}
