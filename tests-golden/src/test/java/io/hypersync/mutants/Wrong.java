package io.hypersync.mutants;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.IndexWaits;

/** What mutants call instead of the right thing; called by changed code alone. */
public final class Wrong {
  private Wrong() {}

  /** Instead of the larger one. */
  public static long first(long first, long second) {
    return first;
  }

  /** Instead of the larger one: no change at all. */
  public static long larger(long first, long second) {
    return Math.max(first, second);
  }

  /** Instead of when an entry is reached. */
  public static void atOnce(IndexWaits waits, long index, Runnable action) {
    action.run();
  }

  /** Instead of the op with offsets and lengths put in. */
  public static FsOp unresolved(FsState state, FsOp op) {
    return op;
  }
}
