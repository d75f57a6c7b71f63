package io.hypersync.mutants;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;

/** What mutants call instead of the right thing; called by changed code alone. */
public final class Wrong {
  private Wrong() {}

  /** Instead of the larger one. */
  public static long first(long first, long second) {
    return first;
  }

  /** Instead of the op with offsets and lengths put in. */
  public static FsOp unresolved(FsState state, FsOp op) {
    return op;
  }
}
