package io.hypersync.worker.coherence;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;

/** The mutating calls of this host's processes that have not been answered. */
public interface LocalCalls {
  /**
   * Whether a caller on this host waits for this intent; the kernel then updates its caches itself
   * when the call returns.
   */
  boolean isWaiting(IntentId intent);

  /** Whether any call is unanswered. */
  boolean isAnyWaiting();

  /**
   * Whether an unanswered call may keep the kernel from changing what it has cached of this
   * directory.
   *
   * @param state where names lead now
   * @param except an intent that is ignored
   */
  boolean mayHold(NodeId directory, FsState state, IntentId except);

  /**
   * Whether an unanswered call certainly has this directory locked exclusively; see {@link
   * DirectoryLocks}.
   *
   * @param except an intent that is ignored
   */
  boolean holds(NodeId directory, IntentId except);
}
