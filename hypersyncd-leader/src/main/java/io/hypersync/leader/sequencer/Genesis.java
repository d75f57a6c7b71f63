package io.hypersync.leader.sequencer;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.op.FsOp.SetAttributes;
import io.hypersync.model.state.FsState;

/** The first entry of every log: sets mode and creation time of the root directory. */
public final class Genesis {
  private static final int ROOT_MODE = 0755;

  private Genesis() {}

  /** The op of entry 1. */
  public static FsOp op() {
    return new SetAttributes(
        FsState.ROOT, SetAttributes.MODE | SetAttributes.MTIME_NOW, ROOT_MODE, 0, 0, 0);
  }
}
