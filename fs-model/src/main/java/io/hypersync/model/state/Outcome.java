package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;

/** The result of applying an op. */
public sealed interface Outcome {
  /** Success: the state after the op. */
  record Applied(FsState state) implements Outcome {}

  /**
   * Failure: the op is not possible in this state; the state does not change and nothing is logged.
   */
  record Failed(Errno errno) implements Outcome {}
}
