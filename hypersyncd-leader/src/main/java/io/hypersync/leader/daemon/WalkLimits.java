package io.hypersync.leader.daemon;

import io.hypersync.leader.history.HeapAllowance;
import io.hypersync.model.difference.StateDifference;

/** Ends a walk over states when the leader stops, or when there is no memory for it. */
record WalkLimits(SlowRequests requests, HeapAllowance allowance)
    implements StateDifference.Limits {
  @Override
  public void step() {
    requests.requireRunning();
  }

  @Override
  public void heap(long bytes) {
    allowance.spend(bytes);
  }
}
