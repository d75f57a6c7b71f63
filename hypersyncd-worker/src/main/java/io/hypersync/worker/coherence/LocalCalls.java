package io.hypersync.worker.coherence;

import io.hypersync.model.id.IntentId;
import io.hypersync.model.id.NodeId;
import io.hypersync.model.state.FsState;

/** The mutating calls of this worker's processes that have not been answered. */
public interface LocalCalls {
  /** Whether a caller here waits for this intent, and its kernel will update its caches itself. */
  boolean isWaiting(IntentId intent);

  /** Whether any call is unanswered. */
  boolean isAnyWaiting();

  /**
   * Whether a call that is unanswered keeps the kernel from changing what it has cached of this
   * directory.
   *
   * @param state where names lead now
   * @param except a call that does not count
   */
  boolean mayHold(NodeId directory, FsState state, IntentId except);

  /**
   * Whether a call that is unanswered has this directory locked for itself alone; see {@link
   * DirectoryLocks}.
   *
   * @param except a call that does not count
   */
  boolean holds(NodeId directory, IntentId except);
}
