package io.hypersync.model.state;

import io.hypersync.model.errno.Errno;

/** What applying an op came to. */
public sealed interface Outcome {
  /** The state after the op. */
  record Applied(FsState state) implements Outcome {}

  /** The op is not possible in this state; nothing changes and nothing is logged. */
  record Failed(Errno errno) implements Outcome {}
}
