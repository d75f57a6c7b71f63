package io.hypersync.leader.sequencer;

import io.hypersync.model.id.WorkerId;

/** Decides whether the locks are still held that an intent was made under (hypersync.md 10.2). */
@FunctionalInterface
public interface LockFence {
  /**
   * Whether an intent may be committed now. Once it is not for a session, it never is again.
   *
   * @param lockSession as in SubmitIntent; 0 if the intent was made under no lock
   */
  boolean admits(WorkerId worker, long lockSession);
}
