package io.hypersync.leader.placement;

import io.hypersync.model.id.WorkerId;
import java.util.List;
import java.util.Map;

/**
 * A decision: where agents are to be started, and why there (hypersync.md 15.3).
 *
 * @param number 1, 2, 3, ... since the leader's start
 * @param atNs when it was made, by the leader's wall clock
 * @param session for whom, as the asker calls it; may be empty
 * @param wanted how many agents
 * @param seed of the random numbers: the same evidence with this seed gives the same decision
 * @param shares how many each worker gets, at least one; by name
 * @param unplaced how many there was no room for
 * @param candidates stable workers before the decision, by name
 * @param excluded the others, by name
 * @param picks which worker each of the first agents got, in order; 8 at most
 */
public record Placement(
    long number,
    long atNs,
    String session,
    int wanted,
    long seed,
    List<Share> shares,
    int unplaced,
    List<Candidate> candidates,
    List<Exclusion> excluded,
    List<Pick> picks) {

  /** How many agents a worker gets. */
  public record Share(WorkerId worker, int count) {}

  /**
   * A stable worker.
   *
   * @param agents that it has, with those that were promised to it
   * @param mean of the cost that is believed, without the agents
   * @param deviation how sure that is
   * @param observations on how many that rests
   * @param penalties what each measure adds to the cost, by the last report
   */
  public record Candidate(
      WorkerId worker,
      int agents,
      double mean,
      double deviation,
      double observations,
      Map<Measure, Double> penalties) {}

  /** A worker that gets no agents; at least one reason. */
  public record Exclusion(WorkerId worker, List<Reason> reasons) {}

  /**
   * Where one agent goes.
   *
   * @param sampled what was drawn for each worker that had room, its agents included
   */
  public record Pick(WorkerId chosen, Map<WorkerId, Double> sampled) {}
}
