package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;
import java.util.HashMap;
import java.util.Map;

/** A counter per worker; a worker whose count is 0 has no row. */
final class WorkerCounts {
  private final Map<WorkerId, Integer> counts = new HashMap<>();

  int of(WorkerId worker) {
    return counts.getOrDefault(worker, 0);
  }

  void increment(WorkerId worker) {
    counts.merge(worker, 1, Integer::sum);
  }

  void decrement(WorkerId worker) {
    counts.computeIfPresent(worker, (_, count) -> count == 1 ? null : count - 1);
  }
}
