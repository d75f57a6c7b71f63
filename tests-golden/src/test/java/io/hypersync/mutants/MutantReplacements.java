package io.hypersync.mutants;

import io.hypersync.model.op.FsOp;
import io.hypersync.model.state.FsState;
import io.hypersync.worker.replica.IndexCallbacks;

/** Replacements for calls in mutants; called by changed bytecode only. */
public final class MutantReplacements {
  private MutantReplacements() {}

  /** Replaces {@code Math.max} by its first argument. */
  public static long first(long first, long second) {
    return first;
  }

  /** Replaces {@code Math.max} by itself, as a control. */
  public static long larger(long first, long second) {
    return Math.max(first, second);
  }

  /** Runs the action at once instead of when the index is reached. */
  public static void atOnce(IndexCallbacks waits, long index, Runnable action) {
    action.run();
  }

  /** Returns the op unresolved, without offsets and lengths filled in. */
  public static FsOp unresolved(FsState state, FsOp op) {
    return op;
  }
}
